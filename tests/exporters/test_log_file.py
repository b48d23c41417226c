"""Conversations as logs of this library: entries, the price of each request, media, one session."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.exporters.making import PICTURE, PIXEL, call, human, model, result, summary, talk, tool
from unabridged.entry import FrameEntry, MessageEntry, UsageEntry
from unabridged.exporters import log_file
from unabridged.exporters.log_file import session_of, write_log
from unabridged.framing import frame_of
from unabridged.importers import Imported, RecordedCall, read_file
from unabridged.report import Usage
from unabridged.store.jsonl import read_log

USAGE = Usage(input=100, output=9)
TALK = (human("Fix it."), model("I look.", call("c1")), tool(result("c1", "ok")), model("Done."))


def entries(conversation: Imported, path: Path) -> list[object]:
    write_log(conversation, path)
    return [entry.payload for entry in read_log(path).entries]


def test_the_frame_leads_and_a_report_stands_before_the_answer_that_it_is_of(tmp_path: Path) -> None:
    calls = (RecordedCall(answer=1, usage=USAGE, model="m"), RecordedCall(answer=3))
    found = entries(talk(*TALK, calls=calls, frame=frame_of("openai_chat", system="Be careful.")), tmp_path / "a.jsonl")

    assert [type(each) for each in found] == [FrameEntry, MessageEntry, UsageEntry, *[MessageEntry] * 3]
    reported = found[2]
    assert isinstance(reported, UsageEntry)
    assert (reported.usage, reported.model, reported.last) == (USAGE, "m", "a-0")


def test_the_price_counts_the_frame_and_what_stood_before_and_from_a_summary_on_only_that(tmp_path: Path) -> None:
    def prices(*messages: object, at: int, system: str | None = None) -> int:
        conversation = talk(
            *messages,  # type: ignore[arg-type]  # messages
            calls=(RecordedCall(answer=at, usage=USAGE),),
            frame=frame_of("openai_chat", system=system),
        )
        place = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        return next(each.price for each in entries(conversation, place) if isinstance(each, UsageEntry))

    long = human("word " * 1_000)
    alone = prices(human("Go"), model("Yes."), at=1)
    assert prices(long, model("Yes."), at=1) > alone + 900
    assert prices(human("Go"), model("Yes."), at=1, system="Be careful. " * 100) > alone + 200
    assert prices(long, model("Yes."), summary("Go"), model("Yes."), at=3) == alone


def test_a_report_without_a_message_before_it_has_no_place(tmp_path: Path) -> None:
    found = entries(talk(model("Hello."), calls=(RecordedCall(answer=0, usage=USAGE),)), tmp_path / "a.jsonl")

    assert [type(each) for each in found] == [FrameEntry, MessageEntry]


def test_media_are_written_once_and_come_back(tmp_path: Path) -> None:
    conversation = talk(human(PICTURE), model("Yes."), human(PICTURE), model("Still."))
    counts = write_log(conversation, tmp_path / "a.jsonl")

    assert counts == (4, 0, 1)
    assert (tmp_path / "a.jsonl").read_text().count('"bytes"') <= 1
    assert read_log(tmp_path / "a.jsonl").media == {PICTURE.digest: PIXEL}


def test_long_conversations_are_written_in_pieces_and_progress_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_file, "_AT_ONCE", 2)
    conversation = talk(*TALK, human("On"))
    told: list[int] = []
    write_log(conversation, tmp_path / "a.jsonl", told.append)

    (back,) = read_file(tmp_path / "a.jsonl")
    assert told == [2, 4, 5]
    assert back.messages == conversation.messages


def test_the_session_is_what_the_ids_begin_with() -> None:
    assert session_of(talk(human("Go"), name="0123abcd")) == "0123abcd"

"""Crashes in the middle of a turn, damaged files, and what a new process makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from unabridged import Conversation, Policy
from unabridged.log import Log
from unabridged.store.jsonl import JsonlWriter, ProblemKind, read_log
from unabridged.testing import violations
from unabridged.testing.notation import say, shown

LONG = "U:q:100 A[c1] T(c1):700 A:a:300 " * 10


def stored(talk: Conversation, path: Path) -> list[bytes]:
    """Write a conversation to a file, and give its lines."""
    with JsonlWriter(path, session="s", counter=talk.transcript.counter.name) as writer:
        writer.append(talk.transcript.log.entries, media=talk.transcript.log.media)
    return path.read_bytes().splitlines(keepends=True)


def resumed(path: Path, *, strategy: str = "trim", window: int = 8_000) -> Conversation:
    """Go on from a file, as a new process does."""
    opened = read_log(path)
    log = Log.restore(opened.session, opened.entries, media=dict(opened.media))
    return Conversation(model="m", window=window, log=log, policy=Policy(strategy=strategy))


def view(talk: Conversation) -> str:
    fitted = talk.fit()
    assert violations("openai_chat", fitted.body()) == []
    return shown(fitted.items)


def test_a_call_that_a_crash_left_open_does_not_end_the_session(tmp_path: Path) -> None:
    talk = Conversation(model="m", window=8_000)
    say(talk, "U:task A[c1,c2] T(c1)")
    stored(talk, tmp_path / "log.jsonl")
    for _ in range(3):
        again = resumed(tmp_path / "log.jsonl")
        assert view(again) == "U:task A[c1,c2] T(c1) T(c2)!"
    say(again, "U:next")
    assert view(again) == "U:task A[c1,c2] T(c1) T(c2)! U:next"
    assert [record.message.id for record in again.transcript.records] == ["U:task", "A[c1,c2]", "T(c1)", "U:next"]


def test_an_answer_that_was_never_finished_leaves_a_session_that_goes_on() -> None:
    talk = Conversation(model="m", window=8_000)
    say(talk, "U:task")
    talk.fit()  # the process dies while the answer streams: nothing of it was appended
    say(talk, "U:next")
    assert view(talk) == "U:task U:next"


def test_a_result_that_comes_after_a_stand_in_of_the_client_is_sent_once() -> None:
    talk = Conversation(model="m", window=8_000)
    say(talk, "U:task A[c1]")
    talk.result("c1", "interrupted", is_error=True)
    talk.result("c1", "the real output")
    say(talk, "A:done U:next")
    fitted = talk.fit()
    assert violations("openai_chat", fitted.body()) == []
    assert len([message for message in fitted.messages() if message["role"] == "tool"]) == 1


@pytest.mark.parametrize("damaged", [3, 4, 5, -1])
def test_messages_before_and_after_a_damaged_line_are_used(tmp_path: Path, damaged: int) -> None:
    talk = Conversation(model="m", window=8_000)
    said = say(talk, "U:task A[c1] T(c1) A:done U:next A[c2] T(c2) A:end U:more")
    path = tmp_path / "log.jsonl"
    lines = stored(talk, path)
    lines[damaged] = lines[damaged][: len(lines[damaged]) // 2] + (b"\n" if damaged > 0 else b"")
    path.write_bytes(b"".join(lines))
    found = {problem.what for problem in read_log(path).problems}
    assert found & {ProblemKind.NOT_JSON, ProblemKind.TORN_LAST_LINE}
    again = resumed(path)
    assert len(again.transcript.records) == len(said) - 1
    say(again, "U:again")
    assert view(again).endswith("U:again")


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
def test_a_new_process_sees_what_the_old_one_saw_after_two_fits(tmp_path: Path, strategy: str) -> None:
    talk = Conversation(model="m", window=8_000, policy=Policy(strategy=strategy))
    say(talk, "U:task")
    for _ in range(2):
        say(talk, LONG)
        assert talk.fit().report is not None
    body = talk.fit().body()
    stored(talk, tmp_path / "log.jsonl")
    again = resumed(tmp_path / "log.jsonl", strategy=strategy)
    assert again.fit().body() == body
    assert ("Σ" in view(again)) is (strategy == "summarize")


def test_no_message_is_both_in_the_summary_and_gone_after_a_restart(tmp_path: Path) -> None:
    talk = Conversation(model="m", window=8_000, policy=Policy(strategy="summarize"))
    say(talk, "U:task " + LONG)
    talk.fit()
    stored(talk, tmp_path / "log.jsonl")
    large = resumed(tmp_path / "log.jsonl", strategy="summarize", window=200_000)
    assert view(large).split() == [record.message.id.partition("#")[0] for record in talk.transcript.records]

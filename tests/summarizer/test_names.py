from __future__ import annotations

import pytest

from tests.summarizer.spans import assistant, called, ran, record_of, request, user
from unabridged.message import Media, MediaKind, Message, Origin, Role, Text, ToolCall, ToolResult
from unabridged.summarizer import extract
from unabridged.summarizer.gathering.names import is_name
from unabridged.summarizer.reading import read
from unabridged.testing.notation import png

DIGEST = "d" * 64
PICTURE = Media(kind=MediaKind.IMAGE, mime="image/png", digest=DIGEST)
BYTES = {DIGEST: png(640, 480)}


@pytest.mark.parametrize(
    "text",
    [
        "src/unabridged/engine.py",
        "https://example.com/pulls/7",
        "9759b67d",
        "0276a600-2f22-4d2b-844c-3feb9c5aa108",
        "v1.24.3",
        "10.0.0.17",
        "8431",
        "ENT-221",
        "targetAgent",
        "TargetAgent",
        "max_tokens",
        "MAX_TOKENS",
        "session.StateStore",
        "mia_li_3668",
        "HAT136",
        r"D:\projects\a.go",
        "feature/ent-221-fix",
    ],
)
def test_a_string_that_has_to_be_known_exactly_is_a_name(text: str) -> None:
    assert is_name(text)


@pytest.mark.parametrize(
    "text",
    [
        "the",
        "Because",
        "and/or",
        "2026-01-02",
        "12:30:05",
        "it's",
        "e.g",
        "42",
        "/dev/null",
        "deadbeef",
        "I",
        "/bin/bash",
    ],
)
def test_plain_words_numbers_and_dates_are_no_names(text: str) -> None:
    assert not is_name(text)


def test_names_are_ranked_by_how_many_messages_hold_them() -> None:
    often = [assistant(f"The queue_{n} listens at 8431, see JobRunner.") for n in range(4)]
    once = assistant("JobRunner JobRunner JobRunner, and once ColdStart")
    names = {name.text: name.count for name in record_of(often, once).names}
    assert names == {"JobRunner": 5}


def test_what_people_and_the_model_say_counts_more_than_what_scrolls_by() -> None:
    spoken = [assistant("See JobRunner.") for _ in range(3)]
    scrolled = [message for _ in range(4) for message in ran("make", "ok 1 NoiseMaker started")]
    assert [name.text for name in record_of(spoken, scrolled).names] == ["JobRunner", "NoiseMaker"]


def test_keys_of_arguments_are_no_names_and_values_are() -> None:
    calls = [called("book", {"reservation_id": "JG7FMM", "n": n}, "ok") for n in range(3)]
    assert [name.text for name in record_of(*calls).names] == ["JG7FMM"]


def test_a_file_that_is_listed_is_not_listed_again_as_a_name() -> None:
    reads = [called("Read", {"file_path": "/repo/src/engine.py"}) for _ in range(3)]
    spoken = [assistant("See src/engine.py, it calls JobRunner.") for _ in range(3)]
    assert [name.text for name in record_of(*reads, spoken).names] == ["JobRunner"]


def test_a_name_keeps_the_larger_count_when_summaries_are_merged() -> None:
    many = [assistant("See JobRunner.") for _ in range(9)]
    few = [assistant("See JobRunner.") for _ in range(3)]
    record = read(extract(request(few, previous=extract(request(many)).text)).text)
    assert [(name.text, name.count) for name in record.names] == [("JobRunner", 9)]


def test_a_picture_of_a_person_is_named_with_what_was_said() -> None:
    text = extract(request([user("what does the button do?", PICTURE), assistant("It saves.")], media=BYTES)).text
    assert f"- image/png, 640x480, {len(BYTES[DIGEST])} bytes, sent by the user with `what does the button do?`" in text


def test_a_picture_in_a_result_is_named_with_the_call_that_gave_it() -> None:
    call = Message(
        id="a",
        role=Role.ASSISTANT,
        parts=(ToolCall("c", "Read", '{"file_path":"/shots/login.png"}'),),
        origin=Origin.MODEL,
    )
    result = Message(id="b", role=Role.TOOL, parts=(ToolResult("c", (PICTURE,)),), origin=Origin.TOOL_FEEDBACK)
    assert read(extract(request([call, result], media=BYTES)).text).pictures == (
        f"image/png, 640x480, {len(BYTES[DIGEST])} bytes, from `Read /shots/login.png`",
    )


def test_a_recording_and_a_document_are_named_as_far_as_they_are_known() -> None:
    audio = Media(kind=MediaKind.AUDIO, mime="audio/wav", seconds=12.4)
    pdf = Media(kind=MediaKind.DOCUMENT, url="https://example.com/report.pdf", pages=3)
    message = Message(id="a", role=Role.USER, parts=(audio, pdf, Text("sum up")), origin=Origin.HUMAN)
    assert read(extract(request([message])).text).pictures == (
        "audio/wav, 12 s, sent by the user with `sum up`",
        "document, 3 pages, https://example.com/report.pdf, sent by the user with `sum up`",
    )

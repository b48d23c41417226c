"""What another provider's dialect said, and this one cannot say, gives way to a text that names it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.crossings import DIALECTS, LISTED
from unabridged import repair
from unabridged.log import Log
from unabridged.message import (
    Media,
    MediaKind,
    Message,
    Opaque,
    Part,
    Raw,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.repair.foreign import Foreign
from unabridged.testing import violations
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item
from unabridged.wire import wire

BLOB = b"a recording"
VIDEO = Media(kind=MediaKind.VIDEO, mime="video/mp4", url="https://example.org/a.mp4")


def foreign(role: Role, *parts: Part) -> Message:
    return Message(id="m", role=role, parts=parts, raw=Raw("another", "{}"))


def mended(dialect: str, *messages: Message) -> tuple[list[Item], int]:
    transcript = Transcript(Log())
    for number, message in enumerate(messages):
        transcript.append(Message(id=f"m{number}", role=message.role, parts=message.parts, raw=message.raw))
    cutter = Cutter(wire(dialect), transcript.counter, {})
    came = [cutter.whole(record) for record in transcript.records]
    rule = Foreign(dialect)
    items, count = rule.mend(came, cutter)
    assert rule.mend(items, cutter) == (items, 0)
    assert bool(count) == any(rule.suspects(item.message) for item in came)
    return items, count


@pytest.mark.parametrize("dialect", DIALECTS)
def test_thoughts_of_another_model_are_left_out_and_counted(dialect: str) -> None:
    items, count = mended(dialect, foreign(Role.ASSISTANT, Reasoning("hm", "Eg=="), Reasoning("hm"), Text("a")))
    assert ([item.message.parts for item in items], count) == ([(Text("a"),)], 2)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_answer_of_thoughts_alone_leaves_whole(dialect: str) -> None:
    assert mended(dialect, foreign(Role.ASSISTANT, Reasoning("hm", "Eg=="))) == ([], 1)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_providers_items_are_named_in_text(dialect: str) -> None:
    ((item,), count) = mended(dialect, foreign(Role.ASSISTANT, Opaque("web_search_call", "{}"), Text("a")))
    assert count == 1
    assert item.message.parts[0] == Text("[context: web_search_call, which only the provider that made it can read]")


@pytest.mark.parametrize("dialect", [name for name in DIALECTS if name != "gemini"])
def test_a_video_is_named_in_text_for_all_that_take_none_also_inside_a_result(dialect: str) -> None:
    result = foreign(Role.TOOL, ToolResult("c", (Text("see"), VIDEO)))
    ((item,), count) = mended(dialect, result)
    assert count == 1
    (part,) = item.message.parts
    assert isinstance(part, ToolResult)
    assert [type(piece) for piece in part.parts] == [Text, Text]


def test_a_video_goes_to_gemini_as_it_is() -> None:
    message = foreign(Role.USER, VIDEO)
    ((item,), count) = mended("gemini", message)
    assert (item.message.parts, count) == ((VIDEO,), 0)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_message_in_the_providers_own_form_is_not_looked_at(dialect: str) -> None:
    message = Message(
        id="m", role=Role.ASSISTANT, parts=(Reasoning("hm"), Opaque("x", "{}"), VIDEO), raw=Raw(dialect, "{}")
    )
    ((item,), count) = mended(dialect, message)
    assert (item.message.parts, count) == (message.parts, 0)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_left_out_costs_nothing(dialect: str) -> None:
    transcript = Transcript(Log())
    transcript.append(foreign(Role.ASSISTANT, Reasoning("thoughts " * 200, "Eg=="), Text("a")))
    cutter = Cutter(wire(dialect), transcript.counter, {})
    came = [cutter.whole(record) for record in transcript.records]
    (item,), _ = Foreign(dialect).mend(came, cutter)
    assert item.price.tokens < came[0].price.tokens - 150


def test_the_report_says_how_much_could_not_be_said() -> None:
    items, repairs = _all_rules(
        "anthropic", foreign(Role.USER, VIDEO), foreign(Role.ASSISTANT, Reasoning("hm"), Text("a"))
    )
    assert dict(repairs) == {"foreign": 2}
    assert len(items) == 2


def _all_rules(dialect: str, *messages: Message) -> tuple[list[Item], tuple[tuple[str, int], ...]]:
    transcript = Transcript(Log())
    for number, message in enumerate(messages):
        transcript.append(Message(id=f"m{number}", role=message.role, parts=message.parts, raw=message.raw))
    cutter = Cutter(wire(dialect), transcript.counter, {})
    return repair.mend([cutter.whole(record) for record in transcript.records], dialect, cutter)


some_media = st.builds(
    Media,
    kind=st.sampled_from(MediaKind),
    mime=st.sampled_from(
        ["image/png", "image/bmp", "audio/wav", "audio/flac", "video/mp4", "application/pdf", "text/x", ""]
    ),
    digest=st.sampled_from([None, "d"]),
    url=st.sampled_from([None, "https://example.org/a.bin", "file-1", "data:,a"]),
)


@given(st.sampled_from(DIALECTS), st.sampled_from([Role.USER, Role.ASSISTANT, Role.SYSTEM]), some_media, st.booleans())
def test_the_wire_never_has_to_say_that_it_cannot_say_something(
    dialect: str, role: Role, media: Media, is_foreign: bool
) -> None:
    raw = Raw("another", "{}") if is_foreign else None
    message = Message(id="m", role=role, parts=(Text("see"), media), raw=raw)
    (item,), count = Foreign(dialect).mend(*_alone(message, dialect))
    texts = wire(dialect).write_messages([item.message], {"d": BLOB})
    said = sum(text.count("which this provider does not take here") for text in texts)
    assert said == count == (item.message.parts != message.parts)
    if role is not Role.SYSTEM:  # where that may stand is for another rule to say
        asked = wire(dialect).write_messages([Message(id="u", role=Role.USER, parts=(Text("go"),))], {})
        body = f'{{"{LISTED.get(dialect, "messages")}":[{",".join([*asked, *texts, *asked])}]}}'
        assert violations(dialect, body.encode()) == []
    first = wire(dialect).write_messages([message], {"d": BLOB})
    assert json.loads(f"[{','.join(first)}]") == json.loads(f"[{','.join(texts)}]")


def _alone(message: Message, dialect: str) -> Any:
    transcript = Transcript(Log())
    transcript.append(message)
    cutter = Cutter(wire(dialect), transcript.counter, {})
    return [cutter.whole(record) for record in transcript.records], cutter


def test_calls_cross_as_they_are() -> None:
    call = ToolCall("c", "f", "some text", custom=True)
    ((item,), count) = mended("anthropic", foreign(Role.ASSISTANT, call))
    assert (item.message.parts, count) == ((call,), 0)

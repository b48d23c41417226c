"""Spans of conversations for these tests, put together in a few words, and what is asked about them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from hypothesis import strategies as st

from tests.properties.script import Line, Script
from tests.properties.stories import stories
from tests.properties.walking import COUNTER
from unabridged.message import Media, Message, Origin, Role, Text, ToolCall, ToolResult
from unabridged.summarizer import SummaryRequest, extract
from unabridged.summarizer.reading import read
from unabridged.summarizer.record import Record

_numbers = count()


def _message(role: Role, *parts: Text | ToolCall | ToolResult | Media, origin: Origin) -> Message:
    return Message(id=f"m{next(_numbers)}", role=role, parts=parts, origin=origin)


def user(text: str, *media: Media) -> Message:
    """Something that a person typed."""
    return _message(Role.USER, Text(text), *media, origin=Origin.HUMAN)


def note(text: str) -> Message:
    """Something that a client put in."""
    return _message(Role.USER, Text(text), origin=Origin.INJECTED)


def client_summary(text: str) -> Message:
    """A client's own compaction."""
    return _message(Role.USER, Text(text), origin=Origin.CLIENT_SUMMARY)


def assistant(text: str) -> Message:
    """Something that the model said."""
    return _message(Role.ASSISTANT, Text(text), origin=Origin.MODEL)


def called(
    name: str, arguments: Mapping[str, object] | str, result: str = "done", *, error: bool = False, id: str = "c"
) -> list[Message]:
    """A call and its result. With a text for arguments it is a call of a custom tool."""
    custom = isinstance(arguments, str)
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    call = ToolCall(id, name, written, custom=custom)
    return [
        _message(Role.ASSISTANT, call, origin=Origin.MODEL),
        _message(Role.TOOL, ToolResult(id, (Text(result),), is_error=error), origin=Origin.TOOL_FEEDBACK),
    ]


def ran(command: str, result: str = "", *, error: bool = False) -> list[Message]:
    """A shell command and its output."""
    return called("bash", {"command": command}, result, error=error)


def span(*pieces: Message | Sequence[Message]) -> tuple[Message, ...]:
    """Messages in a row."""
    return tuple(message for piece in pieces for message in ([piece] if isinstance(piece, Message) else piece))


def request(
    messages: Iterable[Message],
    *,
    limit: int = 4_000,
    previous: str | None = None,
    task: Message | None = None,
    media: Mapping[str, bytes] | None = None,
) -> SummaryRequest:
    """What a summarizer is asked for."""
    return SummaryRequest(
        messages=tuple(messages),
        previous=previous,
        task=task,
        limit=limit,
        counter=COUNTER,
        media=media or {},
        model="m",
    )


def summary_of(*pieces: Message | Sequence[Message], limit: int = 4_000, previous: str | None = None) -> str:
    """The summary without a model, as text."""
    return extract(request(span(*pieces), limit=limit, previous=previous)).text


def record_of(*pieces: Message | Sequence[Message], limit: int = 4_000, previous: str | None = None) -> Record:
    """The summary without a model, read back."""
    return read(summary_of(*pieces, limit=limit, previous=previous))


def tokens(text: str) -> int:
    """Tokens of a text."""
    return COUNTER.count(text)


@st.composite
def spans(draw: st.DrawFn) -> tuple[tuple[Message, ...], dict[str, bytes]]:
    """Messages of generated stories, half of them broken, with their media."""
    story = draw(stories(most_events=14))
    lines = [move for move in Script(story).moves() if isinstance(move, Line)]
    media: dict[str, bytes] = {}
    for line in lines:
        media |= line.media
    return tuple(line.message for line in lines), media

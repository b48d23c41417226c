"""Chunks: the pieces of a message that are found each for itself, with the way back to the exact original.

Most messages are one chunk. A long output is split where its own structure ends: at an empty line, else at the end of a
line, of a record or of a word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

import msgspec

from unabridged.archive.own import OWN
from unabridged.message import Message, Role, ToolCall, ToolResult
from unabridged.store.search import texts_of
from unabridged.transcript import Record

LONGEST = 1_200
"""Characters of a chunk: a screenful, so that a hit in a long output says where in it."""
SHORTEST = 500
"""A border before that is not taken, however good it is: a chunk of one line says little."""
CALLS = 100
"""How many messages before a result its call is looked for."""
_BORDERS = ("\n\n", "\n", "}, ", "},", ", ", " ")
"""Where a text may be split, the best first."""


class Place(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where a chunk comes from."""

    seq: int
    """Position of the message in its log."""
    message: str
    """Its id."""
    start: int
    end: int
    """Characters [start, end) of `text_of` the message."""
    role: Role
    time: str = ""
    """When it was said, as recorded."""
    tool: str = ""
    """Of which tool an output is."""


class Chunk(msgspec.Struct, frozen=True, gc=False):
    """A piece of a message. Speaker, date and tool are found as its text is."""

    place: Place
    head: str
    text: str


def text_of(message: Message) -> str:
    """Give all that can be found of a message: what was said, what was called with what, and what came of it."""
    if any(call.name in OWN for call in message.calls):
        kept = tuple(part for part in message.parts if not isinstance(part, ToolCall) or part.name not in OWN)
        message = msgspec.structs.replace(message, parts=kept)
    return "\n".join(texts_of(message))


def chunks_of(message: Message, seq: int, tools: Mapping[str, str] | None = None) -> Iterator[Chunk]:
    """Split a message. `tools` names the tool of each call whose result it may bring.

    Silence has no chunk, and neither has what the archive itself answered.
    """
    text = text_of(message)
    named = [tools[part.call_id] for part in message.results if tools and part.call_id in tools]
    tool = ", ".join(dict.fromkeys(named))
    if named and OWN.issuperset(named):
        return
    time = message.time or ""
    head = " ".join(filter(None, (message.name or message.role.value, tool, _date(time))))
    for start, end in _pieces(text):
        if not text[start:end].isspace():
            yield Chunk(Place(seq, message.id, start, end, _speaker(message), time, tool), head, text[start:end])


def tools_of(records: Sequence[Record], place: int) -> dict[str, str]:
    """Name the tool of each result: the newest call of that id before it, for ids repeat."""
    missing = {result.call_id for result in records[place].message.results}
    found: dict[str, str] = {}
    for before in range(place - 1, max(-1, place - CALLS), -1):
        if not missing:
            break
        for call in records[before].message.calls:
            if call.id in missing:
                found[call.id] = call.name
                missing.discard(call.id)
    return found


def _speaker(message: Message) -> Role:
    """Give who spoke: some providers send results as a user's message."""
    is_result = any(isinstance(part, ToolResult) for part in message.parts)
    return Role.TOOL if is_result and not message.is_human else message.role


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while len(text) - start > LONGEST:
        end = _border(text, start)
        yield start, end
        start = end
    if start < len(text):
        yield start, len(text)


def _border(text: str, start: int) -> int:
    for border in _BORDERS:
        at = text.rfind(border, start + SHORTEST, start + LONGEST)
        if at >= 0:
            return at + len(border)
    return start + LONGEST


def _date(time: str) -> str:
    """Write a date as people ask for it; empty for what is none."""
    try:
        when = datetime.fromisoformat(time)
    except ValueError:
        return ""
    return f"{when.day} {when:%B} {when.year}"

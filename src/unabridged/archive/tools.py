"""`search_history` and `read_history`: how a model looks up what has left its view.

What is searched is fixed by who answers, never by the model: it gives words, not scopes. Answers are bounded, and say
how to get more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from unabridged.archive.archive import Archive, Hit, Wanted
from unabridged.archive.chunks import text_of
from unabridged.archive.nearby import place_of
from unabridged.archive.own import READ, SEARCH
from unabridged.errors import BadInput
from unabridged.framing import Function, declared
from unabridged.message import Message, Role
from unabridged.store.words import asked_words, first_found
from unabridged.tokens import TokenCounter
from unabridged.transcript import Record, Transcript

LIMIT = 10
"""Hits, where the model asks for no other number."""
MOST_HITS = 50
MOST_TOKENS = 1_000
"""Of an answer, where nobody says otherwise."""
SHOWN = 600
"""Characters of a hit: enough to see whether it is the right one."""
NOTHING = "Nothing found. Try other words: those that would stand in the text itself."
LINES = 80
MOST_LINES = 400

_NUMBER = re.compile(r"[0-9]{1,18}")
_WHEN = "RFC 3339 or the beginning of one, such as 2026-05"
_SEARCH_SAYS = (
    "Search the earlier part of this conversation that is no longer shown to you: messages, tool outputs, contents of"
    " files, errors. Use it before you say that you do not know or remember something, and before you repeat work."
    " Words that stood in the text find it best: names, identifiers, paths, numbers. One question at a time; where an"
    " answer needs several facts, search several times with other words."
)
_READ_SAYS = (
    "Read a message of this conversation in full, by the number that search_history or a marker gives: from a character"
    " offset on, or only the lines that match a pattern."
)
_PARAMETERS: dict[str, dict[str, Any]] = {
    SEARCH: {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in the words that were used."},
            "limit": {"type": "integer", "description": f"How many hits, at most {MOST_HITS}; {LIMIT} by default."},
            "role": {"type": "string", "enum": ["user", "assistant", "tool"], "description": "Only what they said."},
            "before": {"type": "string", "description": f"Only what was said before: {_WHEN}."},
            "after": {"type": "string", "description": f"Only what was said from then on: {_WHEN}."},
        },
        "required": ["query"],
    },
    READ: {
        "type": "object",
        "properties": {
            "id": {"type": "string", "description": "The number of the message, such as 17."},
            "offset": {"type": "integer", "description": "Characters to skip; 0 by default."},
            "lines": {"type": "integer", "description": f"How many lines, at most {MOST_LINES}; {LINES} by default."},
            "pattern": {"type": "string", "description": "Only lines that hold this text, in upper or lower case."},
        },
        "required": ["id"],
    },
}


class _Search(msgspec.Struct):
    query: str
    limit: int | None = None
    role: Role | None = None
    before: str | None = None
    after: str | None = None


class _Read(msgspec.Struct):
    id: str | int
    offset: int | None = None
    lines: int | None = None
    pattern: str | None = None


def history_tools(dialect: str) -> list[dict[str, Any]]:
    """Give both tools as the `tools` of a dialect. Offer them from the first request on: the list must not change."""
    return declared(dialect, history_functions())


def history_functions() -> list[Function]:
    """Give both tools as functions that any dialect can declare."""
    said = {SEARCH: _SEARCH_SAYS, READ: _READ_SAYS}
    return [Function(name, said[name], _PARAMETERS[name]) for name in said]


def answer(
    archive: Archive, transcript: Transcript, name: str, arguments: str, *, most_tokens: int = MOST_TOKENS
) -> str:
    """Answer a call of one of the tools, in the words that go back to the model.

    `most_tokens` are those of the transcript's counter. What the model got wrong is said in the answer. Raises
    `BadInput` for a tool of another name.
    """
    if name not in (SEARCH, READ):
        raise BadInput(f"no tool of the history is called {name!r}: these are {SEARCH} and {READ}")
    try:
        if name == SEARCH:
            asked = msgspec.json.decode(arguments or "{}", type=_Search)
            return _searched(archive, transcript, asked, most_tokens)
        return _read(transcript, msgspec.json.decode(arguments or "{}", type=_Read), most_tokens)
    except (msgspec.DecodeError, UnicodeEncodeError) as error:
        needs = "query" if name == SEARCH else "id"
        return f"{name} did not understand its arguments ({error}): give JSON with `{needs}`."


def _searched(archive: Archive, transcript: Transcript, asked: _Search, most: int) -> str:
    limit = max(1, min(asked.limit or LIMIT, MOST_HITS))
    hidden = frozenset(transcript.hidden)
    wanted = Wanted(role=asked.role, before=asked.before or "", after=asked.after or "", hidden=hidden)
    scope = transcript.log.ancestry(transcript.branch)
    hits = archive.search(asked.query, scope=scope, limit=limit, wanted=wanted)
    lines = _Lines(transcript.counter, most)
    for nth, hit in enumerate(hits):
        record = _record_of(transcript, hit)
        if record is not None and not lines.add(_shown(record.message, hit, asked.query)):
            lines.end(f"{len(hits) - nth} more hits do not fit here: ask for something more specific.")
            break
    if not hits:
        return NOTHING
    return str(lines)


def shown_text(message: Message, hit: Hit, query: str) -> str:
    """Give the text of a hit; of a long one the part that says most of what was asked for."""
    return _around(text_of(message)[hit.place.start : hit.place.end].strip(), query)


def _shown(message: Message, hit: Hit, query: str) -> str:
    place = hit.place
    who = " ".join(filter(None, (message.name or place.role.value, place.tool)))
    when = f", {place.time[:10]}" if place.time else ""
    at = f", from character {place.start:,}" if place.start else ""
    return f"[{place.seq}] {who}{when}{at}: {shown_text(message, hit, query)}"


def _around(text: str, query: str) -> str:
    """Give the part of a text that says most of what was asked for."""
    if len(text) <= SHOWN:
        return text
    middle = first_found(text, asked_words(query)) or 0
    start = max(0, min(middle - SHOWN // 2, len(text) - SHOWN))
    end = start + SHOWN
    return f"{'…' if start else ''}{text[start:end].strip()}{'…' if end < len(text) else ''}"


def _read(transcript: Transcript, asked: _Read, most: int) -> str:
    number = str(asked.id).strip().lstrip("#[").rstrip("]")
    record = record_at(transcript, int(number)) if _NUMBER.fullmatch(number) else None
    if record is None or record.seq in transcript.hidden:
        return f"No message has the number {asked.id!r}: {SEARCH} gives numbers, such as 17."
    text = text_of(record.message)
    offset = max(0, asked.offset or 0)
    rows = list(_rows(text, offset, asked.pattern))
    lines, count = _Lines(transcript.counter, most), max(1, min(asked.lines or LINES, MOST_LINES))
    for nth, (start, row) in enumerate(rows):
        if nth >= count or not lines.add(row if asked.pattern is None else f"{start}: {row}"):
            lines.end(f"{len(text) - start:,} of {len(text):,} characters follow: read_history with offset={start}.")
            break
    if not rows:
        return "No line matches." if asked.pattern else f"Nothing follows: the message has {len(text):,} characters."
    return str(lines)


def _rows(text: str, offset: int, pattern: str | None) -> Iterator[tuple[int, str]]:
    """Give lines with the offset of each; one of megabytes in pieces."""
    start = offset
    wanted = pattern.casefold() if pattern else None
    for line in text[offset:].splitlines(keepends=True):
        for at in range(0, len(line), SHOWN):
            piece = line[at : at + SHOWN]
            if wanted is None or wanted in piece.casefold():
                yield start + at, piece.rstrip("\r\n")
        start += len(line)


def _record_of(transcript: Transcript, hit: Hit) -> Record | None:
    place = transcript.position.get(hit.place.message)
    record = transcript.records[place] if place is not None else None
    return record if record is not None and record.seq == hit.place.seq else record_at(transcript, hit.place.seq)


def record_at(transcript: Transcript, seq: int) -> Record | None:
    """Give the message of a branch that stands at this place of its log; None where none of the branch does."""
    place = place_of(transcript.records, seq)
    return transcript.records[place] if place is not None else None


class _Lines:
    """Text that grows while it fits."""

    def __init__(self, counter: TokenCounter, most: int) -> None:
        self._counter = counter
        self._left = most
        self._lines: list[str] = []

    def add(self, line: str) -> bool:
        """Take in a line if it fits; the first does, as much of it as there is room for."""
        tokens = self._counter.count(line) + 1
        if tokens > self._left:
            if self._lines:
                return False
            line = line[: max(1, len(line) * self._left // tokens)] + "…"
        self._left -= tokens
        self._lines.append(line)
        return True

    def end(self, line: str) -> None:
        """Say what is missing."""
        self._lines.append(f"({line})")

    def __str__(self) -> str:
        return "\n".join(self._lines)

"""What a search finds, as it comes: the answers of ripgrep as JSON, gathered up to a limit and counted behind it."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from typing import Any

import msgspec

COUNTED = 10_000
"""Matches that are counted beyond those that are shown."""
_IN_ONE_FILE = 200_000
"""The same inside a file, of which only its end tells whether it is text."""


class Row(msgspec.Struct, frozen=True):
    """A line of a file."""

    number: int
    text: str
    at: int = -1
    """Where in it the first match begins; -1 for a line that only stands near one."""


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Which of the matches are wanted."""

    skip: int
    limit: int
    context: int


class Data(msgspec.Struct, frozen=True):
    """A text, or bytes that are none."""

    text: str | None = None
    bytes: str = ""

    def __str__(self) -> str:
        if self.text is not None:
            return self.text
        return b64decode(self.bytes).decode("utf-8", "surrogateescape")


class _Said(msgspec.Struct, frozen=True):
    path: Data | None = None
    lines: Data = Data("")
    line_number: int | None = None
    submatches: tuple[dict[str, Any], ...] = ()
    binary_offset: int | None = None


class _Event(msgspec.Struct, frozen=True):
    type: str
    data: _Said


_DECODER = msgspec.json.Decoder(_Event)


class Gathered:
    """Takes events in, and holds the rows of one page."""

    def __init__(self, page: Page, counts: Callable[[str], bool]) -> None:
        self._page = page
        self._counts = counts
        self._is_wanted = False
        self.files: dict[str, list[Row]] = {}
        self.matches = 0
        """All that were found so far."""
        self.shown = 0
        self._path = ""
        self._rows: list[Row] = []
        self._count = 0

    def take(self, line: bytes) -> None:
        """Take in an event."""
        event = _DECODER.decode(line)
        if event.type == "begin":
            self._path = str(event.data.path).removeprefix("./")
            self._rows, self._count = [], 0
            self._is_wanted = self._counts(self._path)
        elif event.type in ("match", "context") and self._is_wanted:
            self._row(event)
        elif event.type == "end":
            self.end(is_text=event.data.binary_offset is None)

    def _row(self, event: _Event) -> None:
        is_match = event.type == "match"
        self._count += is_match
        if self.matches + self._count > self._page.skip + self._page.limit + self._page.context + 1:
            return
        text = str(event.data.lines)
        self._rows.append(Row(event.data.line_number or 0, text.rstrip("\r\n"), _at(event, text) if is_match else -1))

    def end(self, *, is_text: bool = True) -> None:
        """Count the file that was last taken in, if it is text."""
        rows, count = self._rows, self._count
        self._rows, self._count = [], 0
        if not is_text or not count:
            return
        first = max(0, self._page.skip - self.matches)
        last = self._page.skip + self._page.limit - self.matches
        self.matches += count
        chosen = [row.number for row in rows if row.at >= 0][first : max(first, last)]
        if chosen:
            self.shown += len(chosen)
            near = {number + off for number in chosen for off in range(-self._page.context, self._page.context + 1)}
            self.files[self._path] = [row for row in rows if row.number in near]

    @property
    def is_enough(self) -> bool:
        """Tell whether nothing more needs to be counted."""
        wanted = self._page.skip + self._page.limit
        return self.matches > wanted + COUNTED or self._count > wanted + _IN_ONE_FILE


def _at(event: _Event, text: str) -> int:
    start = event.data.submatches[0].get("start", 0) if event.data.submatches else 0
    return len(text.encode("utf-8", "surrogateescape")[:start].decode("utf-8", "replace"))

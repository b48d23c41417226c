"""Markdown as it comes in: a block is given once nothing can be added to it, and is never drawn twice."""

from __future__ import annotations

import re

_FENCE = re.compile(r"\s*(`{3,}|~{3,})(.*)")


class Blocks:
    """Takes an answer in pieces."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._open = ""
        """The line that is not complete yet."""
        self._fence = ""
        self.given = 0
        """Blocks that were given so far."""

    @property
    def rest(self) -> str:
        """What came after the last block that was given."""
        return "\n".join((*self._lines, self._open)).strip("\n")

    def feed(self, text: str) -> list[str]:
        """Take some more, and give the blocks that are whole now."""
        found: list[str] = []
        *complete, self._open = (self._open + text).split("\n")
        for line in complete:
            found += self._take(line)
        return found

    def finish(self) -> str:
        """Give what is left, and begin anew."""
        rest = self.rest
        self._lines, self._open, self._fence, self.given = [], "", "", 0
        return rest

    def _take(self, line: str) -> list[str]:
        found: list[str] = []
        if not self._fence and line.strip() and not line[0].isspace() and self._ends_blank():
            found.append("\n".join(self._lines).strip("\n"))
            self._lines = []
            self.given += 1
        self._lines.append(line)
        self._mark(line)
        return found

    def _ends_blank(self) -> bool:
        return bool(self._lines) and not self._lines[-1].strip() and any(line.strip() for line in self._lines)

    def _mark(self, line: str) -> None:
        """Note whether a fence of code is open."""
        match = _FENCE.match(line)
        if match is None:
            return
        fence, after = match[1], match[2].strip()
        if not self._fence:
            self._fence = fence
        elif fence.startswith(self._fence) and not after:
            self._fence = ""

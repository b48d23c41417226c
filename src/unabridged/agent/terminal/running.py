"""The calls that run, as far as they are seen: each in a line, with the newest lines of its output."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.text import Text

from unabridged.agent.terminal.cards import fitting, head
from unabridged.agent.terminal.ink import DIM, NOTE, Ink, plain

LINES = 8
"""Of output, that are shown while a call runs."""
KEPT = 20_000
"""Characters of it that are looked at."""


class Shown:
    """One call that waits or runs."""

    def __init__(self, tool: str, title: str) -> None:
        self.tool = tool
        self.title = title
        self.began: float | None = None
        self.output = ""

    def says(self, text: str) -> None:
        """Take in some more output."""
        self.output = (self.output + text)[-KEPT:]

    def lines(self, ink: Ink, width: int) -> Sequence[Text]:
        """Give what is seen of it."""
        if self.began is None:
            return [fitting(head(ink.waits, DIM, self.tool, self.title), width)]
        seconds = f"  {time.monotonic() - self.began:.0f} s"
        line = fitting(head(ink.runs, NOTE, self.tool, self.title), width - len(seconds))
        newest = self.output.rstrip("\n").split("\n")[-LINES:] if self.output.strip() else []
        return [
            Text.assemble(line, (seconds, DIM)),
            *(fitting(plain(f"  {each.rpartition(chr(13))[2]}", DIM), width) for each in newest),
        ]

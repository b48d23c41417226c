"""The picture of a walk: the whole transcript grows out of the window, what was sent stays below the budget."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from unabridged.replay import ink
from unabridged.replay.ink import Ink
from unabridged.replay.scale import LOWER_ROWS, Column, Scale, columns_of
from unabridged.replay.sizes import short
from unabridged.replay.walk import Step

GUTTER = 14
"""Columns left of the picture, for the scale."""
LEAST_WIDTH = 40
MOST_WIDTH = 160


class Picture:
    """A timeline over the model calls of one walk. `lines` gives it from top to bottom."""

    def __init__(self, steps: Sequence[Step], *, ink: Ink, colour: bool, width: int) -> None:
        self._steps = steps
        self._ink = ink
        self._colour = colour
        self._scale = Scale.of(steps)
        self._columns = columns_of(steps, self._scale, min(MOST_WIDTH, max(LEAST_WIDTH, width)) - GUTTER - 1)

    def lines(self) -> list[Text]:
        """Draw it."""
        rows = [self._row(row) for row in range(self._scale.top - 1, -1, -1)]
        return [*self._called(rows), self._marks(), self._axis(), Text(), self._legend()]

    def _row(self, row: int) -> Text:
        line = Text(no_wrap=True)
        line.append_text(self._label(row))
        for column in self._columns:
            line.append(*self._cell(column, row))
        return line

    def _label(self, row: int) -> Text:
        scale = self._scale
        if row == scale.budget_row:
            return Text(f"budget {short(scale.budget)} ".rjust(GUTTER), ink.BUDGET)
        if row == LOWER_ROWS:
            return Text(f"window {short(scale.window)} ".rjust(GUTTER), ink.WINDOW)
        if row == scale.top - 1:
            return Text(f"{short(scale.most)} ".rjust(GUTTER), ink.DIM)
        return Text("0 ".rjust(GUTTER) if row == 0 else " " * GUTTER, ink.DIM)

    def _cell(self, column: Column, row: int) -> tuple[str, str]:
        """Give one cell and its style. What was sent hides the lines, the lines hide the whole transcript."""
        sent, whole = self._level(column.sent, row), self._level(column.whole, row)
        behind = whole > sent and whole * 2 >= self._full
        ground = f" on {ink.WHOLE}" if behind and self._colour else ""
        if sent:
            return self._ink.levels[sent], (ink.OVER if column.over else ink.SENT) + ground
        if row == LOWER_ROWS:
            drawn = self._ink.died if column.died else self._ink.window
            return drawn, f"bold {ink.WINDOW}{ground}"
        if row == self._scale.budget_row:
            return self._ink.budget, ink.BUDGET + ground
        if self._colour:
            return self._ink.levels[whole], ink.WHOLE
        return (self._ink.shade if behind else " "), ""

    @property
    def _full(self) -> int:
        return len(self._ink.levels) - 1

    def _level(self, height: float, row: int) -> int:
        """Give how much of a cell is filled, in the steps that the terminal has."""
        level = round((height - row) * self._full)
        return max(1 if row == 0 and height > 0 else 0, min(self._full, level))

    def _called(self, rows: list[Text]) -> list[Text]:
        """Write at the top when the conversation would have died, with a line down to the place."""
        at = next((place for place, column in enumerate(self._columns) if column.died), None)
        if at is None:
            return rows
        step = next(step for step in self._steps if step.full > step.window)
        words = f"without fitting, dead here: call {step.number}"
        for number in range(1, self._scale.top - LOWER_ROWS - 1):
            rows[number] = _written(rows[number], GUTTER + at, self._ink.pointer)
        right = at + 2 + len(words) <= len(self._columns)
        text = f"{self._ink.corner} {words}" if right else words
        start = GUTTER + at if right else max(GUTTER, GUTTER + at + 1 - len(words))
        rows[0] = _written(rows[0], start, text)
        return rows

    def _marks(self) -> Text:
        line = Text(" " * GUTTER, no_wrap=True)
        for column in self._columns:
            if column.refused:
                line.append("!", f"bold {ink.OVER}")
            else:
                line.append(self._ink.fit if column.fits else " ", ink.FIT)
        return line

    def _axis(self) -> Text:
        first, last = str(self._steps[0].number), str(self._steps[-1].number)
        width = len(self._columns)
        title = f" {len(self._steps)} model calls "
        rest = width - len(first) - len(last) - 2
        middle = title.center(rest, self._ink.axis) if rest > len(title) else ""
        return Text(" " * GUTTER + (f"{first} {middle} {last}" if middle else f"{first}{title}"), ink.DIM, no_wrap=True)

    def _legend(self) -> Text:
        line = Text(" " * GUTTER)
        line.append(self._ink.levels[-1], ink.SENT).append(" sent   ", ink.DIM)
        line.append(*((" ", f"on {ink.WHOLE}") if self._colour else (self._ink.shade, "")))
        line.append(" whole transcript   ", ink.DIM)
        line.append(self._ink.fit, ink.FIT).append(" fit", ink.DIM)
        if any(step.refusal is not None for step in self._steps):
            line.append("   !", f"bold {ink.OVER}").append(" cannot fit", ink.DIM)
        if self._scale.coarser >= 1.5:
            line.append(f"   above the window {self._scale.coarser:.0f}x coarser", ink.DIM)
        return line


def _written(line: Text, at: int, words: str) -> Text:
    """Give a line with words written over it."""
    written = line[:at]
    written.append(words, f"bold {ink.WINDOW}")
    written.append_text(line[at + len(words) :])
    return written

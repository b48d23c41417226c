"""The scale of the picture: a broken one. What fits the window gets most of the height, what outgrew it the rest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from unabridged.replay.walk import Step

LOWER_ROWS = 10
"""From 0 to the window."""
UPPER_ROWS = 5
"""From the window to the end of the whole transcript."""
WIDEST_BAR = 6
"""Columns of one model call, where there are few."""


class Column(msgspec.Struct, frozen=True):
    """One column of the picture: one model call, a part of one, or several next to each other."""

    sent: float
    """Height in rows."""
    whole: float
    over: bool
    fits: bool
    refused: bool
    died: bool
    """The whole transcript outgrows the window here."""


class Scale(msgspec.Struct, frozen=True):
    """Heights in rows. Budget and window fall on borders between rows, so that their lines hide nothing."""

    budget: int
    window: int
    most: int
    budget_row: int
    top: int

    @classmethod
    def of(cls, steps: Sequence[Step]) -> Scale:
        """Choose the scale for a walk."""
        first = steps[0]
        most = max(max(step.full, step.tokens or 0) for step in steps)
        row = min(LOWER_ROWS - 1, max(3, round(LOWER_ROWS * first.budget / first.window)))
        upper = UPPER_ROWS if most > first.window else 1
        return cls(budget=first.budget, window=first.window, most=most, budget_row=row, top=LOWER_ROWS + upper)

    @property
    def outgrown(self) -> bool:
        """Something is larger than the window."""
        return self.most > self.window

    @property
    def coarser(self) -> float:
        """How many times more tokens a row stands for above the window than below it."""
        return (self.most - self.window) / (self.top - LOWER_ROWS) / (self.window / LOWER_ROWS)

    def height(self, tokens: int) -> float:
        """Give the height of a count."""
        if tokens <= self.budget:
            return self.budget_row * tokens / self.budget
        if tokens <= self.window:
            reserve = self.window - self.budget
            return self.budget_row + (LOWER_ROWS - self.budget_row) * (tokens - self.budget) / reserve
        return LOWER_ROWS + (self.top - LOWER_ROWS) * (tokens - self.window) / (self.most - self.window)


def columns_of(steps: Sequence[Step], scale: Scale, width: int) -> list[Column]:
    """Lay model calls out over columns."""
    died = next((place for place, step in enumerate(steps) if step.full > step.window), None)
    if len(steps) > width:
        borders = [column * len(steps) // width for column in range(width + 1)]
        return [_column(steps, range(start, end), scale, died) for start, end in pairwise(borders)]
    columns: list[Column] = []
    for place in range(len(steps)):
        column = _column(steps, [place], scale, died)
        beside = msgspec.structs.replace(column, fits=False, refused=False, died=False)
        columns += [column] + [beside] * (min(WIDEST_BAR, width // len(steps)) - 1)
    return columns


def _column(steps: Sequence[Step], places: Sequence[int], scale: Scale, died: int | None) -> Column:
    shown = [steps[place] for place in places]
    over = any(step.is_over for step in shown)
    lowered = next((step for step in shown if step.decides), None)
    # The highest of several calls would hide the teeth: where a fit lies among them, it is what is shown.
    sent = lowered.tokens or 0 if lowered is not None and not over else max(step.tokens or 0 for step in shown)
    return Column(
        sent=scale.height(sent),
        whole=scale.height(max(step.full for step in shown)),
        over=over,
        fits=lowered is not None,
        refused=any(step.refusal is not None for step in shown),
        died=died in places,
    )

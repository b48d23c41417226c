"""Summaries along a walk: where one stands in a request, what it stands for, and what making it took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from unabridged.fitted import Fitted
from unabridged.plan import Run, Verdict
from unabridged.replay.trail import Trail
from unabridged.replay.walk import Step
from unabridged.replay.words import number_of
from unabridged.view import SUMMARY, Item


class Place(msgspec.Struct, frozen=True):
    """Where a summary stands."""

    position: int
    """In the request, from 1."""
    of: int
    """Messages of the request."""
    item: Item

    def __str__(self) -> str:
        return f"message {self.position:,} of the {self.of:,} in the request, {self.item.price.tokens:,} tokens"


def summary_in(fitted: Fitted | None) -> Place | None:
    """Find the summary in a request."""
    if fitted is None:
        return None
    for position, item in enumerate(fitted.items, 1):
        if item.message.id.startswith(SUMMARY):
            return Place(position, len(fitted.items), item)
    return None


class Told:
    """Follows one summary by its id, and says what there is to say of it."""

    def __init__(self, id: str, trail: Trail) -> None:
        self._id = id
        self._trail = trail
        self._made: Step | None = None
        self._last: Step | None = None
        self._runs: tuple[Run, ...] = ()

    @property
    def is_found(self) -> bool:
        """Some request has held it."""
        return self._last is not None

    def take(self, step: Step) -> None:
        """Take in a step. The trail has seen it already."""
        place = summary_in(step.fitted)
        if place is not None and place.item.message.id == self._id:
            self._made = self._made or step
            self._last = step
            self._runs = tuple(run for run in self._trail.gone() if run.verdict is Verdict.COMPACT)

    def facts(self) -> Iterator[tuple[str, str]]:
        """Give what there is to say, with the text itself at the end."""
        assert self._made is not None and self._last is not None
        count = sum(run.count for run in self._runs)
        yield "summary", f"of {self._id.removeprefix(SUMMARY)}"
        yield "stands for", f"{messages(count)}: {numbers_of(self._runs)}" if count else "messages that were dropped"
        yield "made", f"before call {self._made.number:,}{_making(self._made)}"
        yield "in force", f"until call {self._last.number:,}"
        place = summary_in(self._last.fitted)
        if place is not None:
            yield "place", str(place)
            yield "text", place.item.message.text


def _making(step: Step) -> str:
    if not step.summary:
        return ", by rules"
    return f", by rules: {step.summarized:,} tokens became {step.summary:,}"


def messages(count: int) -> str:
    """Write a number of messages."""
    return "1 message" if count == 1 else f"{count:,} messages"


def numbers_of(runs: Sequence[Run], name: Callable[[str], str] = number_of) -> str:
    """Write which messages runs hold, neighbours together. `name` says what a message is called, by its id."""
    spans: list[tuple[str, str]] = []
    for run in runs:
        first, last = name(run.first), name(run.last)
        joins = bool(spans) and spans[-1][1].isdigit() and first.isdigit() and int(spans[-1][1]) + 1 == int(first)
        if joins:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    return ", ".join(first if first == last else f"{first}-{last}" for first, last in spans)

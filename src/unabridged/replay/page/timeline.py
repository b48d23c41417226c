"""The timeline of a walk as SVG: what each call sent, what a cache served of it, and the whole transcript behind.

Shapes are drawn in a box of its own that is stretched: one unit across for a call, from the top down in `HEIGHT`
units. Words and marks keep their form: they stand at percentages. Below the window the scale is one, above it another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from unabridged.replay.page.markup import Markup, element, joined
from unabridged.replay.sizes import short
from unabridged.replay.totals import death
from unabridged.replay.walk import Step
from unabridged.report import ResolvedBy

HEIGHT = 1_000
MARKS = 60
"""Units at the bottom, where the fits are marked."""
HEADROOM = 90
"""Units above the window where nothing outgrows it, so that its line has room for its name."""
ABOVE = 330
"""Units above the window where the transcript outgrows it."""
TICKS = 8
"""Numbers of calls below the picture, at most."""


class Scale(msgspec.Struct, frozen=True):
    """Where a count stands, in units from the top."""

    window: int
    most: int

    @classmethod
    def of(cls, steps: Sequence[Step]) -> Scale:
        """Choose the scale for a walk."""
        return cls(steps[0].window, max(max(step.full, step.tokens or 0) for step in steps))

    @property
    def top(self) -> int:
        """Where the window is."""
        return ABOVE if self.most > self.window else HEADROOM

    @property
    def ground(self) -> int:
        """Where nothing is."""
        return HEIGHT - MARKS

    @property
    def coarser(self) -> float:
        """How many times more tokens a unit stands for above the window than below it."""
        below = self.window / (self.ground - self.top)
        return (self.most - self.window) / (self.top - 30) / below

    def y(self, tokens: int) -> float:
        """Give the height of a count."""
        if tokens <= self.window:
            return self.ground - (self.ground - self.top) * tokens / self.window
        return self.top - (self.top - 30) * (tokens - self.window) / (self.most - self.window)


def timeline(steps: Sequence[Step], name: str) -> Markup:
    """Draw it."""
    scale = Scale.of(steps)
    inside = [
        element("title", f"Tokens of each model call of {name}", id="told"),
        element("desc", _told(steps), id="story"),
        _shapes(steps, scale),
        *_lines(steps, scale),
        *_marks(steps),
        *_axis(steps),
    ]
    named = {"role": "img", "aria_labelledby": "told", "aria_describedby": "story"}
    return element("svg", *inside, class_="timeline", width="100%", height="100%", **named)


def _told(steps: Sequence[Step]) -> str:
    """Say in words what the picture shows."""
    sent = [step.tokens for step in steps if step.tokens is not None]
    dead = death(steps)
    words = f"{len(steps):,} calls, {sum(step.decides for step in steps):,} fits. "
    words += f"Requests take at most {max(sent, default=0):,} tokens of a window of {steps[0].window:,}, "
    words += f"the whole transcript grows to {steps[-1].full:,}."
    return words + ("" if dead is None else f" Without fitting it would have been dead at call {dead.number:,}.")


def _shapes(steps: Sequence[Step], scale: Scale) -> Markup:
    heights: list[tuple[str, Callable[[Step], int]]] = [
        ("whole", lambda step: step.full),
        ("sent", lambda step: step.tokens or 0),
        ("cached", lambda step: step.cached),
    ]
    paths = [element("path", class_=name, d=_area(map(height, steps), scale)) for name, height in heights]
    over = [step.tokens or 0 if step.is_over else 0 for step in steps]
    if any(over):
        paths.append(element("path", class_="over", d=_area(over, scale)))
    box = f"0 0 {len(steps)} {HEIGHT}"
    above = element("rect", class_="above", x="0", y="0", width=str(len(steps)), height=str(scale.top))
    return element("svg", above, *paths, viewBox=box, preserveAspectRatio="none", width="100%", height="100%")


def _area(tokens: Iterable[int], scale: Scale) -> str:
    """Give the path around columns, one for each call."""
    heights = [round(scale.y(count), 1) for count in tokens]
    path = [f"M0 {scale.ground}"]
    for place, height in enumerate(heights):
        if place == 0 or height != heights[place - 1]:
            path.append(f"{f'H{place}' if place else ''}V{height:g}")
    return "".join([*path, f"H{len(heights)}V{scale.ground}Z"])


def _lines(steps: Sequence[Step], scale: Scale) -> list[Markup]:
    first, dead = steps[0], death(steps)
    lines = [
        *_line("budget", scale.y(first.budget), f"budget {short(first.budget)}"),
        *_line("window", scale.y(scale.window), f"window {short(scale.window)}"),
    ]
    if scale.most > scale.window:
        words = (
            f"{short(scale.most)} · above the window {scale.coarser:.0f}× coarser"
            if scale.coarser >= 1.5
            else short(scale.most)
        )
        lines.append(element("text", words, class_="most", x="8", y="14"))
    if dead is not None:
        at = _percent((dead.number - 0.5) / len(steps))
        lines.append(element("line", class_="dead", x1=at, x2=at, y1="21", y2=_percent(scale.top / HEIGHT)))
        early = dead.number < len(steps) * 0.6
        words = f"without fitting, dead here: call {dead.number:,}"
        anchor = "start" if early else "end"
        lines.append(element("text", words, class_="dead", x=at, y="30", dx="6" if early else "-6", text_anchor=anchor))
    return lines


def _line(name: str, height: float, words: str) -> list[Markup]:
    y = _percent(height / HEIGHT)
    return [
        element("line", class_=name, x1="0", x2="100%", y1=y, y2=y),
        element("text", words, class_=name, x="8", y=y, dy="-5"),
    ]


def _marks(steps: Sequence[Step]) -> list[Markup]:
    marks: list[Markup] = []
    for place, step in enumerate(steps):
        if step.decides or step.refusal is not None:
            at, y = _percent((place + 0.5) / len(steps)), _percent(1 - MARKS / HEIGHT / 2)
            marks.append(element("circle", class_=_kind(step), cx=at, cy=y, r="3.5"))
    return marks


def _kind(step: Step) -> str:
    if step.refusal is not None:
        return "refused"
    return "fold" if step.report is not None and step.report.resolved_by is ResolvedBy.SUMMARIZE else "fit"


def _axis(steps: Sequence[Step]) -> list[Markup]:
    """Give the numbers below; the first and the last always."""
    count = len(steps)
    every = max(1, -(-count // TICKS))
    places = list(range(0, max(1, count - every * 4 // 5), every))
    if places[-1] != count - 1:
        places.append(count - 1)
    return [
        element(
            "text",
            f"{steps[place].number:,}",
            class_="tick",
            x=_percent((place + 0.5) / count),
            y="100%",
            dy="14",
            text_anchor="start" if place == 0 else "end" if place == count - 1 else "middle",
        )
        for place in places
    ]


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"


def legend(steps: Sequence[Step]) -> Markup:
    """Say what the colours mean."""
    entries = [
        ("cached", "sent, the same as before"),
        ("sent", "sent, new to the cache"),
        ("whole", "whole transcript"),
    ]
    if any(step.is_over for step in steps):
        entries.append(("over", "over the budget"))
    kinds = {_kind(step) for step in steps if step.decides or step.refusal is not None}
    marks = [("fit", "fit by trimming"), ("fold", "fit by a summary"), ("refused", "cannot fit")]
    entries += [entry for entry in marks if entry[0] in kinds]
    keys = [element("li", element("i", class_=f"key {name}"), words) for name, words in entries]
    return element("ul", joined(keys), class_="legend")

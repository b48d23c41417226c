"""The picture: what it must show, whatever the session looks like."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from unabridged.errors import CannotFit
from unabridged.replay.ink import ASCII, BLOCKS, Ink
from unabridged.replay.picture import GUTTER, Picture
from unabridged.replay.walk import Step

WINDOW, BUDGET = 32_000, 25_600


def steps(count: int, *, growth: int = 1_500) -> list[Step]:
    """A session that grows evenly, and is fitted to 18,000 tokens whenever it reaches its budget."""
    made, sent = list[Step](), 1_000
    for number in range(1, count + 1):
        sent += growth
        fits = sent >= BUDGET
        sent = 18_000 if fits else sent
        made.append(step(number, tokens=sent, full=1_000 + growth * number, decides=fits))
    return made


def step(number: int, *, tokens: int | None, full: int, decides: bool = False) -> Step:
    refusal = CannotFit(floor=90_000, limit=30_000, window=WINDOW, parts=()) if tokens is None else None
    return Step(
        number=number,
        messages=2 * number,
        tokens=tokens,
        full=full,
        cached=0,
        budget=BUDGET,
        window=WINDOW,
        decides=decides,
        refusal=refusal,
    )


def draw(walked: Sequence[Step], *, ink: Ink = BLOCKS, colour: bool = False, width: int = 80) -> list[str]:
    return [line.plain for line in Picture(walked, ink=ink, colour=colour, width=width).lines()]


@pytest.mark.parametrize("count", [1, 2, 30, 66, 67, 1_000])
@pytest.mark.parametrize("width", [60, 80, 200])
def test_it_keeps_to_the_width_of_the_terminal(count: int, width: int) -> None:
    assert max(len(line) for line in draw(steps(count), width=width)) <= max(width, 80)


def test_what_was_sent_stays_below_the_line_of_the_budget() -> None:
    lines = draw(steps(200))
    budget = next(place for place, line in enumerate(lines) if "budget 25.6k" in line)

    assert "█" not in "".join(lines[: budget + 1])
    assert "█" in lines[budget + 3]


def test_the_transcript_grows_past_the_line_of_the_window() -> None:
    lines = draw(steps(200))
    window = next(place for place, line in enumerate(lines) if "window 32k" in line)

    grown = [line[GUTTER:].count("░") for line in lines[:window]]
    assert grown == sorted(grown)
    assert grown[0] > 0


def test_the_call_that_would_have_been_the_last_is_marked_and_named() -> None:
    lines = draw(steps(200))

    crossed = next(line for line in lines if "window 32k" in line)
    named = next(line for line in lines if "dead here" in line)
    assert crossed.count("✕") == 1
    assert crossed.index("✕") == named.index("╭")
    assert named.rstrip("░ ").endswith("call 21")


def test_the_name_of_a_late_death_stands_left_of_it() -> None:
    lines = draw(steps(22))

    named = next(line for line in lines if "dead here" in line)
    crossed = next(line for line in lines if "window 32k" in line)
    assert named.index("without") < crossed.index("✕")


def test_a_session_within_its_window_dies_nowhere() -> None:
    lines = draw(steps(10))

    assert not any("dead" in line or "✕" in line for line in lines)
    assert any("window 32k" in line for line in lines)


def test_each_fit_is_marked_once() -> None:
    walked = steps(60)

    marks = next(line for line in draw(walked) if set(line.strip()) == {"▲", " "})
    assert marks.count("▲") == sum(each.decides for each in walked)


def test_a_wide_bar_has_one_mark_at_its_start() -> None:
    walked = [step(1, tokens=5_000, full=5_000), step(2, tokens=9_000, full=40_000, decides=True)]

    lines = draw(walked)
    assert "".join(lines).count("▲") == 1 + 1  # and one in the legend
    assert sum(line.count("✕") for line in lines) == 1


def test_a_call_that_cannot_fit_is_marked() -> None:
    lines = draw([step(1, tokens=5_000, full=5_000), step(2, tokens=None, full=95_000)])

    assert any("!" in line and "cannot fit" not in line for line in lines)
    assert "cannot fit" in lines[-1]


def test_without_unicode_it_is_drawn_in_ascii() -> None:
    lines = draw(steps(200), ink=ASCII)

    assert "".join(lines).isascii()
    assert any("#" in line for line in lines)


def test_in_colour_what_was_sent_is_told_from_the_transcript_by_colour() -> None:
    lines = Picture(steps(200), ink=BLOCKS, colour=True, width=80).lines()

    styles = {str(span.style) for line in lines for span in line.spans}
    assert {"bright_cyan", "bright_cyan on grey37", "grey37", "yellow on grey37", "bold red"} <= styles
    assert not any("░" in line.plain for line in lines)


def test_a_request_above_the_budget_is_red() -> None:
    lines = Picture([step(1, tokens=30_000, full=30_000)], ink=BLOCKS, colour=True, width=80).lines()

    assert "bright_red" in {str(span.style) for line in lines for span in line.spans}

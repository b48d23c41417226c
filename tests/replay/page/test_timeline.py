"""The timeline of the page."""

from __future__ import annotations

import re

import pytest

from tests.replay.test_picture import BUDGET, WINDOW, step, steps
from unabridged.replay.page.timeline import HEIGHT, Scale, legend, timeline


@pytest.mark.parametrize("count", [1, 2, 9, 60, 1_000])
def test_its_numbers_begin_with_the_first_call_and_end_with_the_last(count: int) -> None:
    drawn = timeline(steps(count), "session")

    ticks = [int(each.replace(",", "")) for each in re.findall(r'class="tick"[^>]*>([\d,]+)<', drawn)]
    assert (ticks[0], ticks[-1]) == (1, count)
    assert ticks == sorted(set(ticks))
    assert len(ticks) <= 10


def test_what_fits_the_window_gets_most_of_the_height_and_what_outgrew_it_the_rest() -> None:
    scale = Scale.of(steps(200))

    assert 0 < scale.y(scale.most) < scale.y(WINDOW) < scale.y(BUDGET) < scale.y(0) < HEIGHT
    assert scale.y(WINDOW) < HEIGHT / 2
    assert scale.coarser > 1


def test_a_session_within_its_window_has_no_second_scale_and_does_not_die() -> None:
    drawn = timeline(steps(10), "session")

    assert "coarser" not in drawn
    assert "dead" not in drawn
    assert "window 32k" in drawn


def test_a_thousand_calls_are_a_small_picture() -> None:
    assert len(timeline(steps(1_000), "session")) < 40_000


def test_fits_and_calls_that_cannot_fit_are_marked_and_in_the_legend() -> None:
    drawn = [step(1, tokens=5_000, full=5_000, decides=True), step(2, tokens=None, full=95_000)]

    assert timeline(drawn, "session").count("<circle") == 2
    assert "cannot fit" in legend(drawn)
    assert "cannot fit" not in legend(steps(60))


def test_it_says_in_words_what_it_shows() -> None:
    fits = sum(each.decides for each in steps(60))

    assert f"60 calls, {fits} fits." in timeline(steps(60), "session")
    assert "dead at call 21" in timeline(steps(60), "session")

from __future__ import annotations

import msgspec
import pytest

from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy
from unabridged.summarizer import BackOff, back_off

SUMMARIZED = Report(
    phase=Phase.DONE,
    strategy="summarize",
    resolved_by=ResolvedBy.SUMMARIZE,
    reason=FitReason.THRESHOLD_EXCEEDED,
    tokens_before=100,
    tokens_after=50,
    tokens_full=100,
    budget=90,
    window=100,
    target=60,
    summarizer_ms=1_200,
)


def failed(fallback: Fallback = Fallback.SUMMARIZER_TIMED_OUT) -> Report:
    return msgspec.structs.replace(SUMMARIZED, resolved_by=ResolvedBy.TRIM, fallback=fallback)


PASSED = msgspec.structs.replace(failed(), summarizer_ms=None)
"""A fit that did without asking."""


def test_nothing_is_passed_over_before_a_failure() -> None:
    assert back_off([]) == back_off([SUMMARIZED, SUMMARIZED]) == BackOff()


@pytest.mark.parametrize(
    "fallback",
    [Fallback.SUMMARIZER_TIMED_OUT, Fallback.SUMMARIZER_RETURNED_NOTHING, Fallback.SUMMARIZER_FAILED],
)
def test_after_a_failure_one_fit_does_without_and_the_next_asks_again(fallback: Fallback) -> None:
    assert back_off([failed(fallback)]).is_on
    assert not back_off([failed(fallback), PASSED]).is_on


def test_the_more_failures_in_a_row_the_more_fits_pass_and_never_more_than_four() -> None:
    reports: list[Report] = []
    pauses: list[int] = []
    for _ in range(5):
        reports.append(failed())
        pauses.append(back_off(reports).left)
        reports += [PASSED] * pauses[-1]
        assert not back_off(reports).is_on
    assert pauses == [1, 2, 4, 4, 4]


def test_a_success_ends_it_and_forgets_the_failures() -> None:
    assert back_off([failed(), PASSED, failed(), PASSED, PASSED, SUMMARIZED]) == BackOff()
    assert back_off([failed(), PASSED, SUMMARIZED, failed()]).left == 1


def test_having_nothing_to_summarize_is_no_failure() -> None:
    assert not back_off([failed(Fallback.NOTHING_TO_SUMMARIZE), failed(Fallback.NOTHING_EVICTABLE)]).is_on


def test_steps_other_strategies_and_calls_that_only_begin_count_for_nothing() -> None:
    step = msgspec.structs.replace(failed(), phase=Phase.STEP)
    begins = msgspec.structs.replace(failed(), phase=Phase.COMPACTING)
    trimmed = msgspec.structs.replace(PASSED, strategy="trim", fallback=None)
    assert back_off([step, begins]) == BackOff()
    assert back_off([failed(), step, begins, trimmed]).left == 1

"""`none`: nothing is changed, and the report says so."""

from __future__ import annotations

import pytest

from tests.scene import Scene
from unabridged.policy import Policy
from unabridged.report import FitReason, ResolvedBy

LONG = "U:task A[c1] T(c1):9k A:done U:next"


@pytest.mark.parametrize("name", ["none", "off"])
def test_over_the_budget_nothing_is_changed(name: str) -> None:
    scene = Scene(LONG, policy=Policy(strategy=name))
    assert scene.view() == LONG


def test_the_report_says_that_the_request_is_over_its_budget() -> None:
    report = Scene(LONG, policy=Policy(strategy="none")).report()
    assert (report.reason, report.resolved_by, report.over_budget) == (FitReason.STRATEGY_NONE, ResolvedBy.NONE, True)
    assert report.tokens_before == report.tokens_after == report.tokens_full > report.budget
    assert (report.dropped, report.truncated) == (0, 0)


def test_below_the_budget_there_is_no_report() -> None:
    assert Scene("U:task A:done U:next", policy=Policy(strategy="none")).fit().report is None


def test_nothing_is_kept_of_it() -> None:
    fitted = Scene(LONG, policy=Policy(strategy="none")).fit()
    assert fitted.checkpoint is None


def test_what_the_provider_would_refuse_is_mended_all_the_same() -> None:
    scene = Scene("U:task A[c1] U:next A:done:9k U:more", policy=Policy(strategy="none"))
    assert scene.view() == "U:task A[c1] T(c1)! U:next A:done:9k U:more"


def test_even_a_request_larger_than_the_window_is_the_callers() -> None:
    scene = Scene("U:task:20k", policy=Policy(strategy="none"))
    assert scene.view() == "U:task:20k"

"""Promise 8: one fit does not call for the next; steady growth is answered by few fits."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.events import Answer, Asked, Call, Result, Said, Story, Words
from tests.properties.stories import DIALECTS, stories
from tests.properties.walking import Step, walk
from tests.properties.watching import ALONE, Watch, watch
from unabridged.policy import Policy
from unabridged.report import FitReason, ResolvedBy

BLOCKED = {FitReason.FLOOR_OVER_BUDGET, FitReason.STRATEGY_NONE}
SLACK = 80
"""Tokens: markers and rounding."""
MARKERS = 200
"""Tokens: where much stands apart, the markers between belong to the floor, and no more than one is set aside."""
NEAR = 0.85
"""A floor above this share of the budget leaves no room to land in."""


class OneFitIsEnough(Watch):
    """Promise 8."""

    def see(self, step: Step) -> None:
        """Look where a fit landed, and fit again."""
        if step.fitted is None or step.overflow is not None:
            return
        if step.report is not None and step.report.resolved_by is not ResolvedBy.NONE:
            it_lands_below(step)
        a_second_fit_finds_nothing(step)


@ALONE
@given(stories())
def test_a_fit_lands_clearly_below_the_budget_and_fitting_again_at_once_changes_nothing(story: Story) -> None:
    watch(story, OneFitIsEnough())


@given(
    st.sampled_from(DIALECTS),
    st.sampled_from((4_096, 8_000, 16_000)),
    st.sampled_from((0.5, 0.7, 0.85)),
    st.integers(5, 60),
    st.sampled_from((0, 3, 10)),
    st.sampled_from(("words", "code", "json", "cjk")),
)
def test_steady_growth_calls_for_few_fits(
    dialect: str, window: int, target: float, size: int, speaks_every: int, kind: str
) -> None:
    story = steady(dialect, window, Policy(target=target), Words(kind, size, 1), speaks_every)
    fits, before = 0, 0
    grown = 0
    for step in walk(story):
        grown += max(0, step.full - before) if before else 0
        before = step.full
        fits += step.fitted is not None and step.fitted.checkpoint is not None
        floor = step.report.floor if step.report is not None else 0
    gap = (1 - target) * (story.budget - min(floor, story.budget // 2))
    assert fits <= 2 + grown / (0.6 * gap)


def a_second_fit_finds_nothing(step: Step) -> None:
    assert step.fitted is not None
    again = step.again(step.engine)
    assert again.texts == step.fitted.texts
    assert again.checkpoint is None
    assert again.undo is None
    blocked = step.report is not None and (step.report.reason in BLOCKED or step.report.over_budget)
    if not blocked:
        assert again.report is None
    else:
        assert again.report is None or again.report.reason in BLOCKED


def it_lands_below(step: Step) -> None:
    report = step.report
    assert report is not None
    if report.floor >= NEAR * report.budget:
        assert report.tokens_after <= max(report.floor + MARKERS, report.budget)
        return
    target = report.floor + int(step.policy.target * (report.budget - report.floor))
    goal = (target + report.budget) / 2 if report.reason is FitReason.OUTPUT_OVER_ROOM else target * 1.1
    assert report.tokens_after <= min(goal + SLACK, report.budget)


def steady(dialect: str, window: int, policy: Policy, output: Words, speaks_every: int) -> Story:
    """An agent whose every step is as large as the one before, for several times the budget."""
    events: list[Said | Asked | Answer] = [Said((Words("words", 10, 0),))]
    for step in range(min(120, 3_500 // (output.size + 8))):
        if speaks_every and step % speaks_every == speaks_every - 1:
            events += [Answer((Words("words", 4, step),)), Said((Words("words", 4, step),))]
        events.append(Asked((Call((Words("words", 0, step),), Result((output,))),)))
    return Story(dialect, window, policy, tuple(events))

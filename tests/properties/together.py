"""Every promise that is kept at every call of the model, on the same story: `make verify-promises` tests them at once.

Living a story through takes longer than looking at it, so each of them gets the examples of all.
"""

from __future__ import annotations

from hypothesis import given

from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.tally import TALLY
from tests.properties.test_01_below_the_budget import BelowTheBudget
from tests.properties.test_02_over_the_budget import OverTheBudget
from tests.properties.test_03_the_task_survives import TheTaskSurvives
from tests.properties.test_04_the_view_is_valid import TheViewIsValid
from tests.properties.test_05_nothing_is_deleted import NothingIsDeleted
from tests.properties.test_06_nothing_vanishes import NothingVanishes
from tests.properties.test_07_same_state_same_view import SameStateSameView, StablePrefix
from tests.properties.test_08_one_fit_is_enough import OneFitIsEnough
from tests.properties.test_12_summaries import PlannedAnew, Summaries
from tests.properties.watching import watch

WATCHES = (
    BelowTheBudget,
    OverTheBudget,
    TheTaskSurvives,
    TheViewIsValid,
    NothingIsDeleted,
    NothingVanishes,
    SameStateSameView,
    StablePrefix,
    OneFitIsEnough,
    Summaries,
    PlannedAnew,
)


@given(stories())
def test_every_promise_is_kept_at_every_step(story: Story) -> None:
    for each in WATCHES:
        TALLY.counts["examples", each.__name__] += 1
    watch(story, *(each() for each in WATCHES))

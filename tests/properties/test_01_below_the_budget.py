"""Promise 1: below the budget nothing changes; what is invalid on arrival is mended only where it is broken."""

from __future__ import annotations

import json

from hypothesis import given

from tests.properties.arrival import arrived, complaints, damaged, raw_texts
from tests.properties.events import Story
from tests.properties.outside import plain
from tests.properties.script import Line
from tests.properties.stories import stories
from tests.properties.walking import Step, shown_ids, texts_of
from tests.properties.watching import ALONE, Watch, watch
from unabridged.engine import Engine
from unabridged.message import Role
from unabridged.report import FitReason

QUIET = {FitReason.STRATEGY_NONE, FitReason.CHECKPOINT_LIFTED, FitReason.REPLANNED}


class BelowTheBudget(Watch):
    """Promise 1."""

    def __init__(self) -> None:
        self._told = False
        self._engine: Engine | None = None

    def see(self, step: Step) -> None:
        """Look at a request that nothing was taken out of."""
        self._told = self._told and step.engine is self._engine
        self._engine = step.engine
        if step.fitted is None:
            return
        self._told = self._told or bool(step.report and step.report.repaired)
        if not is_left_alone(step):
            return
        if complaints(step) or any(is_made_anew(step, line) for line in step.lines):
            assert self._told, "something was mended, or had to be, and no report said so"
            only_what_is_broken_differs(step)
        else:
            the_same_bytes(step)


@ALONE
@given(stories())
def test_below_the_budget_the_bytes_that_came_in_go_out_and_only_what_is_broken_is_mended(story: Story) -> None:
    watch(story, BelowTheBudget())


def is_made_anew(step: Step, line: Line) -> bool:
    """Tell whether a message made by hand has no form here, or went out in another one than it has."""
    system = line.raw is None and line.message.role is Role.SYSTEM and step.dialect == "anthropic"
    return system or (line.raw is None and line.broken and is_changed(step, line)) or not texts_of(step, line)


def is_changed(step: Step, line: Line) -> bool:
    """Tell whether a message is shown otherwise than it was made, or not at all."""
    assert step.fitted is not None
    return shown_ids(step.fitted).get(line.message.id) != plain(line.message)


def is_left_alone(step: Step) -> bool:
    """Tell whether nothing may be taken out: no checkpoint, and below the budget or under a policy that says so."""
    assert step.fitted is not None
    if step.fitted.checkpoint is not None or (step.chain_after):
        return False
    below = not step.learned and step.fitted.tokens < step.room.budget
    return below or step.policy.strategy == "none"


def the_same_bytes(step: Step) -> None:
    """A valid request goes out as it came; an output limit beyond half the window is lowered in it, nothing else.

    Only a thinking budget that the lower limit does not hold is lowered with it.
    """
    assert step.fitted is not None
    assert step.fitted.texts == raw_texts(step)
    assert step.report is None or (step.report.reason in QUIET and step.report.repaired == 0)
    came, goes = arrived(step).encode("utf-8", "backslashreplace"), step.fitted.body()
    asked = step.story.max_output
    left_alone = step.is_over and step.policy.strategy == "none"
    if asked is None or asked <= step.taught.reserve or left_alone:
        assert goes == came
        return
    before, after = json.loads(came), json.loads(goes)
    limit = next(name for name in ("max_tokens", "max_completion_tokens") if name in before)
    assert after[limit] == step.taught.reserve
    if before.get("thinking", {}).get("budget_tokens", 0) >= after[limit]:
        assert after["thinking"].get("budget_tokens", 0) < after[limit]
        before["thinking"] = after["thinking"]
    assert {**before, limit: 0} == {**after, limit: 0}


def only_what_is_broken_differs(step: Step) -> None:
    """All other messages stand in the view byte for byte, in their order."""
    assert step.fitted is not None
    if any(line.raw is None for line in step.lines):
        return
    hurt = damaged(step.lines, step.dialect)
    waiting = iter(step.fitted.texts)
    for at, line in enumerate(step.lines):
        if at not in hurt:
            assert line.raw is not None
            assert line.raw in waiting, f"message {at} was not broken and is not in the view as it came"

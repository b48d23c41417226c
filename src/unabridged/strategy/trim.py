"""`trim`: takes out of the view what can be missed most easily until the request fits. No model is asked.

The ladder, order `tool_output_first` (seed 003: a command's output can be produced again, the reasoning around it
cannot). What is *old* lies before the newest messages that take `recent_share` of the target; the rungs climb over
the old part first, so that a fit never leaves the model without the outputs that it works with:

    0  any one output above a quarter of the budget is cut to that cap
    1  old outputs and long arguments become stubs, oldest first
    2  old media become markers
    3  old groups are dropped, oldest first, landing on a round border where one is near
       then 1 - 3 again for what is recent
    4  outputs of the unread step share the room left, max-min fair
    5  older human messages are cut inside, the task last of all: only if the floor itself is over the budget
"""

from __future__ import annotations

import msgspec

from unabridged.plan import Reason
from unabridged.strategy import layout, rungs
from unabridged.strategy.draft import Draft
from unabridged.strategy.floor import floor_of, refuse_hopeless
from unabridged.strategy.orders import CLIMBS
from unabridged.strategy.situation import Decision, Situation

NAME = "trim"


def decide(situation: Situation, *, overshoot: int = 0) -> Decision:
    """Decide what goes. `overshoot` lowers the goal by what an earlier try missed it by (tokens)."""
    ladder = Ladder.of(situation, overshoot=overshoot)
    ladder.climb()
    return ladder.decided()


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """The rungs, set up against one view."""

    situation: Situation
    draft: Draft
    floor: int
    """Tokens that nothing can take away."""
    humans: bool
    """People's older words may be cut: the floor itself is over the budget."""
    forgets: bool = False
    """The summary in force leaves the view: with it the floor would be over the budget."""

    @classmethod
    def of(cls, situation: Situation, *, overshoot: int = 0) -> Ladder:
        """Lay the view out and set the goal. Raises `CannotFit` when no goal can be reached."""
        draft = layout.draft_of(situation)
        floor = floor_of(draft, situation)
        budget, meter = situation.budget, situation.meter
        whole = meter.weight_for(budget.total - overshoot)
        forgets = draft.summary > 0 and floor.least > whole
        if forgets:
            draft.exchange_summary(0.0)
            floor = floor_of(draft, situation)
        least = floor.whole if floor.whole <= whole else floor.least
        if least <= meter.weight_for(budget.total):
            goal = budget.target(meter.tokens(least))
            most = budget.total - 1
            if situation.policy.min_reclaim_tokens:
                most = min(most, situation.tokens - situation.policy.min_reclaim_tokens)
                goal = min(goal, most)
            goal, most = goal - overshoot, most - overshoot - situation.aside
            if meter.tokens(least) + overshoot + situation.aside <= budget.total:
                goal -= situation.aside  # notes take no room from what people wrote
        else:
            refuse_hopeless(situation, floor)
            goal = most = 0
        draft.goal, draft.most = max(0.0, meter.weight_for(goal)), meter.weight_for(most)
        shown = floor.least if goal == 0 else floor.whole
        return cls(
            situation=situation, draft=draft, floor=meter.tokens(shown), humans=floor.whole > whole, forgets=forgets
        )

    def cap(self) -> None:
        """Cut any one output above its share of the budget."""
        situation = self.situation
        most = situation.meter.weight_of(situation.budget.total * situation.policy.output_cap_share)
        rungs.cap(self.draft, self.draft.groups, most)

    def climb(self) -> None:
        """Climb, rung by rung, until the goal is met."""
        draft = self.draft
        rungs.drop_hopeless(draft, draft.groups)
        self.cap()
        border = self._border()
        CLIMBS[self.situation.policy.trim_order](draft, draft.groups[:border], draft.groups[border:])
        unread = [group for group in draft.groups if any(piece.unread for piece in group.pieces)]
        # What was read, and stands beside words that have to stay, such as results in one message with a question.
        beside = [group for group in draft.groups if group.shielded and group not in unread]
        rungs.share(draft, beside, Reason.RECENT_OUTPUT, Reason.RECENT_MEDIA)
        rungs.share(draft, unread, Reason.FAIR_SHARE, Reason.FAIR_SHARE)
        if self.humans:
            pieces = [piece for group in draft.groups for piece in group.pieces]
            rungs.cut_humans(draft, [p for p in pieces if p.shield is Reason.UNANSWERED], Reason.HUMAN_CUT)
            rungs.cut_humans(draft, [p for p in pieces if p.shield is Reason.TASK], Reason.TASK_CUT)

    def decided(self) -> Decision:
        """Give what was decided, as a plan."""
        return layout.decided(self.draft, self.situation, self.floor, forgets=self.forgets)

    def _border(self) -> int:
        """Give the position at which what is recent begins."""
        groups = self.draft.groups
        room = self.draft.goal * self.situation.policy.recent_share
        for place in range(len(groups) - 1, -1, -1):
            room -= 0.0 if groups[place].shielded else groups[place].weight
            if room < 0:
                return place + 1
        return 0

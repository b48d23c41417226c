"""`step`: cuts outputs as they arrive, where that alone is enough.

An output that takes more than a quarter of the budget is cut to that cap before the model reads it. Nothing
that was sent before changes, so the provider's prompt cache stays warm. Where it is not enough, the ladder of
`trim` decides: the same bytes give the same view on whatever path they come.
"""

from __future__ import annotations

from unabridged.plan import Plan, Reason, Run, Verdict
from unabridged.strategy import rungs
from unabridged.strategy.draft import call_ids
from unabridged.strategy.floor import floor_of
from unabridged.strategy.layout import draft_of
from unabridged.strategy.situation import Decision, Situation, shields

NAME = "step"


def decide(situation: Situation) -> Decision | None:
    """Decide the cuts of what has just arrived; None where that leaves the request too large."""
    if _is_full_without(situation):
        return None
    draft = draft_of(situation)
    meter, budget = situation.meter, situation.budget
    floor = meter.tokens(floor_of(draft, situation).whole)
    draft.goal = meter.weight_for((budget.target(floor) + budget.total) // 2)
    arrived = [group for group in draft.groups if any(piece.unread for piece in group.pieces)]
    rungs.cap(draft, arrived, meter.weight_of(budget.total * situation.policy.output_cap_share))
    cut = [piece for group in arrived for piece in group.pieces if piece.changed is not None]
    if not cut or not draft.met:
        return None
    runs = [
        Run(piece.record.message.id, piece.record.message.id, 1, Verdict.TRUNCATE, piece.changed)
        for piece in cut
        if piece.changed is not None
    ]
    cuts = tuple(made for piece in cut for made in piece.cuts.values())
    return Decision(
        plan=Plan(runs=tuple(runs), cuts=cuts),
        step=True,
        truncated=len(cut),
        call_ids=call_ids(cut),
        floor=floor,
    )


def _is_full_without(situation: Situation) -> bool:
    """Tell whether what was there before takes the whole budget: then no cut of what has arrived is enough."""
    records, meter = situation.transcript.records, situation.meter
    guarded = shields(situation.transcript).items()
    arrived = {records[at].message.id for at, why in guarded if why is Reason.UNREAD_STEP}
    before = sum(meter.weight(item.price) for item in situation.items if item.source not in arrived)
    return meter.tokens(meter.weight(situation.frame) + before) >= situation.budget.total

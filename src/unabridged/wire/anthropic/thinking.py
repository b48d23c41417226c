"""Thinking within an output limit: the budget for thoughts is part of what a model may write.

A request whose limit is lowered to its thinking budget or below it is refused: "`max_tokens` must be greater than
`thinking.budget_tokens`"; and so is a budget below 1,024 ("Extended thinking"). Where a limit leaves no room for that,
thinking is turned off. Then everything else that goes with thinking stays legal (thoughts in the present turn "will be
stripped", says "Extended thinking"; in 2025 they were refused), but for the wish to have thoughts cleared:
"`clear_thinking_20251015` strategy requires `thinking` to be enabled". The other ways of thinking, `adaptive` and the
like, have no budget.
"""

from __future__ import annotations

from unabridged.frame import Frame
from unabridged.wire.json_text import JsonNode
from unabridged.wire.patching import apply
from unabridged.wire.request import count_of, field, with_field

LEAST_BUDGET = 1_024
"""Tokens; the provider takes none below."""
_OFF = '{"type":"disabled"}'
_CLEARS_THOUGHTS = "clear_thinking_"


def within(frame: Frame, limit: int) -> Frame:
    """Give the frame with a thinking budget that an output limit of so many tokens holds.

    A budget that has to be lowered keeps its share of the output. One that is not below the limit that the frame asks
    for stays: only interleaved thinking, where it is that of a whole turn, allows such a budget, and allows it still.
    """
    thinking, asked = field(frame, "thinking"), count_of(frame, "max_tokens")
    budget = _budget_of(thinking)
    if thinking is None or budget is None or budget < limit or (asked is not None and budget >= asked):
        return frame
    if limit <= LEAST_BUDGET:
        return _without(frame)
    share = limit // 2 if asked is None else budget * limit // asked
    lower = thinking.with_member("budget_tokens", str(max(LEAST_BUDGET, share)))
    return with_field(frame, "thinking", apply(thinking.text, [lower]))


def _budget_of(thinking: JsonNode | None) -> int | None:
    match thinking.value if thinking is not None else None:
        case {"type": "enabled", "budget_tokens": float(budget)} if budget.is_integer():
            return int(budget)
        case _:
            return None


def _without(frame: Frame) -> Frame:
    off = with_field(frame, "thinking", _OFF)
    managed = field(frame, "context_management")
    edits = managed.get("edits") if managed is not None else None
    if managed is None or edits is None:
        return off
    items = edits.items()
    clearing = {at for at, edit in enumerate(items) if edit.string("type").startswith(_CLEARS_THOUGHTS)}
    return with_field(off, "context_management", apply(managed.text, edits.without(clearing))) if clearing else off

"""The floor: what nothing can take away from a request."""

from __future__ import annotations

import msgspec

from unabridged.errors import CannotFit
from unabridged.message import Media, Part, Text, ToolCall, ToolResult
from unabridged.plan import Reason
from unabridged.strategy import rungs
from unabridged.strategy.draft import Draft, Piece
from unabridged.strategy.situation import Situation

FRAME = "frame"
REST = "system messages, markers and what stands with them"
NAMES = {
    Reason.TASK: "task",
    Reason.NEWEST_HUMAN: "newest human message",
    Reason.UNANSWERED: "unanswered messages",
    Reason.UNREAD_STEP: "unread step",
}
HUMAN_WORDS = (Reason.TASK, Reason.UNANSWERED)
"""May be cut inside, once the floor itself is over the budget. The newest human message never is."""


class Floor(msgspec.Struct, frozen=True):
    """The floor in weights, by what it is made of."""

    parts: dict[str, float]
    """With everything at its smallest."""
    words: float
    """What people wrote beyond that: kept whole as long as the budget holds it."""

    @property
    def least(self) -> float:
        """The floor once people's older words are cut too."""
        return sum(self.parts.values())

    @property
    def whole(self) -> float:
        """The floor with people's words whole: where the target is measured from."""
        return self.least + self.words


def floor_of(draft: Draft, situation: Situation) -> Floor:
    """Work out what nothing can take away, and what it is made of."""
    frame = situation.meter.weight(situation.frame)
    parts = {FRAME: frame, **dict.fromkeys(NAMES.values(), 0.0), REST: draft.fixed - frame}
    words = 0.0
    for group in draft.groups:
        if not group.shielded:
            continue
        parts[REST] += group.extra
        for piece in group.pieces:
            least = _least(piece, draft)
            if piece.shield in HUMAN_WORDS:
                words += piece.weight - least
            parts[NAMES.get(piece.shield, REST) if piece.shield else REST] += least
    return Floor(parts, words)


def refuse_hopeless(situation: Situation, floor: Floor) -> None:
    """Raise `CannotFit` when the floor leaves no room for an answer. No margin counts here: it must be sure.

    What is shown now is proof that it can be as small; the floor sets a little aside for a marker.
    """
    bare, budget = situation.bare, situation.budget
    shown = bare.weight(situation.frame) + sum(bare.weight(item.price) for item in situation.items)
    if min(bare.tokens(floor.least), bare.tokens(shown)) <= budget.limit:
        return
    fixed = bare.tokens(floor.parts[FRAME])
    parts = [(FRAME, fixed)]
    parts += [(name, int(bare.slope * weight)) for name, weight in floor.parts.items() if name != FRAME]
    raise CannotFit(floor=bare.tokens(floor.least), limit=budget.limit, window=budget.window, parts=tuple(parts))


def _least(piece: Piece, draft: Draft) -> float:
    """Give the weight of a shielded message with everything cut that may be cut in it.

    A cut saves what is shown, and repair may show less than what is stored.
    """
    loose = piece.shield is None and not piece.unread  # stands only for what is unread beside it
    weight = piece.weight
    for number, part in enumerate(piece.parts):
        if part is not None:
            weight -= max(0.0, draft.shown(piece, number) - _smallest(part, piece, draft, loose=loose))
    return weight


def _smallest(part: Part, piece: Piece, draft: Draft, *, loose: bool) -> float:
    """Give what a part weighs once everything is cut in it that the ladder comes to.

    Calls are weighed with the stubs in place: a string that is written in escapes takes several times what it says.
    """
    weight = draft.weigh(draft.price(draft.mended(part) or part))
    if isinstance(part, ToolResult):
        outputs = [draft.weigh(draft.price(inner)) for inner in part.parts if isinstance(inner, Text | Media)]
        return weight - sum(max(0.0, output - rungs.SMALLEST_OUTPUT) for output in outputs)
    if isinstance(part, ToolCall) and loose:
        stubbed = rungs.stubbed(part, draft)
        return draft.weigh(draft.price(draft.mended(stubbed) or stubbed))
    if isinstance(part, Media) and loose:
        return min(weight, rungs.SMALLEST_OUTPUT)
    if isinstance(part, Text | Media) and piece.shield in HUMAN_WORDS:
        return min(weight, rungs.SMALLEST_HUMAN)
    return weight

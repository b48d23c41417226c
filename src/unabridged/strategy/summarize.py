"""`summarize`: what is older than the target holds gives way to a summary of it.

Two questions, so that whoever asks a model stands between them: `span` says what a summary is to be made of, `decide`
what the view becomes with it. What does not fit even then is trimmed, and without a summary everything is.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.plan import Reason
from unabridged.policy import LEAST_SUMMARY
from unabridged.strategy import trim
from unabridged.strategy.draft import Draft, Group
from unabridged.strategy.situation import Decision, Situation
from unabridged.transcript import Record
from unabridged.view import summary_message

NAME = "summarize"

SHARE = 0.25
"""Of the room between floor and target, what a summary may take at most."""
WORDS_AROUND = 130
"""Tokens of the heading, and of the sentences that say what a summary is."""
LANDING = 0.1
"""How far from where the target ends, as a share of it, a border of a round is still near."""


class Span(msgspec.Struct, frozen=True):
    """What leaves, oldest first, and the tokens that its summary may take, as our counter counts them."""

    records: tuple[Record, ...]
    limit: int

    @property
    def messages(self) -> frozenset[str]:
        """The ids."""
        return frozenset(record.message.id for record in self.records)


def span(situation: Situation) -> Span | None:
    """Find what a summary is to be made of; None where nothing is old enough, or too little to be worth it.

    The tail that stays is the newest that the target holds; it begins with a round where one begins near.
    """
    ladder = trim.Ladder.of(situation)
    ladder.cap()
    draft = ladder.draft
    fixed = draft.fixed - draft.summary + sum(group.weight for group in draft.groups if group.shielded)
    room = draft.goal - fixed
    limit = min(situation.policy.summary_max_tokens, int(room * SHARE))
    border = _border(draft, room - limit - WORDS_AROUND)
    leaving = [group for group in draft.groups[:border] if group.pieces and not group.shielded]
    weight = sum(group.weight for group in leaving)
    limit = min(limit, int(weight / 2) - WORDS_AROUND)
    if limit < LEAST_SUMMARY:
        return None
    records = (piece.record for group in leaving for piece in group.pieces)
    place = situation.transcript.position
    return Span(tuple(sorted(records, key=lambda record: place[record.message.id])), limit)


def decide(situation: Situation, *, overshoot: int = 0) -> Decision:
    """Decide with the summary that was made; without one, or with one that saves nothing, as `trim` does."""
    made = situation.compaction
    if made is None:
        return trim.decide(situation, overshoot=overshoot)
    ladder = trim.Ladder.of(situation, overshoot=overshoot)
    draft, before = ladder.draft, ladder.draft.total
    for group in draft.groups:
        if (
            group.pieces
            and not group.shielded
            and all(piece.record.message.id in made.messages for piece in group.pieces)
        ):
            draft.drop(group, Reason.SUMMARIZED)
    cutter, role = situation.cutter, situation.policy.summary_role
    message = summary_message(made.text, "next", role, searchable=cutter.searchable)
    draft.exchange_summary(draft.weigh(cutter.made(message).price))
    if draft.total >= before:
        return trim.decide(situation, overshoot=overshoot)
    if not draft.met:
        ladder.climb()
    if draft.total > situation.meter.weight_for(situation.budget.total - overshoot):
        return trim.decide(situation, overshoot=overshoot)  # made for a larger model: with it nothing fits
    return msgspec.structs.replace(ladder.decided(), summary=made.text, forgets=False)


def _border(draft: Draft, room: float) -> int:
    """Give the position of the first group that stays, when the newest may weigh so much."""
    border = len(draft.groups)
    while border > 0:
        group = draft.groups[border - 1]
        weight = 0.0 if group.shielded or not group.pieces else group.weight
        if weight > room:
            break
        room -= weight
        border -= 1
    return _round_near(draft.groups, border, draft.goal * LANDING)


def _round_near(groups: Sequence[Group], border: int, reach: float) -> int:
    """Move a border on to the start of the next round, where that is near: it keeps no half of a round."""
    for place in range(border, len(groups)):
        if groups[place].begins_round:
            return place
        reach -= 0.0 if groups[place].shielded else groups[place].weight
        if reach < 0:
            break
    return border

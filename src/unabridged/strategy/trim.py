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

from collections.abc import Sequence

from unabridged.message import Role, media_of
from unabridged.plan import Cut, CutKind, Plan, Reason, Run, Verdict
from unabridged.repair import groups as split_groups
from unabridged.strategy import rungs
from unabridged.strategy.draft import Draft, Group, Piece, call_ids
from unabridged.strategy.floor import floor_of, refuse_hopeless
from unabridged.strategy.situation import Decision, Situation, shields
from unabridged.transcript import Record
from unabridged.view import apply

NAME = "trim"

MARKER_TOKENS = 40
"""Set aside for the marker of what is dropped."""


def decide(situation: Situation, *, overshoot: int = 0) -> Decision:
    """Decide what goes. `overshoot` lowers the goal by what an earlier try missed it by (tokens)."""
    draft = draft_of(situation)
    floor = floor_of(draft, situation)
    budget, meter = situation.budget, situation.meter
    if floor.whole <= meter.weight_for(budget.total):
        goal = budget.target(meter.tokens(floor.whole))
    elif floor.least <= meter.weight_for(budget.total):
        goal = budget.target(meter.tokens(floor.least))
    else:
        refuse_hopeless(situation, floor)
        goal = 0
    draft.goal = max(0.0, meter.weight_for(goal - overshoot))
    _climb(draft, situation, humans=overshoot > 0 or floor.whole > meter.weight_for(budget.total))
    return _decided(draft, situation, meter.tokens(floor.least if goal == 0 else floor.whole))


def draft_of(situation: Situation) -> Draft:
    """Lay the view out as groups of pieces, shields and earlier cuts included."""
    records, position = situation.transcript.records, situation.transcript.position
    guarded = shields(situation.transcript)
    unread = {at for at, reason in guarded.items() if reason is Reason.UNREAD_STEP}
    groups: list[Group] = []
    pieces: dict[str, Piece] = {}
    loose = 0.0
    for members in split_groups(situation.items, situation.dialect):
        group = Group([])
        for item in members:
            weight = situation.meter.weight(item.price)
            if item.source is None:
                group.extra += weight
                continue
            if item.source in pieces:  # a message whose results stand behind two askers: decided on where it came first
                pieces[item.source].weight += weight
                continue
            at = position[item.source]
            record = records[at]
            shield = guarded.get(at) or (Reason.SYSTEM if record.message.role is Role.SYSTEM else None)
            piece = Piece(record, list(record.message.parts), weight, shield, at in unread)
            for cut in situation.shown.cuts.get(item.source, ()):
                piece.parts[cut.part] = apply(record.message.parts[cut.part], piece.parts[cut.part], cut)
                piece.cuts[cut.part, cut.inner, cut.pointer] = cut
            pieces[item.source] = piece
            group.pieces.append(piece)
        if group.pieces:
            groups.append(group)
        else:
            loose += group.extra
    fixed = situation.meter.weight(situation.frame) + loose + MARKER_TOKENS
    return Draft(groups, fixed, 0.0, situation.cutter.price, situation.meter.weight, situation.transcript.counter)


def _climb(draft: Draft, situation: Situation, *, humans: bool) -> None:
    """Climb the ladder until the goal is met."""
    rungs.drop_hopeless(draft, draft.groups)
    rungs.cap(
        draft, draft.groups, situation.meter.weight_of(situation.budget.total * situation.policy.output_cap_share)
    )
    border = _old(draft, situation.policy.recent_share)
    old, recent = draft.groups[:border], draft.groups[border:]
    rungs.stub(draft, old, outputs=Reason.OLD_OUTPUT, arguments=Reason.OLD_ARGUMENTS)
    rungs.strip_media(draft, old, Reason.OLD_MEDIA)
    rungs.drop(draft, old, Reason.OLDEST_GROUP)
    rungs.stub(draft, recent, outputs=Reason.RECENT_OUTPUT, arguments=Reason.RECENT_ARGUMENTS)
    rungs.strip_media(draft, recent, Reason.RECENT_MEDIA)
    rungs.drop(draft, recent, Reason.RECENT_GROUP)
    unread = [group for group in draft.groups if any(piece.unread for piece in group.pieces)]
    rungs.share(draft, unread)
    if humans:
        pieces = [piece for group in draft.groups for piece in group.pieces]
        rungs.cut_humans(draft, [p for p in pieces if p.shield is Reason.UNANSWERED], Reason.HUMAN_CUT)
        rungs.cut_humans(draft, [p for p in pieces if p.shield is Reason.TASK], Reason.TASK_CUT)


def _old(draft: Draft, share: float) -> int:
    """Give the position at which what is recent begins."""
    room = draft.goal * share
    for place in range(len(draft.groups) - 1, -1, -1):
        group = draft.groups[place]
        room -= 0.0 if group.shielded else group.weight
        if room < 0:
            return place + 1
    return 0


def _decided(draft: Draft, situation: Situation, floor: int) -> Decision:
    pieces = [piece for group in draft.groups for piece in group.pieces]
    gone = [piece for piece in pieces if piece.dropped is not None]
    cut = [piece for piece in pieces if piece.dropped is None and piece.changed is not None]
    by_id = {piece.record.message.id: piece for piece in pieces}
    earlier = situation.shown.cuts
    media = sum(_media(piece, earlier.get(piece.record.message.id, [])) for piece in gone)
    media += sum(_media_cut(piece) for piece in cut)
    return Decision(
        plan=Plan(runs=_runs(situation, by_id), cuts=_cuts(pieces)),
        dropped=len(gone),
        truncated=len(cut),
        media_dropped=media,
        call_ids=call_ids(pieces),
        floor=floor,
    )


def _cuts(pieces: list[Piece]) -> tuple[Cut, ...]:
    return tuple(cut for piece in pieces if piece.dropped is None for cut in piece.cuts.values())


def _runs(situation: Situation, by_id: dict[str, Piece]) -> tuple[Run, ...]:
    """Give every message of the branch its verdict; what was hidden before stays so, for the reason it had."""
    records, position = situation.transcript.records, situation.transcript.position
    runs: list[Run] = []
    at = 0
    for gone in situation.shown.gone:
        _add_each(runs, records[at : position[gone.first]], by_id)
        _add(runs, gone)
        at = position[gone.last] + 1
    _add_each(runs, records[at:], by_id)
    return tuple(runs)


def _add_each(runs: list[Run], records: Sequence[Record], by_id: dict[str, Piece]) -> None:
    for record in records:
        id = record.message.id
        verdict, reason = _verdict(by_id.get(id))
        _add(runs, Run(id, id, 1, verdict, reason))


def _verdict(piece: Piece | None) -> tuple[Verdict, Reason]:
    if piece is None:
        return Verdict.KEEP, Reason.FITS  # left out by repair alone: the next fit may show it again
    if piece.dropped is not None:
        return Verdict.DROP, piece.dropped
    if piece.cuts:
        return Verdict.TRUNCATE, piece.changed or next(iter(piece.cuts.values())).reason
    return Verdict.KEEP, piece.shield or Reason.FITS


def _add(runs: list[Run], run: Run) -> None:
    if runs and (runs[-1].verdict, runs[-1].reason) == (run.verdict, run.reason):
        runs[-1] = Run(runs[-1].first, run.last, runs[-1].count + run.count, run.verdict, run.reason)
    else:
        runs.append(run)


def _media(piece: Piece, earlier: Sequence[Cut]) -> int:
    """Give the media that leave with a message: all that it holds, but for those that an earlier fit took out."""
    return sum(1 for _ in media_of(piece.record.message)) - sum(cut.kind is CutKind.MEDIA for cut in earlier)


def _media_cut(piece: Piece) -> int:
    return sum(piece.cuts[place].kind is CutKind.MEDIA for place in piece.fresh)

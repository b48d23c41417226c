"""The view laid out for deciding on it, and what was decided as a plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from unabridged.message import Media, Part, Role, Text, ToolResult, media_of
from unabridged.plan import Cut, CutKind, Plan, Reason, Run, Verdict
from unabridged.repair import groups as split_groups
from unabridged.repair.surrogates import Surrogates
from unabridged.strategy.draft import Draft, Group, Piece, call_ids
from unabridged.strategy.situation import Decision, Situation, shields
from unabridged.transcript import Record
from unabridged.view import SUMMARY, Item, apply

MARKER_TOKENS = 40
"""Set aside for the marker of what is dropped."""


def draft_of(situation: Situation) -> Draft:
    """Lay the view out as groups of pieces, shields and earlier cuts included."""
    guarded = shields(situation.transcript)
    groups: list[Group] = []
    pieces: dict[str, Piece] = {}
    shown: dict[str, list[tuple[Part, ...]]] = {}
    loose = summary = 0.0
    for members in split_groups(situation.items, situation.dialect):
        group = Group([])
        for item in members:
            weight = situation.meter.weight(item.price)
            if item.source is None:
                summary += weight if item.message.id.startswith(SUMMARY) else 0.0
                group.extra += weight
                continue
            if item.changed:
                shown.setdefault(item.source, []).extend(result.parts for result in item.message.results)
            if item.source in pieces:  # a message whose results stand behind two askers: decided on where it came first
                pieces[item.source].weight += weight
                continue
            piece = _laid_out(item, weight, situation, guarded)
            pieces[item.source] = piece
            group.pieces.append(piece)
        if group.pieces:
            groups.append(group)
        else:
            loose += group.extra
    for id, results in shown.items():
        _leave_out(pieces[id], results)
    return Draft(
        groups=groups,
        fixed=situation.meter.weight(situation.frame) + loose + MARKER_TOKENS,
        goal=0.0,
        most=0.0,
        price=situation.cutter.price,
        weigh=situation.meter.weight,
        counter=situation.transcript.counter,
        mended=Surrogates(situation.dialect).whole,
        summary=summary,
    )


def _laid_out(item: Item, weight: float, situation: Situation, guarded: Mapping[int, Reason]) -> Piece:
    """Give a message as a piece, with what shields it and what was cut of it before."""
    assert item.source is not None
    at = situation.transcript.position[item.source]
    record = situation.transcript.records[at]
    shield = guarded.get(at)
    unread = shield is Reason.UNREAD_STEP
    shield = shield or (Reason.SYSTEM if record.message.role is Role.SYSTEM else None)
    piece = Piece(record, list(record.message.parts), weight, shield, unread)
    for cut in situation.shown.cuts.get(item.source, ()):
        piece.parts[cut.part] = apply(record.message.parts[cut.part], piece.parts[cut.part], cut)
        piece.cuts[cut.part, cut.inner, cut.pointer] = cut
    if item.changed and len(item.message.parts) == len(piece.parts):
        _weigh_as_shown(piece, item.message.parts, situation)
    return piece


def _weigh_as_shown(piece: Piece, shown: Sequence[Part], situation: Situation) -> None:
    """Note what parts weigh that repair has changed: a cut saves what is shown, not what is stored.

    Media that repair put a text in the place of count in full: there were too many, and may no longer be.
    """
    price, weight = situation.cutter.price, situation.meter.weight
    for number, (part, now) in enumerate(zip(piece.parts, shown, strict=True)):
        if part is None or part == now:
            continue
        sides = _side_by_side(part, now)
        hidden = [(old, new) for old, new in sides if isinstance(old, Media) and isinstance(new, Text)]
        piece.weight += sum(weight(price(old)) - weight(price(new)) for old, new in hidden)
        if not hidden:
            piece.shown[number] = weight(price(now))


def _side_by_side(part: Part | None, now: Part) -> Iterator[tuple[Part | None, Part]]:
    if isinstance(part, ToolResult) and isinstance(now, ToolResult):
        yield from zip(part.parts, now.parts, strict=False)
    else:
        yield part, now


def _leave_out(piece: Piece, shown: list[tuple[Part, ...]]) -> None:
    """Forget the results of a message that repair has left out of the view: there is nothing to cut in them.

    Repair may have changed those that it left, an empty text for one: each stands for the result that it is most like.
    """
    places = [number for number, part in enumerate(piece.parts) if isinstance(part, ToolResult)]
    if len(places) <= len(shown):
        return
    left = list(places)
    for parts in shown:  # of two that are alike, the first stands
        left.remove(max(left, key=lambda number: _likeness(piece.parts[number], parts)))
    for number in left:
        piece.parts[number] = None


def _likeness(part: Part | None, shown: tuple[Part, ...]) -> tuple[bool, int]:
    own = part.parts if isinstance(part, ToolResult) else ()
    return len(own) == len(shown), sum(one == other for one, other in zip(own, shown, strict=False))


def decided(draft: Draft, situation: Situation, floor: int, *, forgets: bool = False) -> Decision:
    """Give a draft as a decision. With `forgets` nothing stands any more for what an earlier summary stood for."""
    pieces = [piece for group in draft.groups for piece in group.pieces]
    gone = [piece for piece in pieces if piece.dropped is not None]
    left = [piece for piece in gone if piece.dropped is not Reason.SUMMARIZED]
    cut = [piece for piece in pieces if piece.dropped is None and piece.changed is not None]
    by_id = {piece.record.message.id: piece for piece in pieces}
    earlier = situation.shown.cuts
    media = sum(_media(piece, earlier.get(piece.record.message.id, [])) for piece in gone)
    media += sum(_media_cut(piece) for piece in cut)
    return Decision(
        plan=Plan(runs=_runs(situation, by_id, forgets=forgets), cuts=_cuts(pieces)),
        compacted=sum(piece.dropped is Reason.SUMMARIZED for piece in gone),
        dropped=len(left) + (_forgotten(situation) if forgets else 0),
        left=tuple(piece.record.message.id for piece in left),
        forgets=forgets,
        truncated=len(cut),
        media_dropped=media,
        call_ids=call_ids(pieces),
        floor=floor,
    )


def _forgotten(situation: Situation) -> int:
    """Give how many messages stood in the summary in force, and now stand nowhere."""
    return sum(run.count for run in situation.shown.gone if run.verdict is Verdict.COMPACT)


def _cuts(pieces: list[Piece]) -> tuple[Cut, ...]:
    return tuple(cut for piece in pieces if piece.dropped is None for cut in piece.cuts.values())


def _runs(situation: Situation, by_id: dict[str, Piece], *, forgets: bool) -> tuple[Run, ...]:
    """Give every message of the branch its verdict; what was hidden before stays so, for the reason it had."""
    records, position = situation.transcript.records, situation.transcript.position
    runs: list[Run] = []
    at = 0
    for gone in situation.shown.gone:
        _add_each(runs, records[at : position[gone.first]], by_id)
        lost = forgets and gone.verdict is Verdict.COMPACT
        _add(runs, Run(gone.first, gone.last, gone.count, Verdict.DROP, Reason.OLDEST_GROUP) if lost else gone)
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
        return Verdict.COMPACT if piece.dropped is Reason.SUMMARIZED else Verdict.DROP, piece.dropped
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

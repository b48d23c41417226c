"""The rungs of the ladder: what goes, from the cheapest loss to the dearest. Each stops when the goal is met.

A command's output can be produced again, the reasoning around it cannot: so outputs go first, whole groups
later, and what a person wrote last of all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import msgspec

from unabridged import markers
from unabridged.arguments import leaves, with_leaf
from unabridged.cutting import render, shorten
from unabridged.message import Media, Text, ToolCall, ToolResult
from unabridged.plan import CutKind, Reason
from unabridged.strategy.draft import Draft, Group, Output, Piece, arguments_of, cut_of
from unabridged.tokens.price import BLOCK_TOKENS

STUB_TOKENS = 120
"""What stays of an old output or a long argument, marker included: enough to know what it was."""
LANDING = 0.1
"""How far from the goal, as a share of it, a border of a round is still near."""
DROP_DEPTH = 0.1
"""Once messages have to be dropped, how far below the goal: dropping moves the whole prefix, so it is done seldom."""
LEAST_STUB = 40
"""What a message takes at the very least once its outputs and arguments are stubs."""
WORTH_TOKENS = 200
"""An output or argument below is left alone: a stub would save next to nothing."""
SMALLEST_OUTPUT = 80
"""What stays at least of an output that the model has not read yet, marker included."""
SMALLEST_HUMAN = 200
"""What stays at least of a person's older message, marker included."""


def drop_hopeless(draft: Draft, groups: Sequence[Group]) -> None:
    """Drop what is so old that all that is newer fills the goal even as stubs: none of it needs to be read."""
    room = draft.goal
    for group in reversed(groups):
        if room < 0 and group.pieces and not group.shielded:
            draft.drop(group, Reason.OLDEST_GROUP)
        room -= sum(min(piece.weight, LEAST_STUB) for piece in group.pieces)


def cap(draft: Draft, groups: Sequence[Group], most: float) -> None:
    """Cut any one output above the weight `most` to it, those of the unread step included."""
    for output in list(draft.outputs(groups)):
        if isinstance(output.content, Text) and output.weight > most:
            shorten_output(draft, output, most, Reason.OVERSIZED_OUTPUT)


def stub(draft: Draft, groups: Sequence[Group], *, outputs: Reason, arguments: Reason, least: float = 0.0) -> None:
    """Cut outputs and long arguments to stubs, group by group, oldest first: one border moves through the view.

    What weighs less than `least` is left alone.
    """
    for group in groups:
        if draft.met:
            return
        for piece in group.pieces:
            if piece.dropped is not None or piece.unread:
                continue
            for output in list(draft.outputs_of(piece)):
                worth = output.tokens > WORTH_TOKENS and output.weight >= least
                if isinstance(output.content, Text) and worth and not draft.met:
                    spared = output.weight - (draft.total - draft.goal)  # the last one only as far as needed
                    shorten_output(draft, output, max(STUB_TOKENS, spared), outputs)
            if not draft.met:
                _stub_arguments(draft, piece, arguments, least)


def strip_media(draft: Draft, groups: Sequence[Group], reason: Reason, *, least: float = 0.0) -> None:
    """Replace pictures, recordings and documents that weigh at least `least` by markers, oldest first."""
    for group in groups:
        for piece in group.pieces:
            if draft.met:
                return
            if piece.dropped is None and not piece.unread and piece.shield is None:
                _strip(draft, piece, reason, least)


def drop(draft: Draft, groups: Sequence[Group], reason: Reason) -> None:
    """Drop whole groups, oldest first, and land on a round border where one is near."""
    last = -1
    if draft.met:
        return
    depth = draft.goal * (1 - DROP_DEPTH)
    for place, group in enumerate(groups):
        if draft.total <= depth:
            break
        if group.pieces and not group.shielded and not group.dropped:
            draft.drop(group, reason)
            last = place
    if last >= 0 and draft.met:
        _land_on_round(draft, groups, last, reason)


def share(draft: Draft, groups: Sequence[Group], outputs: Reason, media: Reason) -> None:
    """Cut the outputs of steps that have to stay to equal shares of the room left: small ones stay whole."""
    if draft.met:
        return
    for output in list(draft.outputs(groups)):
        if isinstance(output.content, Media) and not draft.met:
            _strip_one(draft, output.piece, output.part, output.inner, output.content, media)
    texts = [out for out in draft.outputs(groups) if isinstance(out.content, Text)]
    room = int(draft.goal - (draft.total - sum(out.weight for out in texts)))
    for output, allowed in zip(texts, fair([math.ceil(out.weight) for out in texts], room), strict=True):
        if output.weight > max(allowed, SMALLEST_OUTPUT):
            shorten_output(draft, output, max(allowed, SMALLEST_OUTPUT), outputs)


def cut_humans(draft: Draft, pieces: Sequence[Piece], reason: Reason) -> None:
    """Cut inside what a person sent: only when the floor itself is over the budget."""
    for piece in pieces:
        for number, part in enumerate(list(piece.parts)):
            if draft.met:
                return
            if isinstance(part, Media):
                _strip_one(draft, piece, number, None, part, reason)
            elif isinstance(part, Text):
                weight = draft.weigh(draft.price(part))
                wanted = max(SMALLEST_HUMAN, weight - (draft.total - draft.goal))
                original = piece.record.message.parts[number]
                if weight > wanted and isinstance(original, Text):
                    cut = cut_of(piece, CutKind.TEXT, reason, part=number, total=len(original.text))
                    draft.cut(piece, msgspec.structs.replace(cut, keep=_kept(draft, original, wanted)))


def fair(sizes: Sequence[int], room: int) -> list[int]:
    """Share `room` max-min fair: what is small stays whole, the large ones get equal parts."""
    allowed = [0] * len(sizes)
    left = max(0, room)
    for rank, place in enumerate(sorted(range(len(sizes)), key=lambda place: sizes[place])):
        allowed[place] = min(sizes[place], left // (len(sizes) - rank))
        left -= allowed[place]
    return allowed


def shorten_output(draft: Draft, output: Output, weight: float, reason: Reason) -> None:
    """Cut one tool output so that what stays weighs at most `weight`, always measured on its full text."""
    result = output.piece.record.message.parts[output.part]
    assert isinstance(result, ToolResult)
    text = result.parts[output.inner]
    if isinstance(text, Text):
        cut = cut_of(output.piece, CutKind.TEXT, reason, part=output.part, inner=output.inner, total=len(text.text))
        draft.cut(output.piece, msgspec.structs.replace(cut, keep=_kept(draft, text, weight)))


def _kept(draft: Draft, text: Text, weight: float) -> tuple[tuple[int, int], ...]:
    """Give the ranges of a text that weigh at most `weight`, marker included. Numbers weigh more than letters."""
    price = draft.price(text)
    tokens = int(weight * price.tokens / draft.weigh(price)) - BLOCK_TOKENS
    while True:
        keep, _ = shorten(text.text, max(1, tokens), draft.counter, markers.shortened)
        shown = draft.weigh(draft.price(Text(render(text.text, keep, markers.shortened(keep, len(text.text))))))
        if shown <= weight or tokens <= SMALLEST_OUTPUT // 2:
            return keep
        tokens -= max(1, math.ceil(shown - weight))


def _stub_arguments(draft: Draft, piece: Piece, reason: Reason, least: float) -> None:
    cut_any = False
    for number, call in list(arguments_of(piece)):
        for pointer, leaf in list(long_leaves(call, draft)):
            if draft.weigh(draft.price(Text(leaf))) < least:
                continue
            keep, _ = shorten(leaf, STUB_TOKENS, draft.counter, markers.shortened)
            cut = cut_of(piece, CutKind.ARGUMENTS, reason, part=number, total=len(leaf))
            cut_any |= draft.cut(piece, msgspec.structs.replace(cut, keep=keep, pointer=pointer))
    if cut_any:
        draft.without_reasoning(piece, reason)


def stubbed(call: ToolCall, draft: Draft) -> ToolCall:
    """Give a call with every long string of its arguments cut to a stub."""
    for pointer, leaf in list(long_leaves(call, draft)):
        keep, _ = shorten(leaf, STUB_TOKENS, draft.counter, markers.shortened)
        shown = render(leaf, keep, markers.shortened(keep, len(leaf)))
        cut = shown if pointer is None else with_leaf(call.arguments, pointer, lambda _, shown=shown: shown)
        call = msgspec.structs.replace(call, arguments=cut)
    return call


def long_leaves(call: ToolCall, draft: Draft) -> Iterator[tuple[str | None, str]]:
    """Give the strings of a call's arguments that are worth a stub, with where they sit."""
    if draft.counter.count(call.arguments) <= WORTH_TOKENS:
        return
    if call.custom:
        yield None, call.arguments
        return
    for pointer, leaf in leaves(call.arguments):
        if draft.counter.count(leaf) > WORTH_TOKENS:
            yield pointer, leaf


def _strip(draft: Draft, piece: Piece, reason: Reason, least: float) -> None:
    for number, part in enumerate(list(piece.parts)):
        if isinstance(part, Media) and draft.weigh(draft.price(part)) >= least:
            _strip_one(draft, piece, number, None, part, reason)
    for output in list(draft.outputs_of(piece)):
        if isinstance(output.content, Media) and output.weight >= least:
            _strip_one(draft, piece, output.part, output.inner, output.content, reason)


def _strip_one(draft: Draft, piece: Piece, part: int, inner: int | None, media: Media, reason: Reason) -> None:
    tokens = draft.price(media).tokens
    draft.cut(piece, cut_of(piece, CutKind.MEDIA, reason, part=part, inner=inner, total=tokens))


def _land_on_round(draft: Draft, groups: Sequence[Group], last: int, reason: Reason) -> None:
    """Move the border between dropped and kept to the nearest start of a round within 10 % of the goal.

    A goal near the budget leaves less than that: what was dropped to get below it does not come back.
    """
    reach = draft.goal * LANDING
    most = min(draft.goal + reach, draft.most)
    back = _round_behind(groups, last, reach)
    ahead = _round_ahead(groups, last, reach)
    gained = sum(_would_weigh(group) for group in groups[back : last + 1] if group.dropped) if back is not None else 0.0
    lost = sum(group.weight for group in groups[last + 1 : ahead] if not group.shielded) if ahead is not None else 0.0
    if back is not None and draft.total + gained <= most and (ahead is None or gained <= lost):
        for group in groups[back : last + 1]:
            if group.dropped:
                draft.restore(group)
    elif ahead is not None:
        for group in groups[last + 1 : ahead]:
            if group.pieces and not group.shielded and not group.dropped:
                draft.drop(group, reason)


def _round_behind(groups: Sequence[Group], last: int, reach: float) -> int | None:
    """Give the start of the round that the last dropped group lies in, if it is near and was dropped."""
    for place in range(last, -1, -1):
        reach -= _would_weigh(groups[place])
        if groups[place].begins_round:
            return place if groups[place].dropped else None
        if reach < 0:
            return None
    return None


def _round_ahead(groups: Sequence[Group], last: int, reach: float) -> int | None:
    """Give the start of the next round, if it is near."""
    for place in range(last + 1, len(groups)):
        if groups[place].begins_round:
            return place
        reach -= 0.0 if groups[place].shielded else groups[place].weight
        if reach < 0:
            return None
    return None


def _would_weigh(group: Group) -> float:
    return group.extra + sum(piece.weight for piece in group.pieces)

"""The orders of eviction: which of the rungs a ladder climbs first. A policy names one as `trimOrder`.

tool_output_first   outputs and long arguments, then media, then whole groups (the default: a command's output can be
                    produced again, the reasoning around it cannot)
oldest_first        whole groups first, so that what is shown of the newest is whole
largest_first       whatever takes most, wherever it stands, so that as little as possible is touched
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unabridged.message import Media, Text
from unabridged.plan import Reason
from unabridged.policy import LARGEST_FIRST, OLDEST_FIRST, TOOL_OUTPUT_FIRST
from unabridged.strategy import rungs
from unabridged.strategy.draft import Draft, Group

Climb = Callable[[Draft, Sequence[Group], Sequence[Group]], None]
"""Climbs over what is old and what is recent, until the goal is met."""


def tool_output_first(draft: Draft, old: Sequence[Group], recent: Sequence[Group]) -> None:
    """Take outputs, then media, then whole groups: of what is old, then of what is recent."""
    rungs.stub(draft, old, outputs=Reason.OLD_OUTPUT, arguments=Reason.OLD_ARGUMENTS)
    rungs.strip_media(draft, old, Reason.OLD_MEDIA)
    rungs.drop(draft, old, Reason.OLDEST_GROUP)
    _recent(draft, recent)


def oldest_first(draft: Draft, old: Sequence[Group], recent: Sequence[Group]) -> None:
    """Take whole groups; what stands beside something that may not go is shortened."""
    rungs.drop(draft, old, Reason.OLDEST_GROUP)
    rungs.stub(draft, old, outputs=Reason.OLD_OUTPUT, arguments=Reason.OLD_ARGUMENTS)
    rungs.strip_media(draft, old, Reason.OLD_MEDIA)
    rungs.drop(draft, recent, Reason.RECENT_GROUP)
    _recent(draft, recent)


def largest_first(draft: Draft, old: Sequence[Group], recent: Sequence[Group]) -> None:
    """Take the largest output, argument or picture first, the older of two alike; then the largest groups."""
    everything = [*old, *recent]
    border = len(old)
    sized: list[tuple[float, int]] = [
        (size, place) for place, group in enumerate(everything) for size in _sizes(draft, group)
    ]
    for size, place in sorted(sized, key=lambda each: (-each[0], each[1])):
        if draft.met:
            return
        _lighten(draft, everything[place], size, is_old=place < border)
    for place in sorted(range(len(everything)), key=lambda place: (-everything[place].weight, place)):
        group = everything[place]
        if draft.met:
            return
        if group.pieces and not group.shielded and not group.dropped:
            draft.drop(group, Reason.OLDEST_GROUP if place < border else Reason.RECENT_GROUP)


CLIMBS: Mapping[str, Climb] = {
    TOOL_OUTPUT_FIRST: tool_output_first,
    OLDEST_FIRST: oldest_first,
    LARGEST_FIRST: largest_first,
}


def _recent(draft: Draft, recent: Sequence[Group]) -> None:
    rungs.stub(draft, recent, outputs=Reason.RECENT_OUTPUT, arguments=Reason.RECENT_ARGUMENTS)
    rungs.strip_media(draft, recent, Reason.RECENT_MEDIA)
    rungs.drop(draft, recent, Reason.RECENT_GROUP)


def _sizes(draft: Draft, group: Group) -> list[float]:
    """Give what each output, picture and call of a group weighs that a rung may shorten, largest first."""
    sizes: list[float] = []
    for piece in group.pieces:
        if piece.dropped is not None or piece.unread:
            continue
        sizes += [
            output.weight
            for output in draft.outputs_of(piece)
            if isinstance(output.content, Media) or output.tokens > rungs.WORTH_TOKENS
        ]
        if piece.shield is None:
            own = (part for part in piece.parts if isinstance(part, Media))
            sizes += [draft.weigh(draft.price(media)) for media in own]
        for _, call in rungs.arguments_of(piece):
            sizes += [draft.weigh(draft.price(Text(leaf))) for _, leaf in rungs.long_leaves(call, draft)]
    return sorted(set(sizes), reverse=True)


def _lighten(draft: Draft, group: Group, size: float, *, is_old: bool) -> None:
    """Shorten what in this group weighs at least `size`."""
    outputs, arguments, media = (
        (Reason.OLD_OUTPUT, Reason.OLD_ARGUMENTS, Reason.OLD_MEDIA)
        if is_old
        else (Reason.RECENT_OUTPUT, Reason.RECENT_ARGUMENTS, Reason.RECENT_MEDIA)
    )
    rungs.stub(draft, [group], outputs=outputs, arguments=arguments, least=size)
    rungs.strip_media(draft, [group], media, least=size)

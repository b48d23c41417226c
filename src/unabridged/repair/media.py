"""Pictures stay within what a request may carry.

Anthropic: at most 100 pictures a request, and with more than 20 none above 2,000 pixels a side ("image dimensions
exceed max allowed size for many-image requests"). The oldest give way first, each to a marker: nothing new is
wrong with the request, so this is no overflow of tokens.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import msgspec

from unabridged import markers
from unabridged.message import Media, MediaKind, Opaque, Part, Text, ToolResult, media_of
from unabridged.view import Cutter, Item

NAME = "media"

MOST_PICTURES = 100
MANY_PICTURES = 20
MANY_PICTURES_PIXELS = 2000


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Replace pictures above the limits by markers, oldest first."""
    found = [(place, nth, picture) for place, item in enumerate(items) for nth, picture in enumerate(_pictures(item))]
    excess = max(0, len(found) - MOST_PICTURES)
    surplus = [(place, nth) for place, nth, _ in found[:excess]]
    if len(found) - excess > MANY_PICTURES:
        surplus += [(place, nth) for place, nth, picture in found[excess:] if _is_large(picture)]
    out = list(items)
    for place in dict.fromkeys(place for place, _ in surplus):
        out[place] = _without(out[place], {nth for where, nth in surplus if where == place}, cutter)
    return out, len(surplus)


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item whether it must stay with the one before it: media ask for nothing of the kind."""
    return [False] * len(items)


def _pictures(item: Item) -> list[Media]:
    return [media for media in media_of(item.message) if media.kind is MediaKind.IMAGE]


def _is_large(picture: Media) -> bool:
    return max(picture.width or 0, picture.height or 0) > MANY_PICTURES_PIXELS


def _without(item: Item, surplus: set[int], cutter: Cutter) -> Item:
    counter = itertools.count()
    return cutter.edited(item, [_marked(part, surplus, counter) for part in item.message.parts])


def _marked(part: Part, surplus: set[int], counter: Iterator[int]) -> Part:
    if isinstance(part, ToolResult):
        inner = tuple(_piece(piece, surplus, counter) for piece in part.parts)
        return msgspec.structs.replace(part, parts=inner)
    return _piece(part, surplus, counter) if isinstance(part, Media) else part


def _piece(piece: Text | Media | Opaque, surplus: set[int], counter: Iterator[int]) -> Text | Media | Opaque:
    if isinstance(piece, Media) and piece.kind is MediaKind.IMAGE and next(counter) in surplus:
        return Text(markers.removed_media(piece))
    return piece

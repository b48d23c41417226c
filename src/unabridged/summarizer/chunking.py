"""Cuts what a model has to read into parts that fit its window."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.message import Media, Message
from unabridged.summarizer.blocks import Block, Telling, blocks_of
from unabridged.summarizer.request import SummaryRequest
from unabridged.tokens.media import media_tokens
from unabridged.tokens.price import measured

OUTPUTS = (2_000, 800, 300, 100)
"""Tokens of one output: the first that lets the span fit one part, else the second with as many parts as it takes."""
SEVERAL = 1
"""From which of them on several parts are better than shorter outputs."""
MOST_PARTS = 24
LEAST_ROOM = 400
"""Tokens below which a part is not worth a call."""


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a span that fits one question."""

    messages: tuple[Message, ...]
    blocks: tuple[Block, ...]
    tokens: int
    attached: tuple[tuple[int, Media], ...] = ()
    """Pictures and documents to attach, with their numbers, in order."""


def chunks(request: SummaryRequest, room: int, *, sees: bool = False) -> list[Chunk]:
    """Give the span in parts of at most `room` tokens each, by the request's counter. Empty where that cannot be.

    With `sees` as many pictures and documents are attached as fit, the newest first, and half of the room is theirs.
    """
    if room < LEAST_ROOM:
        return []
    found: list[list[Block]] = []
    for place, most in enumerate(OUTPUTS):
        found = _parts(request, room // 2 if sees else room, min(most, room // 4))
        if len(found) == 1 or (place >= SEVERAL and len(found) <= MOST_PARTS):
            return [_chunk(blocks, room, request, sees=sees) for blocks in found]
    return []


def _parts(request: SummaryRequest, room: int, most: int) -> list[list[Block]]:
    telling = Telling(counter=request.counter, media=request.media, most=most, longest=room // 2)
    parts: list[list[Block]] = [[]]
    taken = 0
    for block in blocks_of(request.messages, telling):
        if parts[-1] and taken + block.tokens > room:
            parts.append([])
            taken = 0
        parts[-1].append(block)
        taken += block.tokens
    return parts


def _chunk(blocks: Sequence[Block], room: int, request: SummaryRequest, *, sees: bool) -> Chunk:
    taken = sum(block.tokens for block in blocks)
    media = [item for block in blocks for item in block.media]
    attached: list[tuple[int, Media]] = []
    left = room - taken if sees else 0
    for number, item in reversed(media):
        price = media_tokens(measured(item, request.media), "")
        if item.digest in request.media and price <= left:
            attached.append((number, item))
            left -= price
    places = [block.place for block in blocks] or [1]
    messages = request.messages[places[0] - 1 : places[-1]]
    return Chunk(messages=messages, blocks=tuple(blocks), tokens=taken, attached=tuple(reversed(attached)))

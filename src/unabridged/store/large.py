"""Large texts lie once beside the log, by content, however often and in however many forms a payload holds them.

A message holds an output twice (as read, and in its provider's own form, escaped once more), and an agent reads the
same file again and again. What a row keeps instead is a payload with holes, and what goes into each.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import sha256

from unabridged.entry import MessageEntry, Payload
from unabridged.message import Text, ToolResult

LARGE = 16_384
"""Bytes of a text that is worth a place of its own."""
HOLE = b"\x00"
"""No JSON holds it, so nothing else can look like a hole."""
LEVELS = 2
"""How often a text may be escaped: in a part once, in the provider's own form twice."""


def with_holes(payload: Payload, stored: bytes) -> tuple[bytes, dict[bytes, bytes]]:
    """Give the bytes of a payload with holes where large texts were, and these texts by digest.

    Where the same bytes would not come back, nothing is taken out.
    """
    if len(stored) < LARGE or not isinstance(payload, MessageEntry):
        return stored, {}
    found: dict[bytes, bytes] = {}
    left = stored
    for text in _texts(payload):
        try:
            data = text.encode()
        except UnicodeEncodeError:  # half of a pair
            continue
        if len(data) < LARGE:
            continue
        digest = sha256(data).digest()
        for level in range(LEVELS, 0, -1):
            written = _escaped(data, level)
            if written in left:
                left = left.replace(written, b"%b%d%b%b" % (HOLE, level, digest.hex().encode(), HOLE))
                found[digest] = data
    if not found or filled(left, found.__getitem__) != stored:
        return stored, {}
    return left, found


def filled(stored: bytes, text_of: Callable[[bytes], bytes]) -> bytes:
    """Give the bytes of a payload with its large texts back in place. `text_of` gives one by digest."""
    if HOLE not in stored:
        return stored
    pieces = stored.split(HOLE)
    for nth in range(1, len(pieces), 2):
        level, digest = int(pieces[nth][:1]), bytes.fromhex(pieces[nth][1:].decode())
        pieces[nth] = _escaped(text_of(digest), level)
    return b"".join(pieces)


def _texts(payload: MessageEntry) -> Iterator[str]:
    for part in payload.message.parts:
        if isinstance(part, Text):
            yield part.text
        elif isinstance(part, ToolResult):
            yield from (inner.text for inner in part.parts if isinstance(inner, Text))


def _escaped(data: bytes, level: int) -> bytes:
    for _ in range(level):
        data = json.dumps(data.decode(), ensure_ascii=False)[1:-1].encode()
    return data

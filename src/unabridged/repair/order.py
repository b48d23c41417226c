"""Roles stand in an order that the provider accepts.

Anthropic: the first message is the user's (first message must use the `user` role), system text
is no message, and "final assistant content cannot end with trailing whitespace".
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Part, Role, Text
from unabridged.view import Cutter, Item

NAME = "order"


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Let the view start with a user's message and end without white space that a prefill may not have."""
    out = list(items)
    mended = 0
    for place, item in enumerate(out):
        if item.message.role is Role.SYSTEM and not _is_system_in_place(out, place):
            out[place] = cutter.remade(item, role=Role.USER)
            mended += 1
    if not out or out[0].message.role is Role.ASSISTANT:
        first = out[0].message.id if out else "view"
        out.insert(0, cutter.marker(markers.begins(), f"begins-{first}"))
        mended += 1
    last = out[-1]
    if last.message.role is Role.ASSISTANT and _trails(last):
        out[-1] = _trimmed(last, cutter)
        mended += 1
    return out, mended


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item whether it must stay with the one before it: order asks for nothing of the kind."""
    return [False] * len(items)


def _is_system_in_place(items: Sequence[Item], place: int) -> bool:
    """Tell whether a system message came in Anthropic's own form and stands where newer models take it."""
    raw = items[place].message.raw
    if raw is None or raw.dialect != "anthropic" or place == 0:
        return False
    asked = items[place - 1].message.role in (Role.USER, Role.TOOL)
    return asked and (place + 1 == len(items) or items[place + 1].message.role is Role.ASSISTANT)


def _trails(item: Item) -> bool:
    final = item.message.parts[-1] if item.message.parts else None
    return isinstance(final, Text) and final.text != final.text.rstrip()


def _trimmed(item: Item, cutter: Cutter) -> Item:
    final = item.message.parts[-1]
    assert isinstance(final, Text)
    parts: list[Part | None] = [*item.message.parts[:-1], msgspec.structs.replace(final, text=final.text.rstrip())]
    return cutter.edited(item, parts)

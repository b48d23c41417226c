"""Reasoning stands before what it led to, and what asks for its reasoning has it.

OpenAI Responses: "Item 'rs_...' of type 'reasoning' was provided without its required following item.", "Item 'fc_...'
of type 'function_call' was provided without its required 'reasoning' item: 'rs_...'." The service knows by the id of an
item what reasoning it came with; an item without an id asks for none. So the items of one answer stay together, and
behind a cut, where the reasoning of what comes first may be among what was dropped, items go without their ids until
somebody else speaks or the model reasons anew.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.message import Message, Part, Reasoning, Role
from unabridged.view import DROPPED, Cutter, Item
from unabridged.wire.openai_responses.identity import is_home, item_ids, without_ids

NAME = "reasoning"


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Take out reasoning that nothing follows, and ids whose reasoning may be gone."""
    kept: list[Item] = []
    mended = 0
    for item in reversed(items):
        if _dangles(item.message) and not (kept and _is_answer(kept[-1].message)):
            mended += 1
            rest = _without_end(item, cutter)
            if rest is not None:
                kept.append(rest)
        else:
            kept.append(item)
    kept.reverse()
    return kept, mended + _forget(kept)


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item of a mended view whether it must stay with the one before it: the rest of an answer does."""
    held = [False] * len(items)
    for at in range(1, len(items)):
        before, here = items[at - 1].message, items[at].message
        if _is_answer(before) and _is_answer(here):
            held[at] = _dangles(before) or not (here.parts and isinstance(here.parts[0], Reasoning))
    return held


class Trail:
    """What came so far, as far as the reasoning of what comes next depends on it."""

    def __init__(self) -> None:
        self._dangles = False
        self._behind = False

    def suspects(self, message: Message) -> bool:
        """Take in the next message; tell whether reasoning lacks what it led to, or this asks for some in vain."""
        left = self._dangles and not _is_answer(message)
        self._dangles = _dangles(message)
        return self.asks_in_vain(message) or left

    def asks_in_vain(self, message: Message) -> bool:
        """Take in the next message, and tell whether it asks for reasoning that may be among what was dropped."""
        if message.id.startswith(DROPPED) or message.role is Role.SUMMARY:
            self._behind = True
        elif message.role is Role.USER or any(isinstance(part, Reasoning) for part in message.parts):
            self._behind = False
        return self._behind and _is_answer(message) and bool(item_ids(message))


def _is_answer(message: Message) -> bool:
    return message.role is Role.ASSISTANT and is_home(message)


def _dangles(message: Message) -> bool:
    return _is_answer(message) and bool(message.parts) and isinstance(message.parts[-1], Reasoning)


def _without_end(item: Item, cutter: Cutter) -> Item | None:
    parts: list[Part | None] = list(item.message.parts)
    for at in range(len(parts) - 1, -1, -1):
        if not isinstance(parts[at], Reasoning):
            return cutter.edited(item, parts)
        parts[at] = None
    return None


def _forget(items: list[Item]) -> int:
    """Take out ids behind a cut; give how many messages lost some."""
    mended, trail = 0, Trail()
    for at, item in enumerate(items):
        if trail.asks_in_vain(item.message):
            nameless = without_ids(item.message, item_ids(item.message))
            items[at] = msgspec.structs.replace(item, message=nameless, changed=True)
            mended += 1
    return mended

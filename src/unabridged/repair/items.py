"""Each item is there once.

OpenAI Responses: "Duplicate item found with id rs_.... Remove duplicate items from your input and try again." Clients
send the reasoning once for each of the calls that it led to, or number their own items as the service does. The second
item of an id goes without it; reasoning, which is nothing without its id, leaves whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from unabridged.message import Message, Part
from unabridged.view import Cutter, Item
from unabridged.wire.openai_responses.identity import item_ids, reasoning_places, without_ids

NAME = "items"


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Take out ids that came before, and reasoning that did."""
    seen: set[str] = set()
    out: list[Item] = []
    mended = 0
    for item in items:
        ids = item_ids(item.message)
        again = {at: id for at, id in ids.items() if id in seen or id in list(ids.values())[: list(ids).index(at)]}
        seen.update(ids.values())
        mended += len(again)
        single = _single(item, again, cutter) if again else item
        if single is not None:
            out.append(single)
    return out, mended


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item whether it must stay with the one before it: being there once asks for nothing of the kind."""
    return [False] * len(items)


def suspects(message: Message, known: set[str]) -> bool:
    """Tell whether an item of a message came before, or comes twice in it; remembers them in `known`."""
    ids = list(item_ids(message).values())
    again = len(set(ids)) < len(ids) or not known.isdisjoint(ids)
    known.update(ids)
    return again


def _single(item: Item, again: Mapping[int, str], cutter: Cutter) -> Item | None:
    thoughts = reasoning_places(item.message)
    named = [at for at in again if at not in thoughts]
    single = msgspec.structs.replace(item, message=without_ids(item.message, named), changed=True)
    gone = {nth for at, nth in thoughts.items() if at in again}
    parts: list[Part | None] = [None if nth in gone else part for nth, part in enumerate(single.message.parts)]
    if not gone:
        return single
    return cutter.edited(single, parts) if any(part is not None for part in parts) else None

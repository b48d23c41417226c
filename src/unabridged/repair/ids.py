"""Call ids are of the form, and as unique, as the provider demands.

Anthropic: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" and "`tool_use` ids must be unique".
Runs after `calls`, so every result stands right behind its call and pairs can be renamed by position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.message import Part, ToolCall, ToolResult
from unabridged.view import Cutter, Item

NAME = "ids"

_LEGAL = re.compile(r"[a-zA-Z0-9_-]+")


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Rename calls whose id is used before or has other characters, and their results with them."""
    used: set[str] = set()
    renamed: dict[str, list[str]] = {}
    out: list[Item] = []
    mended = 0
    for item in items:
        if item.message.calls:
            renamed = {}
            news = [_fresh(call.id, used) for call in item.message.calls]
            for call, new in zip(item.message.calls, news, strict=True):
                renamed.setdefault(call.id, []).append(new)
            mended += sum(call.id != new for call, new in zip(item.message.calls, news, strict=True))
            out.append(_renamed(item, iter(news), cutter))
        elif item.message.results:
            news = [_next(renamed, result.call_id) for result in item.message.results]
            out.append(_renamed(item, iter(news), cutter))
        else:
            out.append(item)
    return out, mended


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item whether it must stay with the one before it: ids ask for nothing of the kind."""
    return [False] * len(items)


def is_legal(id: str) -> bool:
    """Tell whether Anthropic accepts the characters of an id."""
    return _LEGAL.fullmatch(id) is not None


def _fresh(id: str, used: set[str]) -> str:
    legal = id if is_legal(id) else re.sub(r"[^a-zA-Z0-9_-]", "_", id) or "call"
    new, turn = legal, 2
    while new in used:
        new, turn = f"{legal}_{turn}", turn + 1
    used.add(new)
    return new


def _next(renamed: dict[str, list[str]], id: str) -> str:
    waiting = renamed.get(id)
    return waiting.pop(0) if waiting else id


def _renamed(item: Item, news: Iterator[str], cutter: Cutter) -> Item:
    fresh: list[Part | None] = []
    for part in item.message.parts:
        match part:
            case ToolCall():
                fresh.append(msgspec.structs.replace(part, id=next(news)))
            case ToolResult():
                fresh.append(msgspec.structs.replace(part, call_id=next(news)))
            case _:
                fresh.append(part)
    return item if tuple(fresh) == item.message.parts else cutter.edited(item, fresh)

"""Call ids are of the form, and as unique, as the provider demands.

Anthropic: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" and "`tool_use` ids must be unique", over the
whole request. OpenAI: no empty id, and none twice in one message; over messages they may repeat, and real ones do. That
its own endpoint also refuses more than 40 characters is left alone: the servers that issue such ids take them.
Runs after `calls`, so every result stands right behind its call and pairs are renamed by position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.message import Message, Part, Role, ToolCall, ToolResult
from unabridged.view import Cutter, Item

NAME = "ids"

_LEGAL = re.compile(r"[a-zA-Z0-9_-]+")


class Ids:
    """The rule, for one dialect."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._anthropic = dialect == "anthropic"

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Rename calls whose id is used before or has other characters, and their results with them."""
        used: set[str] = set()
        renamed: dict[str, list[str]] = {}
        out: list[Item] = []
        mended = 0
        for at, item in enumerate(items):
            calls = item.message.calls
            if calls:
                if at == 0 or items[at - 1].message.role is not Role.ASSISTANT:
                    renamed = {}  # the messages of one turn are answered together
                if not self._anthropic:
                    used = set()
                news = [self._fresh(call.id, used) for call in calls]
                for call, new in zip(calls, news, strict=True):
                    renamed.setdefault(call.id, []).append(new)
                    mended += call.id != new
                out.append(_renamed(item, iter(news), cutter))
            elif item.message.results:
                news = [_next(renamed, result.call_id) for result in item.message.results]
                out.append(_renamed(item, iter(news), cutter))
            else:
                out.append(item)
        return out, mended

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item whether it must stay with the one before it: ids ask for nothing of the kind."""
        return [False] * len(items)

    def suspects(self, message: Message, known: set[str]) -> bool:
        """Tell whether the ids of a message may have to be mended; remembers them in `known`."""
        ids = [part.id for part in message.parts if isinstance(part, ToolCall)]
        if not ids:
            return False
        twice = len(set(ids)) < len(ids) or (self._anthropic and not known.isdisjoint(ids))
        known.update(ids)
        return twice or not all(map(self._is_legal, ids))

    def _is_legal(self, id: str) -> bool:
        return _LEGAL.fullmatch(id) is not None if self._anthropic else bool(id)

    def _fresh(self, id: str, used: set[str]) -> str:
        legal = id if self._is_legal(id) else re.sub(r"[^a-zA-Z0-9_-]", "_", id) or "call"
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

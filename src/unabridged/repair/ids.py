"""Call ids are of the form, and as unique, as the provider demands.

Anthropic: "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'" and "`tool_use` ids must be unique", over the
whole request. OpenAI Chat: no empty id, and none twice in one message; over messages they may repeat, and real ones do.
That its own endpoint also refuses more than 40 characters counts for ids that come from elsewhere: what a server of
this dialect issued, it takes.
Responses: "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64", and "Duplicate
'call_id'", over the whole request (so say servers that speak it; what joins a result to its call is nothing but the
id there). Gemini demands nothing of ids. Runs after `calls`, so pairs are renamed together.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.message import Message, Part, Role, ToolCall, ToolResult
from unabridged.view import Cutter, Item

NAME = "ids"

LONGEST = {"openai_chat": 40, "openai_responses": 64}
"""Characters that are taken."""
_LEGAL = re.compile(r"[a-zA-Z0-9_-]+")
_MARK = 16
"""Characters of the digest that tells apart long ids that begin alike."""


class Ids:
    """The rule, for one dialect."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._spelled = dialect == "anthropic"
        self._once = dialect != "openai_chat"
        """No id comes again in the whole request."""

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Rename calls whose id is used before or has another form, and their results with them."""
        used: set[str] = set()
        batches: list[dict[str, list[str]]] = []
        out: list[Item] = []
        mended = 0
        for at, item in enumerate(items):
            calls = item.message.calls
            if calls:
                if at == 0 or items[at - 1].message.role is not Role.ASSISTANT or not batches:
                    batches.append({})  # the messages of one turn are answered together
                if not self._once:
                    used = set()
                longest = self._longest(item.message)
                news = [self._fresh(call.id, used, longest) for call in calls]
                for call, new in zip(calls, news, strict=True):
                    batches[-1].setdefault(call.id, []).append(new)
                    mended += call.id != new
                out.append(_renamed(item, iter(news), cutter))
            elif item.message.results:
                news = [_next(batches, result.call_id) for result in item.message.results]
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
        twice = len(set(ids)) < len(ids) or (self._once and not known.isdisjoint(ids))
        known.update(ids)
        longest = self._longest(message)
        return twice or not all([self._is_legal(id, longest) for id in ids])

    def _longest(self, message: Message) -> int | None:
        own = message.raw is not None and message.raw.dialect == self._dialect
        return None if own and not self._once else LONGEST.get(self._dialect)

    def _is_legal(self, id: str, longest: int | None) -> bool:
        if self._spelled:
            return _LEGAL.fullmatch(id) is not None
        return bool(id) and (longest is None or len(id) <= longest)

    def _fresh(self, id: str, used: set[str], longest: int | None) -> str:
        legal = id if self._is_legal(id, longest) else self._legal(id, longest)
        new, turn = legal, 2
        while new in used:
            end = f"_{turn}"
            new, turn = legal[: None if longest is None else longest - len(end)] + end, turn + 1
        used.add(new)
        return new

    def _legal(self, id: str, longest: int | None) -> str:
        if longest is not None and id:
            digest = hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()
            return f"{id[: longest - _MARK - 1]}_{digest[:_MARK]}"
        return re.sub(r"[^a-zA-Z0-9_-]", "_", id) or "call"


def _next(batches: list[dict[str, list[str]]], id: str) -> str:
    """Give what the nearest call of an id is called now, the first of several in one turn."""
    for batch in reversed(batches):
        if batch.get(id):
            return batch[id].pop(0)
    return id


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

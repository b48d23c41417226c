"""The view is valid for its provider: one invariant is one file with one name.

Each rule answers two questions: `mend` says what must go or move, `joined` says where one may not cut.
Strategies ask for the cut points first, so that after a fit the rules find nothing. Rules run in order, each on
what the ones before it left, and a second run changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from unabridged.errors import BadInput
from unabridged.message import MediaKind, Message, Role, Text, ToolCall, ToolResult, media_of
from unabridged.repair import items as single_items
from unabridged.repair import media, names, pairs, reasoning
from unabridged.repair.calls import Calls
from unabridged.repair.content import Content
from unabridged.repair.foreign import Foreign
from unabridged.repair.ids import Ids
from unabridged.repair.order import Order
from unabridged.repair.surrogates import Surrogates
from unabridged.view import Cutter, Item


class Rule(Protocol):
    """One invariant of a wire."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant of each rule
        """By which reports name it."""
        ...

    def mend(self, items: Sequence[Item], cutter: Cutter, /) -> tuple[list[Item], int]:
        """Give the items with the invariant restored, and how many things had to be mended."""
        ...

    def joined(self, items: Sequence[Item], /) -> list[bool]:
        """Tell for each item of a mended view whether it must stay with the one before it."""
        ...


RULES: dict[str, tuple[Rule, ...]] = {
    "openai_chat": (
        Foreign("openai_chat"),
        Calls("openai_chat"),
        names,
        Surrogates("openai_chat"),
        Content("openai_chat"),
        Ids("openai_chat"),
    ),
    "openai_responses": (
        Foreign("openai_responses"),
        Calls("openai_responses"),
        names,
        pairs,
        Surrogates("openai_responses"),
        Content("openai_responses"),
        reasoning,
        single_items,
        Ids("openai_responses"),
    ),
    "anthropic": (
        Foreign("anthropic"),
        Calls("anthropic"),
        names,
        Surrogates("anthropic"),
        Content("anthropic"),
        Order("anthropic"),
        Ids("anthropic"),
        media,
    ),
    "gemini": (
        Foreign("gemini"),
        Calls("gemini"),
        names,
        Surrogates("gemini"),
        Content("gemini"),
        Order("gemini"),
    ),
}


def rules_for(dialect: str) -> tuple[Rule, ...]:
    """Give the rules of a dialect, in the order in which they run."""
    try:
        return RULES[dialect]
    except KeyError:
        raise BadInput(f"no repair rules for the dialect {dialect!r}: known are {', '.join(sorted(RULES))}") from None


def mend(items: Sequence[Item], dialect: str, cutter: Cutter) -> tuple[list[Item], tuple[tuple[str, int], ...]]:
    """Run every rule; give the valid items and, by rule, how much was mended."""
    valid = list(items)
    mended: list[tuple[str, int]] = []
    for rule in rules_for(dialect):
        valid, count = rule.mend(valid, cutter)
        if count:
            mended.append((rule.NAME, count))
    return valid, tuple(mended)


def groups(items: Sequence[Item], dialect: str) -> list[list[Item]]:
    """Split mended items into groups that stand or fall together. Cuts lie between groups, nowhere else."""
    held = [rule.joined(items) for rule in rules_for(dialect)]
    split: list[list[Item]] = []
    for item, joined in zip(items, map(any, zip(*held, strict=True)), strict=True):
        if split and joined:
            split[-1].append(item)
        else:
            split.append([item])
    return split


class Watch:
    """Tells, one message at a time, whether anything may need mending, so that a valid transcript is never re-read.

    It may be suspicious without cause, and then the rules run and find nothing; it never misses what they mend.
    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._anthropic = dialect == "anthropic"
        self._combines = dialect != "openai_chat"
        self._responses = dialect == "openai_responses"
        self._foreign = Foreign(dialect)
        self._content = Content(dialect)
        self._order = Order(dialect) if dialect in ("anthropic", "gemini") else None
        self._rule_of_ids = Ids(dialect) if dialect != "gemini" else None
        self._surrogates = Surrogates(dialect)
        self._open: list[str] = []
        self._asking = False
        self._ids: set[str] = set()
        self._items: set[str] = set()
        self._trail = reasoning.Trail()
        self._pictures = 0
        self._before: Message | None = None
        self.suspicious = False

    @property
    def is_open(self) -> bool:
        """Calls of the newest assistant message still wait for an answer."""
        return bool(self._open)

    def see(self, item: Item) -> None:
        """Take in the next item of a view."""
        message = item.message
        self._see_calls(message)
        self._see_alone(message)
        if self._anthropic:
            self._see_pictures(message)
        if self._responses:
            self._see_items(message)
        self._before = message

    def _see_calls(self, message: Message) -> None:
        asked: list[str] = []
        answered: list[str] = []
        for part in message.parts:
            if isinstance(part, ToolResult):
                answered.append(part.call_id)
            elif isinstance(part, ToolCall):
                asked.append(part.id)
        if answered:
            self._answer(answered, mixed=len(answered) != len(message.parts))
            self._asking = False
        elif self._open and not (self._combines and self._asking and message.role is Role.ASSISTANT):
            self.suspicious = True
        if asked:
            self._open = self._open + asked
            self._asking = True
            self.suspicious |= names.suspects(message)
            if self._rule_of_ids is not None:
                self.suspicious |= self._rule_of_ids.suspects(message, self._ids)

    def _see_alone(self, message: Message) -> None:
        """Look at a message for itself."""
        raw = message.raw
        foreign = raw is None or raw.dialect != self._dialect
        if (
            (foreign and self._foreign.suspects(message))
            or self._content.suspects(message)
            or self._surrogates.suspects(message)
            or (self._order is not None and self._order.suspects(message, first=self._before is None))
        ):
            self.suspicious = True

    def _see_pictures(self, message: Message) -> None:
        if any(not isinstance(part, Text | ToolCall) for part in message.parts):
            self._pictures += sum(piece.kind is MediaKind.IMAGE for piece in media_of(message))
        self.suspicious |= self._pictures > media.MANY_PICTURES

    def _see_items(self, message: Message) -> None:
        self.suspicious |= self._trail.suspects(message) or pairs.suspects(message)
        self.suspicious |= single_items.suspects(message, self._items)

    def _answer(self, ids_: list[str], *, mixed: bool) -> None:
        if mixed:
            self.suspicious = True  # results beside something else: where that stands is for the rules to say
        for id in ids_:
            if id not in self._open:
                self.suspicious = True
                return
            self._open.remove(id)

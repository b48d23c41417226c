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
from unabridged.repair import media, order
from unabridged.repair.calls import Calls
from unabridged.repair.content import Content
from unabridged.repair.ids import Ids
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
    "openai_chat": (Calls(combines=False), Surrogates("openai_chat"), Content("openai_chat"), Ids("openai_chat")),
    "anthropic": (Calls(combines=True), Surrogates("anthropic"), Content("anthropic"), order, Ids("anthropic"), media),
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
    for place, item in enumerate(items):
        if split and any(joined[place] for joined in held):
            split[-1].append(item)
        else:
            split.append([item])
    return split


class Watch:
    """Tells, one message at a time, whether anything may need mending, so that a valid transcript is never re-read.

    It may be suspicious without cause, and then the rules run and find nothing; it never misses what they mend.
    """

    def __init__(self, dialect: str) -> None:
        self._anthropic = dialect == "anthropic"
        self._content = Content(dialect)
        self._rule_of_ids = Ids(dialect)
        self._surrogates = Surrogates(dialect)
        self._open: list[str] = []
        self._asking = False
        self._ids: set[str] = set()
        self._pictures = 0
        self._started = False
        self.suspicious = False

    @property
    def is_open(self) -> bool:
        """Calls of the newest assistant message still wait for an answer."""
        return bool(self._open)

    def see(self, item: Item) -> None:
        """Take in the next item of a view."""
        parts = item.message.parts
        answered = [part.call_id for part in parts if isinstance(part, ToolResult)]
        if answered:
            self._answer(answered, mixed=len(answered) != len(parts))
            self._asking = False
        elif self._open and not (self._anthropic and self._asking and item.message.role is Role.ASSISTANT):
            self.suspicious = True
        asked = [part.id for part in parts if isinstance(part, ToolCall)]
        if asked:
            self._open = self._open + asked
            self._asking = True
        self.suspicious |= self._content.suspects(item.message) or self._surrogates.suspects(item.message)
        self.suspicious |= self._rule_of_ids.suspects(item.message, self._ids)
        if self._anthropic:
            self._see_anthropic(item.message)
        self._started = True

    def _see_anthropic(self, message: Message) -> None:
        if any(not isinstance(part, Text | ToolCall) for part in message.parts):
            self._pictures += sum(piece.kind is MediaKind.IMAGE for piece in media_of(message))
        first_is_answer = not self._started and message.role is Role.ASSISTANT
        if first_is_answer or message.role is Role.SYSTEM or self._pictures > media.MANY_PICTURES:
            self.suspicious = True

    def _answer(self, ids_: list[str], *, mixed: bool) -> None:
        if mixed:
            self.suspicious = True  # results beside something else: where that stands is for the rules to say
        for id in ids_:
            if id not in self._open:
                self.suspicious = True
                return
            self._open.remove(id)

"""Roles stand in an order that the provider accepts.

Anthropic: the first message is the user's (first message must use the `user` role), system text
is no message, and "final assistant content cannot end with trailing whitespace". Gemini: "History must start with a
user turn.", "function call turn comes immediately after a user turn or after a function response turn" (the wire makes
one turn of answers in a row of which one calls), and there are no roles but `user` and `model`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Message, Opaque, Part, Reasoning, Role, Text
from unabridged.view import Cutter, Item

NAME = "order"


class Order:
    """The rule, for one dialect."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._anthropic = dialect == "anthropic"

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Let the view start with a user's message and end without white space that a prefill may not have."""
        out = list(items)
        mended = 0
        for place, item in enumerate(out):
            if item.message.role is Role.SYSTEM and not (self._anthropic and _is_system_in_place(out, place)):
                out[place] = cutter.remade(item, role=Role.USER)
                mended += 1
        if not out or out[0].message.role is Role.ASSISTANT:
            first = out[0].message.id if out else "view"
            out.insert(0, cutter.marker(markers.begins(), f"begins-{first}"))
            mended += 1
        while self._anthropic and out[-1].message.role is Role.ASSISTANT and _ends_badly(out):
            trimmed = _trimmed(out.pop(), cutter)
            mended += 1
            out += [trimmed] if trimmed is not None else []
        return out, mended

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item of a mended view whether it must stay with the one before it.

        System texts in a row and the answer to them do, and a server tool's result with the system text behind it.
        """
        held = [False] * len(items)
        for at in range(1, len(items) if self._anthropic else 0):
            before, role = items[at - 1].message.role, items[at].message.role
            follows = before is Role.SYSTEM and role in (Role.SYSTEM, Role.ASSISTANT)
            held[at] = follows or (before is Role.ASSISTANT and role is Role.SYSTEM)
        return held

    def suspects(self, message: Message, *, first: bool) -> bool:
        """Tell whether a message may have no place where it stands."""
        return message.role is Role.SYSTEM or (first and message.role is Role.ASSISTANT)


def _is_system_in_place(items: Sequence[Item], place: int) -> bool:
    """Tell whether a system message came in Anthropic's own form and stands where newer models take it.

    A run of them counts as one: behind a user's message or a server tool's result, and before an answer or the end.
    """
    first, last = place, place
    while first > 0 and items[first - 1].message.role is Role.SYSTEM:
        first -= 1
    while last + 1 < len(items) and items[last + 1].message.role is Role.SYSTEM:
        last += 1
    if first == 0 or not all(_is_own(item.message) for item in items[first : last + 1]):
        return False
    before = items[first - 1].message
    asked = before.role is not Role.ASSISTANT or _ends_with_a_server_result(before)
    return asked and (last + 1 == len(items) or items[last + 1].message.role is Role.ASSISTANT)


def _is_own(message: Message) -> bool:
    return message.raw is not None and message.raw.dialect == "anthropic"


def _ends_with_a_server_result(message: Message) -> bool:
    final = message.parts[-1] if message.parts else None
    return isinstance(final, Opaque) and final.kind.endswith("_tool_result")


def _trails(message: Message) -> bool:
    final = message.parts[-1] if message.parts else None
    return isinstance(final, Text) and final.text != final.text.rstrip()


def _ends_badly(items: Sequence[Item]) -> bool:
    """Tell whether white space or thoughts would be the end: of the last answer, or of the one before an empty one."""
    ending = items[-1].message
    if ending.parts:
        return _trails(ending) or all(isinstance(part, Reasoning) for part in ending.parts)
    return len(items) > 1 and items[-2].message.role is Role.ASSISTANT and _trails(items[-2].message)


def _trimmed(item: Item, cutter: Cutter) -> Item | None:
    """Give an answer without the white space at its end; None where it said nothing else, its thoughts aside."""
    parts: list[Part | None] = list(item.message.parts)
    for place in range(len(parts) - 1, -1, -1):
        final = parts[place]
        if isinstance(final, Text) and final.text.strip():
            parts[place] = msgspec.structs.replace(final, text=final.text.rstrip())
            return cutter.edited(item, parts)
        if not isinstance(final, Text | Reasoning):
            return cutter.edited(item, parts)
        parts[place] = None
    return None

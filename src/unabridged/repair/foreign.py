"""What another provider's dialect said, and this one cannot say, gives way to a text that names it.

No provider refuses it in words of its own, since none can be sent it: a recording has no form in Anthropic's messages,
a web search of one service means nothing to the next. Thoughts of another model are left out whole: Anthropic answers
"Invalid `signature` in `thinking` block", Gemini "Corrupted thought signature.". The transcript keeps everything, and
with the provider that it came from it goes out as it came (`wire.crossing` has the table).

Runs first, so that the other rules and the count see what will be sent.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.message import Message, Role
from unabridged.view import Cutter, Item
from unabridged.wire.crossing import crossed

NAME = "foreign"


class Foreign:
    """The rule, for one dialect."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Replace what this dialect cannot say. Each part counts; an answer of which nothing is left goes."""
        out: list[Item] = []
        mended = 0
        for item in items:
            parts = crossed(item.message, self._dialect)
            if parts == item.message.parts:
                out.append(item)
                continue
            mended += sum(now != was for was, now in zip(item.message.parts, parts, strict=True))
            left = tuple(part for part in parts if part is not None)
            if left or item.message.role is not Role.ASSISTANT:
                out.append(cutter.remade(item, role=item.message.role, parts=left))
        return out, mended

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item whether it must stay with the one before it: crossing asks for nothing of the kind."""
        return [False] * len(items)

    def suspects(self, message: Message) -> bool:
        """Tell whether a message holds what this dialect cannot say."""
        return crossed(message, self._dialect) != message.parts

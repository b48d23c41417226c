"""A call has a name.

Small models leave it out. Anthropic: "tools.0.name: String should have at least 1 character", of calls as well; OpenAI:
"Invalid 'messages[1].tool_calls[0].function.name': empty string"; Gemini: "function call is missing a name". The result
that answers it is joined by the id, or by the place, so that nothing else has to change.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.message import Message, Part, ToolCall
from unabridged.view import Cutter, Item

NAME = "names"
UNNAMED = "unnamed"
"""What a call without a name is called in a view."""


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Name what has no name."""
    out: list[Item] = []
    mended = 0
    for item in items:
        parts = [_named(part) for part in item.message.parts]
        changed = sum(part is not before for part, before in zip(parts, item.message.parts, strict=True))
        mended += changed
        out.append(cutter.edited(item, parts) if changed else item)
    return out, mended


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item whether it must stay with the one before it: names ask for nothing of the kind."""
    return [False] * len(items)


def suspects(message: Message) -> bool:
    """Tell whether a message makes a call without a name."""
    return any(isinstance(part, ToolCall) and not part.name for part in message.parts)


def _named(part: Part) -> Part:
    return msgspec.structs.replace(part, name=UNNAMED) if isinstance(part, ToolCall) and not part.name else part

"""No message goes out with nothing in it.

Anthropic: "messages: text content blocks must be non-empty", "text content blocks must contain non-whitespace
text", "all messages must have non-empty content except for the optional final assistant message". OpenAI
refuses an assistant message with neither content nor calls.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Part, Reasoning, Role, Text, ToolResult
from unabridged.view import Cutter, Item

NAME = "content"


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Take out empty texts, put a placeholder into empty results, leave out assistant messages with nothing to say."""
    out: list[Item] = []
    mended = 0
    for item in items:
        if not is_broken(item):
            out.append(item)
            continue
        mended += 1
        filled = _filled(item, cutter)
        if filled is not None:
            out.append(filled)
    return out, mended


def joined(items: Sequence[Item]) -> list[bool]:
    """Tell for each item whether it must stay with the one before it: content asks for nothing of the kind."""
    return [False] * len(items)


def is_broken(item: Item) -> bool:
    """Tell whether a provider would refuse a message for being empty, in whole or in one of its blocks."""
    parts = item.message.parts
    return not parts or isinstance(parts[-1], Reasoning) or any(map(_is_empty, parts))


def _is_empty(part: Part) -> bool:
    if isinstance(part, Text):
        return not part.text or part.text.isspace()
    if isinstance(part, ToolResult):
        return any(isinstance(inner, Text) and (not inner.text or inner.text.isspace()) for inner in part.parts)
    return False


def _filled(item: Item, cutter: Cutter) -> Item | None:
    parts: list[Part | None] = [_mended(part) for part in item.message.parts]
    while parts and (parts[-1] is None or isinstance(parts[-1], Reasoning)):
        # A thought that nothing follows: "The final block in an assistant message cannot be `thinking`".
        parts.pop()
    parts += [None] * (len(item.message.parts) - len(parts))
    if any(part is not None and not isinstance(part, Reasoning) for part in parts):
        return cutter.edited(item, parts)
    if item.message.role is Role.ASSISTANT:
        return None
    return cutter.remade(item, role=item.message.role, parts=(Text(markers.empty()),))


def _mended(part: Part) -> Part | None:
    if isinstance(part, Text) and not part.text.strip():
        return None
    if isinstance(part, ToolResult) and _is_empty(part):
        inner = tuple(
            Text(markers.empty()) if isinstance(piece, Text) and not piece.text.strip() else piece
            for piece in part.parts
        )
        return msgspec.structs.replace(part, parts=inner)
    return part

"""No message goes out with nothing in it, where its provider refuses that; what a provider takes stays as it is.

OpenAI refuses a content of null, unless an assistant message has calls instead ("Invalid value for 'content': expected
a string, got null"); an empty string it takes. Anthropic: "messages: text content blocks must be non-empty", "text
content blocks must contain non-whitespace text" (where there is nothing else), "all messages must have non-empty
content except for the optional final assistant message", "The final block in an assistant message cannot be
`thinking`".
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Message, Part, Reasoning, Role, Text, ToolResult
from unabridged.view import Cutter, Item
from unabridged.wire.json_text import JsonNode

NAME = "content"


class Content:
    """The rule, for one dialect."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._is_broken = _refused_by_anthropic if dialect == "anthropic" else _refused_by_openai

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Take out empty texts, put a placeholder into empty messages, leave out answers that say nothing."""
        out: list[Item] = []
        mended = 0
        for at, item in enumerate(items):
            if not self._is_broken(item.message) or _may_stay(items, at):
                out.append(item)
                continue
            mended += 1
            filled = _filled(item, cutter)
            if filled is not None:
                out.append(filled)
        return out, mended

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item whether it must stay with the one before it: content asks for nothing of the kind."""
        return [False] * len(items)

    def suspects(self, message: Message) -> bool:
        """Tell whether a message, whatever stands beside it, may have to be mended."""
        return self._is_broken(message)


def _refused_by_openai(message: Message) -> bool:
    if any(not isinstance(part, Reasoning) and part != ToolResult(_id(part)) for part in message.parts):
        return False
    if message.raw is None:
        return False  # written by us, with an empty string where there is nothing
    content = JsonNode.parse(message.raw.body, "a message").get("content")
    return content is None or content.value is None


def _id(part: Part) -> str:
    return part.call_id if isinstance(part, ToolResult) else ""


def _refused_by_anthropic(message: Message) -> bool:
    parts = message.parts
    if not parts or isinstance(parts[-1], Reasoning):
        return True
    return any(map(_is_empty, parts)) or all(isinstance(part, Text) and not part.text.strip() for part in parts)


def _is_empty(part: Part) -> bool:
    if isinstance(part, Text):
        return not part.text
    return isinstance(part, ToolResult) and any(isinstance(inner, Text) and not inner.text for inner in part.parts)


def _may_stay(items: Sequence[Item], at: int) -> bool:
    """Tell whether where it stands makes a message sound: thoughts that the next message goes on from, a last word."""
    parts = items[at].message.parts
    if not parts:  # the one empty message that is taken: a prefill with nothing in it
        return at == len(items) - 1 and items[at].message.role is Role.ASSISTANT and items[at].message.raw is not None
    thinks_on = bool(parts) and isinstance(parts[-1], Reasoning) and not any(map(_is_empty, parts))
    return thinks_on and at + 1 < len(items) and items[at + 1].message.role is Role.ASSISTANT


def _filled(item: Item, cutter: Cutter) -> Item | None:
    parts: list[Part | None] = [_mended(part) for part in item.message.parts]
    while parts and (parts[-1] is None or isinstance(parts[-1], Reasoning)):
        parts.pop()
    parts += [None] * (len(item.message.parts) - len(parts))
    if any(_says(part) for part in parts):
        return cutter.edited(item, parts)
    if item.message.role is Role.ASSISTANT:
        return None
    placeholder = Text(markers.empty())
    results = item.message.results
    if results:
        return cutter.remade(item, role=item.message.role, parts=(ToolResult(results[0].call_id, (placeholder,)),))
    return cutter.remade(item, role=item.message.role, parts=(placeholder,))


def _says(part: Part | None) -> bool:
    if part is None or isinstance(part, Reasoning):
        return False
    return bool(part.text.strip()) if isinstance(part, Text) else part != ToolResult(_id(part))


def _mended(part: Part) -> Part | None:
    if isinstance(part, Text) and not part.text:
        return None
    if isinstance(part, ToolResult) and _is_empty(part):
        inner = tuple(
            Text(markers.empty()) if isinstance(piece, Text) and not piece.text else piece for piece in part.parts
        )
        return msgspec.structs.replace(part, parts=inner)
    return part

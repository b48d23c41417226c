"""No message goes out with nothing in it, where its provider refuses that; what a provider takes stays as it is.

OpenAI refuses a content of null, unless an assistant message has calls instead ("Invalid value for 'content': expected
a string, got null", Responses "Missing required parameter: 'input[0].content'"); an empty string it takes. Anthropic:
"messages: text content blocks must be non-empty", "text content blocks must contain non-whitespace text" (where there
is nothing else), "all messages must have non-empty content except for the optional final assistant message", "The final
block in an assistant message cannot be `thinking`". Gemini: "contents.parts must not be empty", "required oneof field
'data' must have one initialized field"; an empty text it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged import markers
from unabridged.message import Message, Opaque, Part, Reasoning, Role, Text, ToolResult
from unabridged.view import Cutter, Item
from unabridged.wire.json_text import JsonNode, as_object
from unabridged.wire.openai_responses.items import items_of, kind_of

NAME = "content"


class Content:
    """The rule, for one dialect."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._is_broken = _REFUSED[dialect]
        self._may_stay = _may_stay if dialect == "anthropic" else _may_not_stay
        self._rewrites = dialect == "openai_responses"  # where an item that holds no part is what is wrong

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Take out empty texts, put a placeholder into empty messages, leave out answers that say nothing."""
        out: list[Item] = []
        mended = 0
        for item in reversed(items):  # thoughts may go on into the next answer only if that one stays
            if not self._is_broken(item.message) or self._may_stay(item.message, out[-1] if out else None):
                out.append(item)
                continue
            mended += 1
            filled = self._filled(item, cutter)
            if filled is not None:
                out.append(filled)
        out.reverse()
        return out, mended

    def _filled(self, item: Item, cutter: Cutter) -> Item | None:
        parts: list[Part | None] = [_mended(part) for part in item.message.parts]
        while parts and (parts[-1] is None or isinstance(parts[-1], Reasoning)):
            parts.pop()
        parts += [None] * (len(item.message.parts) - len(parts))
        if any(_says(part) for part in parts):
            if not self._rewrites:
                return cutter.edited(item, parts)
            kept = tuple(part for part in parts if part is not None and not isinstance(part, Reasoning))
            return cutter.remade(item, role=item.message.role, parts=kept)
        return _placeholder(item, cutter)

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item whether it must stay with the one before it: with thoughts that it goes on from."""
        return [
            nth > 0 and bool(items[nth - 1].message.parts) and self._may_stay(items[nth - 1].message, item)
            for nth, item in enumerate(items)
        ]

    def suspects(self, message: Message) -> bool:
        """Tell whether a message, whatever stands beside it, may have to be mended."""
        return self._is_broken(message)


def _refused_by_openai(message: Message) -> bool:
    if not all(map(_is_silent, message.parts)):
        return False
    if message.raw is None:
        return False  # written by us, with an empty string where there is nothing
    content = JsonNode.parse(message.raw.body, "a message").get("content")
    return content is None or content.value is None


def _refused_by_responses(message: Message) -> bool:
    raw = message.raw
    if raw is None or raw.dialect != "openai_responses":
        return message.role is Role.ASSISTANT and not any(map(_says, message.parts))
    if raw.body.startswith("[") and "null" not in raw.body and raw.body.count('"role"') <= raw.body.count('"content"'):
        return False  # most groups are told to be sound without being read
    if not raw.body.startswith("[") and any(part != ToolResult(_id(part)) for part in message.parts):
        return False
    return any(map(_lacks_content, items_of(JsonNode.parse(raw.body, "a message"))))


def _lacks_content(item: JsonNode) -> bool:
    kind, members = kind_of(item), as_object(item.value)
    if kind == "message":
        return members.get("content") is None
    return kind in ("function_call_output", "custom_tool_call_output") and members.get("output") is None


def _is_silent(part: Part) -> bool:
    return isinstance(part, Reasoning) or (isinstance(part, ToolResult) and not part.parts and not part.is_error)


def _id(part: Part) -> str:
    return part.call_id if isinstance(part, ToolResult) else ""


def _refused_by_anthropic(message: Message) -> bool:
    parts = message.parts
    if not parts or isinstance(parts[-1], Reasoning):
        return True
    return any(map(_is_empty, parts)) or all(isinstance(part, Text) and not part.text.strip() for part in parts)


def _refused_by_gemini(message: Message) -> bool:
    if message.raw is None or message.raw.dialect != "gemini":
        return not any(isinstance(part, ToolResult) or _says(part) for part in message.parts)
    return not message.parts or any(map(_is_nothing, message.parts))


def _is_nothing(part: Part) -> bool:
    return isinstance(part, Opaque) and not part.kind


_REFUSED: dict[str, Callable[[Message], bool]] = {
    "openai_chat": _refused_by_openai,
    "openai_responses": _refused_by_responses,
    "anthropic": _refused_by_anthropic,
    "gemini": _refused_by_gemini,
}


def _is_empty(part: Part) -> bool:
    if isinstance(part, Text):
        return not part.text
    return isinstance(part, ToolResult) and any(isinstance(inner, Text) and not inner.text for inner in part.parts)


def _may_stay(message: Message, follower: Item | None) -> bool:
    """Tell whether where it stands makes a message sound: thoughts that the next message goes on from, a last word."""
    parts = message.parts
    if not parts:  # the one empty message that is taken: a prefill with nothing in it
        own = message.raw is not None and message.raw.dialect == "anthropic"
        return own and follower is None and message.role is Role.ASSISTANT
    thinks = isinstance(parts[-1], Reasoning) and not any(map(_is_empty, parts))
    if not thinks or follower is None or follower.message.role is not Role.ASSISTANT:
        return False
    return bool(follower.message.parts)  # with nothing behind them the thoughts are still the end


def _may_not_stay(message: Message, follower: Item | None) -> bool:
    return False


def _placeholder(item: Item, cutter: Cutter) -> Item | None:
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
    if _is_nothing(part) or (isinstance(part, Text) and not part.text):
        return None
    if isinstance(part, ToolResult) and _is_empty(part):
        inner = tuple(
            Text(markers.empty()) if isinstance(piece, Text) and not piece.text else piece for piece in part.parts
        )
        return msgspec.structs.replace(part, parts=inner)
    return part

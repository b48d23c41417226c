"""Writes messages as items of OpenAI Responses the way Codex reads them: each with its type, content as blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged.exporters.exporter import Losses
from unabridged.exporters.pieces import OpenCalls, base64_of, home_text
from unabridged.message import (
    Media,
    MediaKind,
    Message,
    Opaque,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.wire.json_text import JsonNode, list_of, object_of, quote
from unabridged.wire.stand_in import link_of, stand_in

_DIALECT = "openai_responses"
_ROLES = {Role.SYSTEM: "developer", Role.ASSISTANT: "assistant"}


def items_of(message: Message, media: Mapping[str, bytes], open_calls: OpenCalls, losses: Losses) -> list[str]:
    """Give the items of a message: those that it came in, else new ones made of its parts."""
    text = home_text(message, _DIALECT, media)
    if text is not None:
        node = JsonNode.parse(text, f"message {message.id}")
        items = [item.source for item in node.items()] if isinstance(node.value, list) else [text]
        for result in message.results:
            open_calls.answered(result)
        return [_typed(item) for item in items]
    losses.note("thoughts are left out: only the model that had them can use them", _count(message, Reasoning))
    losses.note("items are said in words: only their own provider can read them", _count(message, Opaque))
    return _made(message, media, open_calls)


def _typed(item: str) -> str:
    """Give an item with its type: a message may be sent without it, and Codex does not read it so."""
    node = JsonNode.parse(item, "an item")
    if node.get("type") is not None:
        return item
    content = node.get("content")
    blocks = "[]" if content is None else content.source
    if content is not None and isinstance(content.value, str):
        kind = "output_text" if node.string("role") == "assistant" else "input_text"
        blocks = list_of([object_of(type=quote(kind), text=content.source)])
    return object_of(type='"message"', role=quote(node.string("role")), content=blocks)


def _made(message: Message, media: Mapping[str, bytes], open_calls: OpenCalls) -> list[str]:
    items: list[str] = []
    said: list[Part] = []
    for part in message.parts:
        match part:
            case ToolCall():
                items += _message(message, said, media)
                items.append(_call(part))
            case ToolResult():
                call = open_calls.answered(part)
                items.append(_result(part, media, custom=call is not None and call.custom))
            case Reasoning():
                pass
            case _:
                said.append(part)
    return items + _message(message, said, media)


def _message(message: Message, said: list[Part], media: Mapping[str, bytes]) -> list[str]:
    """Give what was said until now as an item, and begin anew."""
    if not said:
        return []
    role = _ROLES.get(message.role, "user")
    blocks = [_block(part, media, "output_text" if role == "assistant" else "input_text") for part in said]
    said.clear()
    return [object_of(type='"message"', role=quote(role), content=list_of(blocks))]


def _block(part: Part, media: Mapping[str, bytes], kind: str) -> str:
    if isinstance(part, Media) and part.kind is MediaKind.IMAGE and kind == "input_text":
        data = base64_of(part, media)
        url = link_of(part) or (f"data:{part.mime};base64,{data}" if data else None)
        if url is not None:
            return object_of(type='"input_image"', image_url=quote(url))
    return object_of(type=quote(kind), text=quote(stand_in(part).text))


def _call(call: ToolCall) -> str:
    kind, member = ("custom_tool_call", "input") if call.custom else ("function_call", "arguments")
    return object_of(
        type=quote(kind), call_id=quote(call.id), name=quote(call.name), **{member: quote(call.arguments or "{}")}
    )


def _result(result: ToolResult, media: Mapping[str, bytes], *, custom: bool) -> str:
    output = _output(result.parts, media)
    kind = "custom_tool_call_output" if custom else "function_call_output"
    return object_of(type=quote(kind), call_id=quote(result.call_id), output=output)


def _output(parts: Sequence[Part], media: Mapping[str, bytes]) -> str:
    match parts:
        case []:
            return '""'
        case [Text(text)]:
            return quote(text)
        case _:
            return list_of(_block(part, media, "input_text") for part in parts)


def _count(message: Message, kind: type[Reasoning | Opaque]) -> int:
    return sum(isinstance(part, kind) for part in message.parts)

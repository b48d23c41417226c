"""Where the parts of a message stand in its items, for reading and for changing alike: the n-th place is the n-th part.

A message item has a place for each block of its content, any other item has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from unabridged.message import Opaque, Part, Reasoning, ToolCall, ToolResult
from unabridged.wire.content import content_parts
from unabridged.wire.json_text import JsonNode, as_object
from unabridged.wire.openai_responses.blocks import read_block
from unabridged.wire.openai_responses.items import items_of, kind_of
from unabridged.wire.splicing import Intake

CALLS = {"function_call": "arguments", "custom_tool_call": "input"}
"""Kinds of calls, each with the member that holds what the model wrote."""
OUTPUTS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}


class Place(NamedTuple):
    """Where a part stands: in which item, and its value there, which is the item or a block of its content."""

    at: int
    kind: str
    """Of the item."""
    node: JsonNode


def places(node: JsonNode) -> Iterator[Place]:
    """Find the parts of a message."""
    for at, item in enumerate(items_of(node)):
        kind = kind_of(item)
        if kind != "message":
            yield Place(at, kind, item)
            continue
        content = as_object(item.value).get("content")
        if content and isinstance(content, str):
            yield Place(at, kind, item.member("content"))
        elif content:
            yield from (Place(at, kind, block) for block in item.member("content").items())


def read_place(place: Place, intake: Intake) -> Part:
    """Read the part that stands in a place."""
    node = place.node
    if place.kind == "message":
        return read_block(node, intake)
    match node.value:
        case {"type": "reasoning"}:
            return _reasoning(node)
        case {"type": "function_call" | "custom_tool_call", "call_id": str(id), "name": str(name)}:
            return ToolCall(id, name, _written(node, CALLS[place.kind]), custom=place.kind == "custom_tool_call")
        case {"type": "function_call_output" | "custom_tool_call_output", "call_id": str(id)}:
            return ToolResult(id, content_parts(node, lambda block: read_block(block, intake), "output"))
        case _:
            return Opaque(place.kind, node.source)


def _written(call: JsonNode, member: str) -> str:
    """Give what a call was written with: text that holds JSON, or the JSON itself, as some servers send it."""
    written = call.get(member)
    if written is None or written.value is None:
        return ""
    return written.value if isinstance(written.value, str) else written.source


def _reasoning(item: JsonNode) -> Reasoning:
    """Read thoughts: in full, where a server of another maker shows them, else their summary."""
    text = _texts(item, "content") or _texts(item, "summary")
    return Reasoning(text, item.string("encrypted_content") or None, redacted=not text)


def _texts(item: JsonNode, member: str) -> str:
    node = item.get(member)
    return "" if node is None else "\n\n".join(filter(None, (block.string("text") for block in node.items())))

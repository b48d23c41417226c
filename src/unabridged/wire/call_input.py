"""The input of a call where a provider wants an object, whatever the model wrote."""

from __future__ import annotations

from unabridged.errors import BadInput
from unabridged.message import ToolCall
from unabridged.wire.json_text import JsonNode, object_of, quote


def input_of(call: ToolCall) -> str:
    """Give a call's arguments as an object in JSON: as they are, or as its one member `input` where they are none."""
    if not call.custom and not call.arguments.strip():
        return "{}"
    try:
        node = None if call.custom else JsonNode.parse(call.arguments, "arguments")
    except BadInput:
        node = None
    if node is not None and isinstance(node.value, dict):
        return node.source
    return object_of(input=quote(call.arguments))

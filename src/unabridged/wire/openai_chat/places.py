"""Reading OpenAI chat messages.

The parts of a message lie in several of its members. They are taken in the order in which they came to be, whatever
the order of the members: thoughts, content, refusal, audio, calls. `places` finds them for reading and for changing
alike, so that the n-th place is the n-th part.
"""

from __future__ import annotations

import msgspec

from unabridged.message import Opaque, Part, Reasoning, ToolCall, ToolResult
from unabridged.wire.content import content_parts
from unabridged.wire.json_text import JsonNode, as_object
from unabridged.wire.openai_chat.blocks import read_block
from unabridged.wire.splicing import Intake

THOUGHTS = ("reasoning_content", "reasoning", "thinking", "reasoning_text")
"""Where compatible providers put a model's thoughts: DeepSeek and many more, OpenRouter and Groq, Ollama, Copilot."""
SIGNATURES = ("reasoning_details", "thinking_blocks", "reasoning_opaque")
"""What has to come back with the thoughts unchanged: OpenRouter, LiteLLM, Copilot."""

_THINKING = frozenset((*THOUGHTS, *SIGNATURES))
_MEMBERS: dict[str, type | tuple[type, ...]] = {
    "content": (str, list),
    "refusal": str,
    "audio": dict,
    "function_call": dict,
    "tool_calls": list,
}


class Place(msgspec.Struct, frozen=True):
    """Where a part stands: in which member, and its value there. "" is the whole message."""

    member: str
    node: JsonNode


def places(message: JsonNode) -> list[Place]:
    """Find the parts of a message."""
    members = message.members
    if is_result(message):
        return [Place("", message)]
    found: list[Place] = []
    if not _THINKING.isdisjoint(members) and (thoughts_member(message) or _signature(message)):
        found.append(Place("thoughts", message))
    for member, shape in _MEMBERS.items():
        value = members.get(member)
        if value and isinstance(value, shape):
            node = message.member(member)
            items = node.items() if isinstance(value, list) else [node]
            found += [Place(member, item) for item in items]
    return found


def is_result(message: JsonNode) -> bool:
    """Tell whether a message is, as a whole, what a tool gave back."""
    return message.members.get("role") in ("tool", "function")


def read_place(place: Place, intake: Intake) -> Part:
    """Read the part that stands in a place."""
    match place.member:
        case "":
            return read_result(place.node, intake)
        case "thoughts":
            return Reasoning(place.node.string(thoughts_member(place.node)), _signature(place.node))
        case "tool_calls":
            return _call(place.node)
        case "function_call":
            # It has no id; its name stands for one, as in the result that answers it.
            name = place.node.string("name")
            return ToolCall(name, name, place.node.string("arguments"))
        case "audio":
            return Opaque("audio", place.node.source)
        case _:
            return read_block(place.node, intake)


def thoughts_member(message: JsonNode) -> str:
    """Name the member that holds the thoughts as text, "" where none does. Where several do, they repeat the first."""
    return next((key for key in THOUGHTS if message.string(key)), "")


def has_no_id(message: JsonNode) -> bool:
    """Tell whether a result is of the old form, in which the name of the function stands for the id of the call."""
    return message.members.get("role") == "function"


def _signature(message: JsonNode) -> str | None:
    return next((message.member(key).source for key in SIGNATURES if message.members.get(key)), None)


def read_result(message: JsonNode, intake: Intake) -> ToolResult:
    """Read what a tool gave back."""
    call_id = message.string("name" if has_no_id(message) else "tool_call_id")
    return ToolResult(call_id, content_parts(message, lambda block: read_block(block, intake)))


def _call(call: JsonNode) -> ToolCall | Opaque:
    function = as_object(call.members.get("function"))
    name, arguments = function.get("name"), function.get("arguments")
    if isinstance(name, str) and isinstance(arguments, str) and call.members.get("type") != "custom":
        return ToolCall(call.string("id"), name, arguments)
    return _unusual_call(call)


def _unusual_call(call: JsonNode) -> ToolCall | Opaque:
    match call.value:
        case {"type": "custom", "custom": {"name": str(name), "input": str(text)}}:
            return ToolCall(call.string("id"), name, text, custom=True)
        case {"function": {"name": str(name)}}:
            return ToolCall(call.string("id"), name, _arguments(call.member("function").get("arguments")))
        case _:
            return Opaque(call.string("type") or "tool_calls", call.source)


def _arguments(arguments: JsonNode | None) -> str:
    """Give a call's arguments. They are text that holds JSON, but some providers send the JSON itself."""
    if arguments is None or arguments.value is None:
        return ""
    return arguments.value if isinstance(arguments.value, str) else arguments.source

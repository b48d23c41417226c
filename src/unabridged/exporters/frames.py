"""Frames from one provider's words into another's: system text, tools, model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from unabridged.exporters.exporter import Losses
from unabridged.frame import Frame
from unabridged.framing import frame_of
from unabridged.importers import Imported
from unabridged.message import Text
from unabridged.wire.json_text import JsonNode, object_of, quote

_SYSTEM = {
    "anthropic": ("system",),
    "openai_responses": ("instructions",),
    "gemini": ("systemInstruction", "system_instruction"),
}
_MAX_TOKENS = 8_192
"""Anthropic demands an output limit; this one every model of its takes."""
_SPOKEN_ABOUT = {"model", "tools", "max_tokens", *(name for names in _SYSTEM.values() for name in names)}


class Tool(NamedTuple):
    """A tool's schema, its parts as JSON text."""

    name: str
    description: str
    parameters: str


def system_text(frame: Frame) -> str:
    """Give all system text of a frame as one."""
    leading = [part.text for message in frame.system for part in message.parts if isinstance(part, Text)]
    return "\n\n".join([*_field_texts(frame), *leading])


def model_of(conversation: Imported) -> str:
    """Give the model that the frame names, else the last one that a call names."""
    named = _node(conversation.frame, "model")
    if named is not None and isinstance(named.value, str):
        return named.value
    return next((call.model for call in reversed(conversation.calls) if call.model), "")


def tools_of(frame: Frame, losses: Losses) -> list[Tool]:
    """Give the tools that a person's code runs; what a provider runs itself has no schema to give on."""
    listed = _node(frame, "tools")
    found: list[Tool] = []
    for node in _each(listed):
        tool = _tool(node)
        if tool is None:
            losses.note("tools that only their own provider has are left out")
        else:
            found.append(tool)
    return found


def frame_for(conversation: Imported, dialect: str, losses: Losses) -> Frame:
    """Give the frame in another dialect; the same one where it is that dialect's already."""
    frame = conversation.frame
    if frame.dialect == dialect:
        return frame
    others = [name for name, _ in frame.fields if name not in _SPOKEN_ABOUT]
    losses.note("parameters of the request are left out: another provider has others", len(others))
    tools = [json.loads(_written(tool, dialect)) for tool in tools_of(frame, losses)]
    if dialect == "gemini" and tools:
        tools = [{"functionDeclarations": tools}]
    limit = {"max_tokens": _MAX_TOKENS} if dialect == "anthropic" else {}
    model = "" if dialect == "gemini" else model_of(conversation)  # whose model stands in the address
    return frame_of(dialect, model=model, system=system_text(frame) or None, tools=tools, **limit)


def _node(frame: Frame, name: str) -> JsonNode | None:
    text = next((text for key, text in frame.fields if key == name), None)
    return None if text is None else JsonNode.parse(text, f"the field `{name}` of the frame")


def _field_texts(frame: Frame) -> Iterator[str]:
    node = next((found for name in _SYSTEM.get(frame.dialect, ()) if (found := _node(frame, name)) is not None), None)
    if node is None:
        return
    if isinstance(node.value, str):
        yield node.value
    parts = node.get("parts")
    yield from (block.string("text") for block in (node if parts is None else parts).items())


def _each(listed: JsonNode | None) -> Iterator[JsonNode]:
    for node in [] if listed is None else listed.items():
        declared = node.get("functionDeclarations") or node.get("function_declarations")
        yield from [node] if declared is None else declared.items()


def _tool(node: JsonNode) -> Tool | None:
    inner = node.get("function") or node
    named = ("parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema")
    parameters = next((found for name in named if (found := inner.get(name)) is not None), None)
    if not inner.string("name") or parameters is None:
        return None
    return Tool(quote(inner.string("name")), quote(inner.string("description")), parameters.source)


def _written(tool: Tool, dialect: str) -> str:
    if dialect == "anthropic":
        return object_of(name=tool.name, description=tool.description, input_schema=tool.parameters)
    if dialect == "openai_responses":
        members = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        return object_of(type='"function"', **members)
    if dialect == "gemini":
        return object_of(name=tool.name, description=tool.description, parametersJsonSchema=tool.parameters)
    function = object_of(name=tool.name, description=tool.description, parameters=tool.parameters)
    return object_of(type='"function"', function=function)

"""Frames made from what a provider's API takes, and what they name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.wire import wire

SEARCH = "search_history"
"""The tool that finds what left the view."""
LISTED = {"openai_responses": "input", "gemini": "contents"}
"""The field of a request that holds the messages, where it is not `messages`."""
_SYSTEM = {"openai_responses": "instructions", "anthropic": "system", "gemini": "systemInstruction"}
"""The field of a request that holds the system text, where it is no message."""


def frame_of(
    dialect: str,
    *,
    model: str = "",
    system: str | None = None,
    tools: Sequence[Mapping[str, Any]] = (),
    **parameters: Any,
) -> Frame:
    """Make a frame from what the provider's API takes: model, system text, tool schemas, other parameters."""
    body: dict[str, Any] = {"model": model} if model else {}
    body.update(parameters)
    inside = body
    if dialect == "gemini" and isinstance(
        parameters.get("config"), Mapping
    ):  # as the SDK takes it, not as the wire does
        inside = body["config"] = dict(parameters["config"])
    if tools:
        inside["tools"] = list(tools)
    messages: list[dict[str, Any]] = []
    if system is not None and dialect in _SYSTEM:
        inside[_SYSTEM[dialect]] = {"parts": [{"text": system}]} if dialect == "gemini" else system
    elif system is not None:
        messages.append({"role": "system", "content": system})
    body[LISTED.get(dialect, "messages")] = messages
    frame, _, _ = wire(dialect).read_request(json.dumps(body, ensure_ascii=False).encode(), id_prefix="frame")
    return msgspec.structs.replace(frame, searchable=True) if _is_offered(SEARCH, tools) else frame


class Function(msgspec.Struct, frozen=True):
    """A tool as models are told of it, whatever their dialect."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON Schema of an object."""


def declared(dialect: str, functions: Sequence[Function]) -> list[dict[str, Any]]:
    """Give functions as the `tools` of a dialect. Raises `BadInput` for a dialect that is none."""
    bare = [{"name": each.name, "description": each.description, "parameters": each.parameters} for each in functions]
    match dialect:
        case "openai_chat":
            return [{"type": "function", "function": function} for function in bare]
        case "openai_responses":
            return [{"type": "function", **function, "strict": False} for function in bare]
        case "anthropic":
            return [
                {"name": each.name, "description": each.description, "input_schema": each.parameters}
                for each in functions
            ]
        case "gemini":
            return [{"functionDeclarations": bare}] if bare else []
        case _:
            raise BadInput(f"no dialect is called {dialect!r}: give openai_chat, openai_responses, anthropic or gemini")


def _is_offered(name: str, tools: Any) -> bool:
    """Tell whether a tool of this name is among those of any dialect."""
    if isinstance(tools, Mapping):
        given = cast("Mapping[str, Any]", tools)
        return given.get("name") == name or any(
            _is_offered(name, inner) for inner in given.values() if not isinstance(inner, str)
        )
    return (
        isinstance(tools, Sequence)
        and not isinstance(tools, str)
        and any(_is_offered(name, each) for each in cast("Sequence[Any]", tools))
    )


def model_of(frame: Frame) -> str:
    """Give the model that a frame names; "" where it names none."""
    for name, value in frame.fields:
        if name == "model":
            decoded = json.loads(value)
            return decoded if isinstance(decoded, str) else ""
    return ""

"""The tools that a model is offered: told of once, in their schemas, and looked up by what it calls."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, cast

import msgspec

from unabridged.agent.tool import Tool, ToolError
from unabridged.framing import Function, declared
from unabridged.message import ToolCall


class Toolbox:
    """Tools by name. The list never changes while a session is open: a provider's cache begins with it."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._tools = {tool.name: tool for tool in tools}

    @property
    def names(self) -> tuple[str, ...]:
        """Give the names of all tools."""
        return tuple(self._tools)

    def schemas(self, dialect: str) -> list[dict[str, Any]]:
        """Give the tools as a request of this dialect lists them."""
        functions = [
            Function(tool.name, tool.description, parameters_of(tool.arguments)) for tool in self._tools.values()
        ]
        return declared(dialect, functions)

    def find(self, name: str) -> Tool:
        """Give a tool. Raises `ToolError` that names those there are."""
        if name not in self._tools:
            near = get_close_matches(name, self._tools, n=1)
            meant = f" Did you mean `{near[0]}`?" if near else ""
            raise ToolError(f"there is no tool `{name}`.{meant} There are: {', '.join(self._tools)}")
        return self._tools[name]

    def read(self, call: ToolCall) -> tuple[Tool, Any]:
        """Give the tool of a call, and its arguments as that tool's type.

        Raises `ToolError` that names the field, and what the tool takes. A number written as text counts as one.
        """
        tool = self.find(call.name)
        given = _object(call.arguments)
        fields = {field.encode_name for field in msgspec.structs.fields(tool.arguments)}
        unknown = [name for name in given if name not in fields]
        if unknown:
            raise ToolError(f"`{call.name}` takes no `{unknown[0]}`: it takes {', '.join(sorted(fields))}")
        given = {name: value for name, value in given.items() if value is not None}
        try:
            return tool, msgspec.convert(given, tool.arguments, strict=False)
        except msgspec.ValidationError as error:
            raise ToolError(f"`{call.name}` cannot take these arguments: {_said(error)}") from None


def _object(arguments: str) -> dict[str, object]:
    if not arguments.strip():
        return {}
    try:
        value: object = json.loads(arguments, strict=False)
    except (ValueError, RecursionError) as error:
        raise ToolError(
            f"the arguments are no JSON ({error}). If the answer was cut off at its output limit, ask for less at "
            "once: smaller edits, a file in parts"
        ) from None
    if not isinstance(value, dict):
        raise ToolError("the arguments must be one JSON object")
    return cast("dict[str, object]", value)


def _said(error: msgspec.ValidationError) -> str:
    """Say what is wrong in the words of the schema: a path of fields, not of a reader."""
    return str(error).replace(" - at `$.", ", at `").replace(" - at `$", ", at `")


def parameters_of(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """Give the JSON Schema of a tool's arguments, nested objects in their places, nothing to be looked up.

    An argument that may be left out is told so by not being required: `null` says it a second time, and not every
    provider takes it.
    """
    schema = msgspec.json.schema(arguments)
    found = _inlined(schema, cast("Mapping[str, Any]", schema.get("$defs", {})))
    found.pop("title", None)
    return {**found, "properties": found.get("properties", {})}


def _inlined(schema: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return _inlined(known[str(schema["$ref"]).rsplit("/", 1)[-1]], known)
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key in ("$defs", "title") or (key == "default" and value is None):
            continue
        if key == "properties":
            made[key] = {name: _inlined(inner, known) for name, inner in value.items()}
        elif key == "items" and isinstance(value, dict):
            made[key] = _inlined(cast("dict[str, Any]", value), known)
        elif key == "anyOf":
            kinds = [_inlined(inner, known) for inner in value if inner.get("type") != "null"]
            made |= kinds[0] if len(kinds) == 1 else {key: kinds}
        else:
            made[key] = value
    return made

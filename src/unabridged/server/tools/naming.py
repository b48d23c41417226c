"""Tools that a client carries out: which may be offered to a model. What no provider takes is refused at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import msgspec

from unabridged.archive.own import OWN
from unabridged.errors import BadSetting

RUN_COMMAND = "run_command"
RESERVED = OWN | {RUN_COMMAND}
"""Names of the server's own tools, whether a project uses them or not: turned on later, they would change hands."""
MOST_TOOLS = 128
MOST_BYTES = 32_768
"""Of one tool, as JSON."""
MOST_BYTES_OF_ALL = 262_144
DEEPEST = 24
"""Levels of a schema."""
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_SHOWN = 80
_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


def check_tool(name: str, description: str, parameters: Mapping[str, Any]) -> None:
    """Raise `BadSetting` for a tool that no model can be told of, or that has the name of one of the server's."""
    if not _NAME.fullmatch(name):
        raise BadSetting("tools", name[:_SHOWN], "name a tool with 1 to 64 of the characters a-z A-Z 0-9 _ -")
    if name in RESERVED:
        raise BadSetting("tools", name, "this is a tool of the server's: give yours another name")
    size = size_of(name, description, parameters)
    if size > MOST_BYTES:
        raise BadSetting(f"tools.{name}", f"{size:,} bytes", f"describe a tool in at most {MOST_BYTES:,}")
    at = f"tools.{name}.parameters"
    if parameters.get("type") != "object":
        given = str(parameters.get("type"))[:_SHOWN]
        raise BadSetting(at, given, 'give a JSON Schema of an object: {"type": "object", "properties": {...}}')
    _check_schema(parameters, at, 0)


def check_tools(tools: Sequence[tuple[str, int]]) -> None:
    """Raise `BadSetting` for tools that cannot be offered together; each is given by its name and its size."""
    names = [name for name, _ in tools]
    if len(names) > MOST_TOOLS:
        raise BadSetting("tools", f"{len(names)} tools", f"give at most {MOST_TOOLS}")
    twice = next((name for nth, name in enumerate(names) if name in names[:nth]), None)
    if twice is not None:
        raise BadSetting("tools", twice, "give each tool a name of its own")
    total = sum(size for _, size in tools)
    if total > MOST_BYTES_OF_ALL:
        raise BadSetting("tools", f"{total:,} bytes", f"describe all tools in at most {MOST_BYTES_OF_ALL:,}")


def size_of(name: str, description: str, parameters: Mapping[str, Any]) -> int:
    """Give the bytes that a tool takes as JSON. Raises `BadSetting` for what is no JSON."""
    try:
        return len(msgspec.json.encode((name, description, parameters)))
    except (UnicodeEncodeError, TypeError, ValueError, RecursionError):
        raise BadSetting(f"tools.{name}", "no JSON", "give text and JSON values, nested less deeply") from None


def _check_schema(schema: object, at: str, depth: int) -> None:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, Mapping):
        raise BadSetting(at, str(schema)[:_SHOWN], "give a JSON Schema: an object")
    if depth > DEEPEST:
        raise BadSetting(at, f"{depth} levels", f"nest a schema in at most {DEEPEST}")
    given = cast("Mapping[str, object]", schema)
    _check_words(given, at)
    for place, each in _below(given, at):
        _check_schema(each, place, depth + 1)


def _below(schema: Mapping[str, object], at: str) -> Iterator[tuple[str, object]]:
    """Give the schemas within a schema, each with where it stands."""
    yield from ((f"{at}.{word}", schema[word]) for word in _ONE if word in schema)
    for word in _SEVERAL:
        several = _list(schema.get(word, []), f"{at}.{word}")
        yield from ((f"{at}.{word}.{nth}", each) for nth, each in enumerate(several))
    for word in _NAMED:
        named = schema.get(word, {})
        if not isinstance(named, Mapping):
            raise BadSetting(f"{at}.{word}", str(named)[:_SHOWN], "give an object of schemas by name")
        within = cast("Mapping[str, object]", named)
        yield from ((f"{at}.{word}.{name[:_SHOWN]}", each) for name, each in within.items())


def _check_words(schema: Mapping[str, object], at: str) -> None:
    kind = schema.get("type", "object")
    kinds = cast("list[object]", kind if isinstance(kind, list) else [kind])
    if not all(isinstance(each, str) for each in kinds):
        raise BadSetting(f"{at}.type", str(kinds)[:_SHOWN], "give a type, or a list of them")
    for word in ("required", "enum"):
        values = _list(schema.get(word, []), f"{at}.{word}")
        if word == "required" and not all(isinstance(each, str) for each in values):
            raise BadSetting(f"{at}.{word}", str(values)[:_SHOWN], "give names of properties")
    reference = schema.get("$ref", "#")
    if not (isinstance(reference, str) and reference.startswith("#")):
        raise BadSetting(f"{at}.$ref", str(reference)[:_SHOWN], "refer only to the schema itself: #/$defs/...")


def _list(value: object, at: str) -> list[object]:
    if not isinstance(value, list):
        raise BadSetting(at, str(value)[:_SHOWN], "give a list")
    return cast("list[object]", value)

"""Members by either of their names: `functionCall` and `function_call` are the same to the provider."""

from __future__ import annotations

import re

from unabridged.wire.json_text import JsonNode, as_object

_UPPER = re.compile("[A-Z]")


def name_in(node: JsonNode, name: str) -> str:
    """Give the name that a member has in an object: as asked for, or in snake_case if only that is there."""
    members = as_object(node.value)
    if name in members:
        return name
    snake = _UPPER.sub(lambda found: f"_{found[0].lower()}", name)
    return snake if snake in members else name


def member(node: JsonNode, name: str) -> JsonNode | None:
    """Give a member by either name; None where there is none, or null."""
    found = node.get(name_in(node, name))
    return None if found is None or found.value is None else found


def string(node: JsonNode, name: str) -> str:
    """Give the text of a member by either name, "" where it is missing or no string."""
    return node.string(name_in(node, name))


def items(node: JsonNode, name: str) -> list[JsonNode]:
    """Give the items of a list by either name."""
    found = member(node, name)
    return [] if found is None else found.items()

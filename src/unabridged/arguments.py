"""The string leaves of a call's arguments, by JSON pointer (RFC 6901): what may be shortened in them.

Keys, numbers, white space and structure stay as they are, so what is shown is still a call of the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unabridged.errors import BadInput
from unabridged.wire.json_text import JsonNode, quote
from unabridged.wire.patching import apply


def leaves(arguments: str) -> Iterator[tuple[str, str]]:
    """Give every string in JSON text with its pointer; nothing for text that is no JSON."""
    try:
        node = JsonNode.parse(arguments, "call arguments")
    except BadInput:
        return
    yield from _leaves(node, "")


def with_leaf(arguments: str, pointer: str, change: Callable[[str], str]) -> str:
    """Give the JSON text with the string at `pointer` changed."""
    node = JsonNode.parse(arguments, "call arguments")
    for key in pointer.split("/")[1:]:
        node = _member(node, key.replace("~1", "/").replace("~0", "~"))
    if not isinstance(node.value, str):
        raise BadInput(f"no text at {pointer!r} in the arguments of this call: the cut was made for another call")
    return apply(arguments, [node.replaced(quote(change(node.value)))])


def _leaves(node: JsonNode, pointer: str) -> Iterator[tuple[str, str]]:
    if isinstance(node.value, str):
        yield pointer, node.value
    elif isinstance(node.value, list):
        for place, inner in enumerate(node.items()):
            yield from _leaves(inner, f"{pointer}/{place}")
    elif isinstance(node.value, dict):
        for key in dict.fromkeys(str(member.key) for member in node.layout):
            inner = node.get(key)
            if inner is not None:
                yield from _leaves(inner, f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}")


def _member(node: JsonNode, key: str) -> JsonNode:
    items = node.items() if isinstance(node.value, list) else []
    inner = items[int(key)] if key.isdecimal() and int(key) < len(items) else node.get(key)
    if inner is None:
        raise BadInput(f"no member {key!r} in the arguments of this call: the cut was made for another call")
    return inner

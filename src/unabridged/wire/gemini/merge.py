"""Making one turn of several contents, where the provider takes no less.

Results that answer one turn stand in one content ("the number of function response parts is equal to the number of
function call parts of the function call turn"), and a call stands right behind a user's turn ("function call turn comes
immediately after a user turn or after a function response turn"), so answers in a row of which one calls are one. Every
part keeps every character.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.wire.gemini.members import items, member, name_in
from unabridged.wire.gemini.places import kind_of
from unabridged.wire.gemini.write import content_of
from unabridged.wire.json_text import JsonNode, list_of
from unabridged.wire.patching import apply


def one_turn(texts: Sequence[str]) -> str:
    """Give contents of the model's as one, in the form of the first."""
    nodes = [_node(text) for text in texts]
    return _with_parts(texts[0], nodes[0], [part.source for node in nodes for part in items(node, "parts")])


def answers(texts: Sequence[str]) -> list[str]:
    """Give contents that bring results as one of results, and behind it what came with them, if anything did."""
    if len(texts) == 1:
        return list(texts)
    nodes = [_node(text) for text in texts]
    parts = [part for node in nodes for part in items(node, "parts")]
    results = [part.source for part in parts if kind_of(part) == "functionResponse"]
    rest = [part.source for part in parts if kind_of(part) != "functionResponse"]
    return [_with_parts(texts[0], nodes[0], results), *([content_of("user", rest)] if rest else [])]


def _node(text: str) -> JsonNode:
    return JsonNode.parse(text, "a written message")


def _with_parts(text: str, node: JsonNode, parts: Sequence[str]) -> str:
    present = member(node, "parts")
    if present is not None and [part.source for part in present.items()] == list(parts):
        return text
    return apply(text, [node.with_member(name_in(node, "parts"), list_of(parts))])

"""Merging messages: Anthropic wants all results that answer one message in one message, before anything else in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from unabridged.wire.json_text import JsonNode, list_of, object_of
from unabridged.wire.patching import apply


def merged(texts: Sequence[str]) -> str:
    """Make one message of several, tool results first. One that has them first already is given as it is."""
    nodes = [JsonNode.parse(text, "a written message") for text in texts]
    blocks = [block for node in nodes for block in _blocks_of(node)]
    ordered = sorted(blocks, key=lambda block: not block.is_result)
    if len(texts) == 1 and ordered == blocks:
        return texts[0]
    return apply(texts[0], [nodes[0].with_member("content", list_of(block.text for block in ordered))])


class _Block(NamedTuple):
    is_result: bool
    text: str


def _blocks_of(node: JsonNode) -> list[_Block]:
    inner = node.get("content")
    if inner is None or inner.value == "":
        return []
    if isinstance(inner.value, str):
        return [_Block(False, object_of(type='"text"', text=inner.source))]
    return [_Block(block.string("type") == "tool_result", block.source) for block in inner.items()]

"""Changing a message in the form of its items."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NamedTuple

from unabridged.errors import BadInput
from unabridged.message import Message, Opaque, Part, Reasoning, ToolCall, ToolResult
from unabridged.wire.content import check_pairs, replaced, rewritten
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_responses.identity import nameless
from unabridged.wire.openai_responses.items import REFERENCE, items_of, kind_of
from unabridged.wire.openai_responses.places import CALLS, Place, places
from unabridged.wire.openai_responses.write import ItemBlocks
from unabridged.wire.patching import Patch


class _Change(NamedTuple):
    place: Place
    was: Part
    now: Part | None


def arranged(message: Message, parts: Sequence[Part | None]) -> list[Part | None]:
    """Take the ids out of the provider's own items behind reasoning that is taken out: by them they ask for it."""
    out = list(parts)
    if message.raw is None or None not in out or not any(isinstance(part, Opaque) for part in out):
        return out
    unpaired = False
    found = places(JsonNode.parse(message.raw.body, f"the raw form of message {message.id}"))
    for nth, place in enumerate(found):
        now = out[nth]
        if place.kind == "reasoning":
            unpaired = now is None
        elif unpaired and isinstance(now, Opaque) and place.kind not in ("message", REFERENCE):
            out[nth] = nameless(now)
    return out


def patches_of(node: JsonNode, message: Message, parts: Sequence[Part | None]) -> list[Patch]:
    """Change a message in its own form. Raises `BadInput` where nothing of it would be left."""
    if all(part is None for part in parts):
        raise BadInput(f"nothing would be left of message {message.id}: leave it out whole")
    found = list(places(node))
    check_pairs(found, message.parts)
    changes = map(_Change, found, message.parts, parts)
    by_item = {at: list(group) for at, group in itertools.groupby(changes, key=lambda change: change.place.at)}
    patches, gone, unpaired = list[Patch](), set[int](), False
    for at, item in enumerate(items_of(node)):
        here = by_item.get(at, [])
        if here and all(change.now is None for change in here):
            gone.add(at)
        else:
            patches += _changed(item, here, message)
        kind = kind_of(item)
        if kind == "reasoning":
            unpaired = at in gone
        elif unpaired and at not in gone and kind in ("message", *CALLS):
            patches += item.without({"id"})
    return patches + (node.without(gone) if gone else [])


def _changed(item: JsonNode, changes: Sequence[_Change], message: Message) -> list[Patch]:
    if all(change.now == change.was for change in changes):
        return []
    blocks = ItemBlocks(message, {})
    if kind_of(item) == "message":
        return replaced(item, [change.was for change in changes], [change.now for change in changes], blocks)
    was, now = changes[0].was, changes[0].now
    match was, now:
        case ToolCall(), ToolCall() if was.custom == now.custom:
            return [
                *item.with_string("call_id", was.id, now.id),
                *item.with_string("name", was.name, now.name),
                *_written(item, was, now),
            ]
        case ToolResult(), ToolResult() if not now.is_error:
            renamed = item.with_string("call_id", was.call_id, now.call_id)
            return renamed + rewritten(item, was.parts, now.parts, blocks, "output")
        case Opaque(), Opaque():
            return [item.replaced(now.data)]
        case Reasoning(), _:
            raise BadInput(f"the reasoning of message {message.id} was edited: keep it as it is, or take it out whole")
        case _:
            kind, other = type(was).__name__, type(now).__name__
            raise BadInput(f"the {kind} of message {message.id} cannot become this {other}: keep it or take it out")


def _written(item: JsonNode, was: ToolCall, now: ToolCall) -> list[Patch]:
    member = CALLS[kind_of(item)]
    present = item.get(member)
    if present is None or present.value is None or isinstance(present.value, str):
        return item.with_string(member, was.arguments, now.arguments)
    if was.arguments == now.arguments:
        return []
    # Written as JSON instead of as text that holds JSON, and so it stays.
    return [present.replaced(JsonNode.parse(now.arguments, f"the arguments of call {now.id}").source)]

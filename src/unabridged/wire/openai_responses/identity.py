"""The ids of items: who they are to the service. It takes each of them once, and needs none."""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from unabridged.message import Message, Opaque
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_responses.items import REFERENCE, items_of, kind_of
from unabridged.wire.openai_responses.places import places
from unabridged.wire.openai_responses.write import NAME
from unabridged.wire.patching import apply
from unabridged.wire.splicing import patched


def is_home(message: Message) -> bool:
    """Tell whether a message is in the form of Responses items."""
    return message.raw is not None and message.raw.dialect == NAME


def item_ids(message: Message) -> dict[int, str]:
    """Give the ids of a message's items by their place, but for references, which are nothing else."""
    if message.raw is None or message.raw.dialect != NAME or '"id"' not in message.raw.body:
        return {}
    items = items_of(_node(message))
    return {at: id for at, item in enumerate(items) if (id := item.string("id")) and kind_of(item) != REFERENCE}


def without_ids(message: Message, gone: Collection[int]) -> Message:
    """Give a message with some of its items nameless, all else as it was."""
    assert message.raw is not None
    node = _node(message)
    patches = [patch for at, item in enumerate(items_of(node)) if at in gone for patch in item.without({"id"})]
    parts = list(message.parts)
    for nth, place in enumerate(places(node)):
        part = parts[nth]
        if place.at in gone and place.kind != "message" and isinstance(part, Opaque):
            parts[nth] = nameless(part)
    return msgspec.structs.replace(message, parts=tuple(parts), raw=patched(message.raw, patches))


def nameless(part: Opaque) -> Opaque:
    """Give an item of the provider's own without its id."""
    node = JsonNode.parse(part.data, f"an item of the type {part.kind}")
    return Opaque(part.kind, apply(part.data, node.without({"id"})))


def reasoning_places(message: Message) -> dict[int, int]:
    """Give, for each reasoning item of a message by its place, which part it is."""
    return {place.at: nth for nth, place in enumerate(places(_node(message))) if place.kind == "reasoning"}


def _node(message: Message) -> JsonNode:
    assert message.raw is not None
    return JsonNode.parse(message.raw.body, f"the raw form of message {message.id}")

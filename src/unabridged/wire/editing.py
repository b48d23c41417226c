"""Changing a message in the form it has, whatever wire it goes out on next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged.errors import BadInput
from unabridged.message import Message, Part
from unabridged.wire.anthropic import write as anthropic
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_chat import edit as openai_chat
from unabridged.wire.patching import Patch
from unabridged.wire.splicing import patched

Patcher = Callable[[JsonNode, Message, Sequence[Part | None]], list[Patch]]

_PATCHERS: dict[str, Patcher] = {
    "anthropic": anthropic.patches_of,
    "openai_chat": openai_chat.patches_of,
}


def edit(message: Message, parts: Sequence[Part | None]) -> Message:
    """Give a message with its parts replaced one for one; None takes a part out.

    In the raw form only what differs is changed: unknown fields, cache marks, the order of members and the spelling
    of everything else stay. A message that came from another provider keeps its provider's form.

    Raises:
        BadInput: There is not one new part for each part, or the provider's form cannot hold one in that place.
    """
    if len(parts) != len(message.parts):
        raise BadInput(f"message {message.id} has {len(message.parts)} parts and {len(parts)} were given: give as many")
    kept = tuple(part for part in parts if part is not None)
    if kept == message.parts:
        return message
    raw = message.raw
    if raw is not None:
        patcher = _PATCHERS.get(raw.dialect)
        node = JsonNode.parse(raw.body, f"the raw form of message {message.id}")
        raw = None if patcher is None else patched(raw, patcher(node, message, parts))
    return msgspec.structs.replace(message, parts=kept, raw=raw)

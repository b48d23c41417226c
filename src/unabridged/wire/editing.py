"""Changing a message in the form it has, whatever wire it goes out on next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from unabridged.errors import BadInput
from unabridged.message import Message, Part
from unabridged.wire.anthropic import write as anthropic
from unabridged.wire.gemini import edit as gemini
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_chat import edit as openai_chat
from unabridged.wire.openai_responses import edit as openai_responses
from unabridged.wire.patching import Patch
from unabridged.wire.splicing import patched

Patcher = Callable[[JsonNode, Message, Sequence[Part | None]], list[Patch]]

_PATCHERS: dict[str, Patcher] = {
    "anthropic": anthropic.patches_of,
    "openai_chat": openai_chat.patches_of,
    "openai_responses": openai_responses.patches_of,
    "gemini": gemini.patches_of,
}
Arranger = Callable[[Message, Sequence[Part | None]], Sequence[Part | None]]

_ARRANGERS: dict[str, Arranger] = {"openai_responses": openai_responses.arranged, "gemini": gemini.arranged}
"""Some forms hold what is given in another way than it was given: here it is made what reading them gives."""


def edit(message: Message, parts: Sequence[Part | None]) -> Message:
    """Give a message with its parts replaced one for one; None takes a part out.

    In the raw form only what differs is changed: unknown fields, cache marks, the order of members and the spelling
    of everything else stay. A message that came from another provider keeps its provider's form.

    Raises:
        BadInput: There is not one new part for each part, or the provider's form cannot hold one in that place.
    """
    if len(parts) != len(message.parts):
        raise BadInput(f"message {message.id} has {len(message.parts)} parts and {len(parts)} were given: give as many")
    raw = message.raw
    if raw is not None and raw.dialect in _ARRANGERS:
        parts = _ARRANGERS[raw.dialect](message, parts)
    kept = tuple(part for part in parts if part is not None)
    if kept == message.parts:
        return message
    # A form that no wire here knows stays as it is: nothing writes it, and it says whose thoughts these are.
    patcher = None if raw is None else _PATCHERS.get(raw.dialect)
    if raw is not None and patcher is not None:
        node = JsonNode.parse(raw.body, f"the raw form of message {message.id}")
        raw = patched(raw, patcher(node, message, parts))
    return msgspec.structs.replace(message, parts=kept, raw=raw)

"""Anthropic Messages: the shape of the message list and of each message in it."""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.anthropic.blocks import check_block
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object

MOST_MESSAGES = 100_000

_FIELDS: dict[str, frozenset[str]] = {
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content"}),
    "system": frozenset({"role", "content", "output_config", "clear_at"}),
}


def check_shape(body: Json) -> Iterator[Violation]:
    """Yield what is wrong with single messages and blocks, whatever stands around them."""
    messages = as_list(body.get("messages"))
    if messages is None:
        says = "Field required" if "messages" not in body else "Input should be a valid array"
        yield Violation("messages_not_a_list", "messages", f"messages: {says}")
        return
    if not messages:
        yield Violation("messages_empty", "messages", "messages: at least one message is required")
    if len(messages) > MOST_MESSAGES:
        says = f"There is a limit of {MOST_MESSAGES:,} messages in a single request; found {len(messages):,}."
        yield Violation("too_many_messages", "messages", says)
    for index, value in enumerate(messages):
        yield from _message(f"messages.{index}", value)
    for index, value in enumerate(as_list(body.get("system")) or ()):
        if (as_object(value) or {}).get("text") == "":
            yield Violation("text_empty", f"system.{index}", "system: text content blocks must be non-empty")


def _message(where: str, value: object) -> Iterator[Violation]:
    message = as_object(value)
    if message is None:
        yield Violation("message_not_an_object", where, f"{where}: Input should be an object")
        return
    role = message.get("role")
    if not isinstance(role, str):
        yield Violation("role_unknown", f"{where}.role", f"{where}.role: Field required")
        return
    if role not in _FIELDS:
        says = f'messages: Unexpected role "{role}". Allowed roles are "user" or "assistant"'
        yield Violation("role_unknown", f"{where}.role", says)
        return
    for field in message.keys() - _FIELDS[role]:
        at = f"{where}.{field}"
        yield Violation("message_field_unknown", at, f"{at}: Extra inputs are not permitted")
    yield from _content(f"{where}.content", role, message)


def _content(where: str, role: str, message: Json) -> Iterator[Violation]:
    content = message.get("content")
    if isinstance(content, str):
        return
    blocks = as_list(content)
    if blocks is None:
        says = "Field required" if "content" not in message else "Input should be a valid array"
        yield Violation("content_not_text_or_blocks", where, f"{where}: {says}")
        return
    for position, block in enumerate(blocks):
        yield from check_block(f"{where}.{position}", role, block)

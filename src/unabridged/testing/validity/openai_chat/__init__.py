"""OpenAI Chat Completions: which requests the service refuses for their structure.

Rules from the API reference (`create chat completion`, request schema), the function calling guide, and the
texts of refusals that the service is known to give. What it accepts stays unflagged: empty text, an assistant
message first or last, messages of one role in a row, arguments that are not valid JSON, call ids that come
again in a later batch.
"""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.openai_chat.message import bracketed, check_message
from unabridged.testing.validity.openai_chat.pairing import check_pairing
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object, kind_of

__all__ = ["check"]

MOST_MESSAGES = 2048


def check(body: Json) -> Iterator[Violation]:
    """Yield what the service would refuse, the shapes of messages before the rules between them."""
    shapes = list(_shapes(body))
    if shapes:
        yield from shapes
        return
    messages = [message for value in as_list(body.get("messages")) or () if (message := as_object(value)) is not None]
    yield from check_pairing(messages)


def _shapes(body: Json) -> Iterator[Violation]:
    messages = as_list(body.get("messages"))
    if messages is None:
        says = f"Invalid type for 'messages': expected an array of objects, but got {kind_of(body.get('messages'))}"
        yield Violation("messages_not_a_list", "messages", f"{says} instead.")
        return
    if not messages:
        says = "empty array. Expected an array with minimum length 1, but got an empty array instead."
        yield Violation("messages_empty", "messages", f"Invalid 'messages': {says}")
    if len(messages) > MOST_MESSAGES:
        says = f"Expected an array with maximum length {MOST_MESSAGES}, but got an array with length {len(messages)}"
        yield Violation("too_many_messages", "messages", f"Invalid 'messages': array too long. {says} instead.")
    for index, value in enumerate(messages):
        where = f"messages.{index}"
        message = as_object(value)
        if message is None:
            says = f"Invalid type for '{bracketed(where)}': expected an object, but got {kind_of(value)} instead."
            yield Violation("message_not_an_object", where, says)
        else:
            yield from check_message(where, message)

"""Reads an answer that was recorded beside its request, of either provider."""

from __future__ import annotations

import msgspec

from unabridged.importers.json_reading import NOTHING, Fields, decoded, fields_of, text_of


class Answer(msgspec.Struct, frozen=True):
    """What a recorded response says."""

    message: str | None
    """The message as its provider writes it, of OpenAI Responses a list of items; None where the response has none."""
    model: str
    reported: dict[str, object]
    """The response with nothing but its `usage`, as `Wire.usage` reads it."""


def answer_of(response: msgspec.Raw) -> Answer:
    """Read a response body; it may lie in a `body` of its own."""
    fields = fields_of(response)
    if "body" in fields:
        fields = fields_of(text_of(fields, "body").encode() or fields["body"])
    usage = decoded(fields.get("usage") or fields.get("usageMetadata", NOTHING), dict[str, object])
    model = text_of(fields, "model") or text_of(fields, "modelVersion")
    return Answer(_message_of(fields), model, {} if usage is None else {"usage": usage})


def _message_of(fields: Fields) -> str | None:
    choices = decoded(fields.get("choices", NOTHING), list[Fields])
    if choices:
        message = choices[0].get("message")
        return None if message is None else bytes(message).decode()
    candidates = decoded(fields.get("candidates", NOTHING), list[Fields])
    if candidates:
        content = candidates[0].get("content")
        return None if content is None else bytes(content).decode()
    if "output" in fields and decoded(fields["output"], list[Fields]):
        return bytes(fields["output"]).decode()
    if text_of(fields, "role") == "assistant" and "content" in fields:
        return f'{{"role":"assistant","content":{bytes(fields["content"]).decode()}}}'
    return None

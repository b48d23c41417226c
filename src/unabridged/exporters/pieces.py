"""Parts of messages in the words that several formats share, as JSON text or as plain text."""

from __future__ import annotations

import base64
import json
from collections import deque
from collections.abc import Iterable, Mapping

from unabridged.exporters.exporter import Losses
from unabridged.message import Media, Message, Opaque, Part, Raw, Role, Text, ToolCall, ToolResult
from unabridged.wire.crossing import crossed
from unabridged.wire.json_text import as_object, object_of, quote
from unabridged.wire.splicing import splice
from unabridged.wire.stand_in import stand_in


def home_text(message: Message, dialect: str, media: Mapping[str, bytes]) -> str | None:
    """Give the form that a message had in a format, media back in place; None where it comes from elsewhere."""
    raw = message.raw
    return splice(raw, media, message.id) if isinstance(raw, Raw) and raw.dialect == dialect else None


def plain(parts: Iterable[Part]) -> str:
    """Give what parts say as one text; for what is no text, words that say what it was."""
    return "\n".join(stand_in(part).text for part in parts if isinstance(part, Text | Media | Opaque))


def arguments_object(call: ToolCall) -> str:
    """Give the arguments of a call as a JSON object, whatever the model wrote."""
    try:
        if not call.custom and as_object(json.loads(call.arguments or "{}")) == json.loads(call.arguments or "{}"):
            return call.arguments.strip() or "{}"
    except (ValueError, RecursionError):
        pass
    return object_of(input=quote(call.arguments))


def base64_of(media: Media, blobs: Mapping[str, bytes]) -> str | None:
    """Give the bytes of media as base64; None where nobody has them."""
    blob = blobs.get(media.digest or "")
    return None if blob is None else base64.b64encode(blob).decode()


def crosses(message: Message, dialect: str, losses: Losses) -> bool:
    """Count what of a message a wire cannot say as it is. Tells whether anything of an answer is left."""
    parts = crossed(message, dialect)
    for part, now in zip(message.parts, parts, strict=True):
        if now is None:
            losses.note("thoughts are left out: only the model that had them can use them")
        elif now != part:
            losses.note("items are said in words: this format has no place for them")
    return message.role is not Role.ASSISTANT or not parts or any(part is not None for part in parts)


class OpenCalls:
    """The calls that wait for a result: it belongs to the nearest open call of its id, the first of one message."""

    def __init__(self) -> None:
        self._calls: deque[ToolCall] = deque()

    def see(self, message: Message) -> None:
        """Take in the calls of a message."""
        self._calls.extendleft(reversed(message.calls))

    def answered(self, result: ToolResult) -> ToolCall | None:
        """Give the call that a result answers, which is open no more."""
        found = next((call for call in self._calls if call.id == result.call_id), None)
        if found is not None:
            self._calls.remove(found)
        return found

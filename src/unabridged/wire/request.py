"""Requests: the messages, and around them what the frame holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from unabridged.errors import BadInput
from unabridged.frame import Envelope, Frame
from unabridged.wire.json_text import JsonNode, list_of, quote
from unabridged.wire.patching import apply

_SEPARATOR = ","
MESSAGES = "messages"
"""The field that holds the messages, by most of its names."""


class Body(NamedTuple):
    """A request taken apart."""

    fields: tuple[tuple[str, str], ...]
    messages: tuple[JsonNode, ...]
    envelope: Envelope


def read_body(body: bytes, listed: str = MESSAGES, *, may_be_text: bool = False) -> Body:
    """Take a request apart whose messages are in the field `listed`.

    With `may_be_text` that field may hold one string instead, which then is the one node given. Raises `BadInput`
    naming the field where it is no request.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"the request is not UTF-8 (byte {error.start}): send JSON as UTF-8") from error
    node = JsonNode.parse(text, "the request")
    if not isinstance(node.value, dict):
        raise BadInput(f"the request is no JSON object: send an object with the field `{listed}`")
    messages = node.get(listed)
    fields = tuple((str(m.key), text[m.value : m.end]) for m in node.layout if m.key != listed)
    if messages is not None and may_be_text and isinstance(messages.value, str):
        start, end = messages.span
        return Body(fields, (messages.detached(),), Envelope(text[: start + 1], _SEPARATOR, text[end - 1 :]))
    if messages is None or not isinstance(messages.value, list):
        raise BadInput(f"`{listed}` is missing or no list: send a list of messages")
    items = messages.items()
    return Body(fields, tuple(item.detached() for item in items), _envelope(messages, items))


def _envelope(messages: JsonNode, items: Sequence[JsonNode]) -> Envelope:
    text = messages.text
    start = items[0].span[0] if items else messages.span[0] + 1
    end = items[-1].span[1] if items else start
    separator = text[items[0].span[1] : items[1].span[0]] if len(items) > 1 else _SEPARATOR
    return Envelope(text[:start], separator, text[end:])


def write_body(frame: Frame, dialect: str, messages: Sequence[str], listed: str = MESSAGES) -> bytes:
    """Put a request together. Raises `BadInput` for the frame of another dialect."""
    if frame.dialect != dialect:
        raise BadInput(f"the frame speaks {frame.dialect} and the request goes out as {dialect}: use that frame's wire")
    if frame.envelope is not None:
        text = frame.envelope.head + frame.envelope.separator.join(messages) + frame.envelope.tail
    else:
        members = [f"{quote(name)}:{value}" for name, value in frame.fields]
        text = "{" + ",".join([*members, f'"{listed}":{list_of(messages)}']) + "}"
    return text.encode("utf-8", "backslashreplace")  # which writes half a surrogate pair as JSON does


def is_text(frame: Frame) -> bool:
    """Tell whether a request held one string in place of the list of its messages."""
    return frame.envelope is not None and frame.envelope.head.endswith('"')


def with_list(frame: Frame) -> Frame:
    """Give the frame of such a request with a list in place of the string."""
    assert frame.envelope is not None
    envelope = Envelope(frame.envelope.head[:-1] + "[", frame.envelope.separator, "]" + frame.envelope.tail[1:])
    return msgspec.structs.replace(frame, envelope=envelope)


def field(frame: Frame, name: str) -> JsonNode | None:
    """Give a field of the frame, the last of several of one name."""
    for key, text in reversed(frame.fields):
        if key == name:
            return JsonNode.parse(text, f"`{name}`")
    return None


def with_field(frame: Frame, name: str, text: str) -> Frame:
    """Give the frame with a field set. The rest of its envelope stays as it is."""
    at = max((at for at, (key, _) in enumerate(frame.fields) if key == name), default=len(frame.fields))
    fields = (*frame.fields[:at], (name, text), *frame.fields[at + 1 :])
    envelope = None if frame.envelope is None else _with_field(frame.envelope, name, text)
    return msgspec.structs.replace(frame, fields=fields, envelope=envelope)


def _with_field(envelope: Envelope, name: str, text: str) -> Envelope:
    border = len(envelope.head)
    body = envelope.head + envelope.tail
    patch = JsonNode.parse(body, "the envelope").with_member(name, text)
    changed = apply(body, [patch])
    if patch.start < border:
        border += len(changed) - len(body)
    return Envelope(changed[:border], envelope.separator, changed[border:])


def count_of(frame: Frame, name: str) -> int | None:
    """Give a field of the frame that holds a number of tokens; None where there is none."""
    node = field(frame, name)
    if node is None or not isinstance(node.value, float) or not node.value.is_integer():
        return None
    return int(node.value)

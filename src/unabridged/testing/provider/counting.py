"""Counts a request body as its provider would: every text, name, id, argument and schema, and media by their rule.

It reads plain JSON, and shares nothing with the part that counts what is to be sent but the vocabulary and the rules
for media.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.message import Media, MediaKind
from unabridged.testing.provider.json_reading import Json, elements, is_array, is_object, members, text
from unabridged.tokens import TokenCounter
from unabridged.tokens.media import describe, media_tokens

FRAMING = 4
"""Tokens that a chat format spends on one message beside its texts: role and separators."""
TEXT_FRAMING = 3
"""The same for a text in it."""
CALL_FRAMING = 8
"""The same for one call, or one result of a call, beside the text that it holds: recipient, channel, type of content
(OpenAI's Harmony format)."""
MESSAGES = {"openai_chat": "messages", "openai_responses": "input", "anthropic": "messages", "gemini": "contents"}
SYSTEM = ("system", "instructions", "systemInstruction", "system_instruction")
_UNSEEN = {
    *("type", "role", "status", "cache_control", "media_type", "mime_type", "mimeType", "detail", "index", "phase"),
    *("signature", "thoughtSignature", "thought_signature", "encrypted_content", "annotations", "logprobs"),
}
"""What a provider does not put in front of its model."""
_KINDS = {
    **dict.fromkeys(("image", "image_url", "input_image"), MediaKind.IMAGE),
    **dict.fromkeys(("document", "file", "input_file"), MediaKind.DOCUMENT),
    **dict.fromkeys(("input_audio", "audio"), MediaKind.AUDIO),
}
_CALLS = {"tool_call_id", "functionCall", "function_call", "functionResponse", "function_response"}
_CALL_TYPES = {"tool_use", "tool_result", "function", "function_call", "function_call_output", "custom"}
_STRUCTURED = {"input", "args", "response"}
"""Members that hold any JSON; a model reads it as text."""
_HANDLES = {"openai_responses": {"id"}}
"""Members by which a server finds an item again. A call has its own `call_id` there."""
_TEXTS = ("text", "content", "arguments", "input", "output", "args", "response")
"""Members that hold a text of a node's own."""
_OUTPUT = ("output", "error")
"""Of a Gemini `response`, the member that is what the tool gave back; without one all of it is (`FunctionResponse`)."""


def messages_of(dialect: str, body: Mapping[str, Any]) -> list[Any]:
    """Give the messages of a request; a Responses input may be one text."""
    found: object = body.get(MESSAGES[dialect])
    return [{"role": "user", "content": found}] if isinstance(found, str) else elements(found)


def fixed_tokens(body: Mapping[str, Any], counter: TokenCounter, dialect: str) -> int:
    """Give the tokens of what a request carries beside its messages: system text, tools, response format."""
    total = 0
    for name in SYSTEM:
        if name in body:
            total += _tokens({"content": body[name]}, counter, dialect)
    config = members(body.get("generationConfig") or body.get("generation_config"))
    schemas = [body.get("response_format"), body.get("text"), config.get("responseSchema")]
    for schema in [*elements(body.get("tools")), *filter(is_object, schemas)]:
        total += counter.count(_compact(schema))
    return total


def message_tokens(message: object, counter: TokenCounter, dialect: str) -> int:
    """Give the tokens of one message or item."""
    return FRAMING + _tokens(message, counter, dialect)


def _tokens(node: object, counter: TokenCounter, dialect: str) -> int:
    return sum(each if isinstance(each, int) else counter.count(each) for each in _seen(node, dialect))


def _seen(node: object, dialect: str) -> Iterator[str | int]:
    """Give the texts that a model sees of a piece of JSON, and the tokens of its media."""
    if isinstance(node, str):
        yield node
    elif is_array(node):
        for each in elements(node):
            yield from _seen(each, dialect)
    elif is_object(node):
        yield from _seen_members(members(node), dialect)


def _seen_members(node: Json, dialect: str) -> Iterator[str | int]:
    media = _media_of(node)
    if media is not None:
        yield media_tokens(media, dialect)
        return
    yield _framing(node)
    for name, value in node.items():
        is_json = name in _STRUCTURED and (is_object(value) or is_array(value)) and dialect in ("anthropic", "gemini")
        if is_json:
            yield _output_of(value) if name == "response" else _compact(value)
        elif name not in _UNSEEN and name not in _HANDLES.get(dialect, ()):
            yield from _seen(value, dialect)


def _framing(node: Json) -> int:
    is_call = not _CALLS.isdisjoint(node) or node.get("type") in _CALL_TYPES
    has_text = any(isinstance(node.get(name), str) or is_object(node.get(name)) for name in _TEXTS)
    return CALL_FRAMING * is_call + TEXT_FRAMING * has_text


def _output_of(response: object) -> str:
    given = [value for name, value in members(response).items() if name in _OUTPUT]
    whole = len(given) == len(members(response)) == 1 and isinstance(given[0], str)
    return given[0] if whole else _compact(response)


def _media_of(node: Json) -> Media | None:
    inline = members(node.get("inlineData") or node.get("inline_data"))
    linked = members(node.get("fileData") or node.get("file_data"))
    if inline or linked:
        held = inline or linked
        mime = text(held.get("mimeType") or held.get("mime_type"))
        return _measured(_kind_of(mime), mime, held.get("data"))
    kind = _KINDS.get(text(node.get("type")))
    if kind is None:
        return None
    source = members(node.get("source"))
    if source.get("type") in ("text", "content"):
        return None
    if source:
        return _measured(kind, text(source.get("media_type")), source.get("data"))
    return _linked(kind, node)


def _linked(kind: MediaKind, node: Json) -> Media:
    """Read OpenAI's forms: a data URL, a link, base64 beside its format, a file id."""
    inner: object = node.get(text(node.get("type")))
    held = members(inner) or node
    link = inner if isinstance(inner, str) else held.get("url") or held.get("image_url") or held.get("file_data")
    if isinstance(link, str) and link.startswith("data:"):
        head, _, data = link.partition(",")
        return _measured(kind, head[5:].partition(";")[0], data)
    if isinstance(held.get("data"), str):
        return _measured(kind, f"audio/{held.get('format', '')}", held["data"])
    return Media(kind=kind, url=text(link) or None)


def _measured(kind: MediaKind, mime: str, data: object) -> Media:
    try:
        blob = base64.b64decode(data) if isinstance(data, str) else b""
    except (binascii.Error, ValueError):
        blob = b""
    facts = describe(blob, mime)
    return Media(
        kind=kind,
        mime=mime,
        size=len(blob),
        width=facts.width,
        height=facts.height,
        pages=facts.pages,
        seconds=facts.seconds,
    )


def _kind_of(mime: str) -> MediaKind:
    first = mime.partition("/")[0]
    return MediaKind(first) if first in ("image", "audio", "video") else MediaKind.DOCUMENT


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

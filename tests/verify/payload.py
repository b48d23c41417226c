"""Counts a request body from outside: plain JSON in, exact o200k tokens out. Knows nothing of our values.

What is counted is what a provider puts in front of its model: every text, name, id, argument and schema. Pictures
cost what the provider's rule says; base64 never counts as text.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from bpe_openai import get_encoding
from bpe_openai.errors import TokenLimitError

from tests.verify.items import texts_of

_ENCODING = None
LISTED = {"openai_responses": "input", "gemini": "contents"}
"""The field that holds the messages, where it is not `messages`."""
UNKNOWN_MEDIA = 1_600
FRAMING = 4
"""Tokens that a chat format spends on one message beside its texts."""


def count(text: str) -> int:
    """Give exact o200k tokens by a second, independent implementation."""
    global _ENCODING
    if _ENCODING is None:
        _ENCODING = get_encoding("o200k_base")
    try:
        return len(_ENCODING.encode_ordinary(text.encode("utf-8", "replace").decode()))
    except TokenLimitError as found:  # it gives no more than 200,000 tokens, and counts them all
        return found.token_count


def payload_tokens(body: Mapping[str, Any], media: Callable[[Mapping[str, Any]], int]) -> int:
    """Give the tokens of a whole request body. `media` prices one picture, document or recording."""
    return fixed_tokens(body) + sum(FRAMING + message_tokens(message, media) for message in body["messages"])


def fixed_tokens(body: Mapping[str, Any]) -> int:
    """Give the tokens of what a request carries beside its messages."""
    return sum(count(text) for text in _fixed(body))


def message_tokens(message: Mapping[str, Any], media: Callable[[Mapping[str, Any]], int]) -> int:
    """Give the tokens of one message."""
    texts = [text for text in _texts(message, media) if isinstance(text, str)]
    prices = [price for price in _texts(message, media) if isinstance(price, int)]
    return sum(count(text) for text in texts) + sum(prices)


def _fixed(body: Mapping[str, Any]) -> Iterator[str]:
    inside = body.get("config") or {}
    for each in (body, inside):
        for name in ("system", "instructions", "systemInstruction", "system_instruction"):
            yield from (text for text in texts_of(each.get(name), lambda _: 0) if isinstance(text, str))
        for tool in each.get("tools") or ():
            yield json.dumps(tool, ensure_ascii=False, separators=(",", ":"))


def _texts(message: Mapping[str, Any], media: Callable[[Mapping[str, Any]], int]) -> Iterator[str | int]:
    if "parts" in message or not _is_chat(message):
        yield from texts_of(message, media)
        return
    content = message.get("content")
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, list) else ():
        yield from _block(block, media)
    for call in message.get("tool_calls") or ():
        inner = call.get("function") or call.get("custom") or {}
        yield from (call.get("id") or "", inner.get("name") or "", inner.get("arguments") or inner.get("input") or "")
    for key in ("tool_call_id", "reasoning_content", "refusal"):
        if isinstance(message.get(key), str):
            yield message[key]


def _is_chat(message: Mapping[str, Any]) -> bool:
    """Tell a message of Chat Completions or of Anthropic from an item of Responses, which has a type of its own."""
    blocks = message.get("content")
    kinds = {block.get("type") for block in blocks} if isinstance(blocks, list) else set()
    return "role" in message and "type" not in message and not kinds & {"input_text", "input_image", "input_file"}


def _block(block: Mapping[str, Any], media: Callable[[Mapping[str, Any]], int]) -> Iterator[str | int]:
    kind = block.get("type")
    if kind == "document" and (written := _written(block)) is not None:
        yield from _result(written, media)
    elif kind in ("image", "document", "image_url", "input_audio", "file"):
        yield media(block)
    elif kind == "tool_use":
        yield from (block["id"], block["name"], json.dumps(block["input"], ensure_ascii=False, separators=(",", ":")))
    elif kind == "tool_result":
        yield block["tool_use_id"]
        yield from _result(block.get("content"), media)
    elif kind == "thinking":
        yield block.get("thinking") or ""
    else:
        for key, value in block.items():
            if isinstance(value, str) and key not in ("type", "data"):
                yield UNKNOWN_MEDIA if value.startswith("data:") else value


def _written(block: Mapping[str, Any]) -> object:
    """Give what a document holds that is given as text or as blocks: no page is made of it, so it costs its words."""
    source = block.get("source") or {}
    return {"text": source.get("data"), "content": source.get("content")}.get(str(source.get("type")))


def _result(content: object, media: Callable[[Mapping[str, Any]], int]) -> Iterator[str | int]:
    if isinstance(content, str):
        yield content
    for block in content if isinstance(content, Sequence) and not isinstance(content, str) else ():
        yield from _block(block, media)

"""Signatures on thoughts, as providers make them: an edited thought is found out."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

from unabridged.testing.provider.json_reading import elements, members, text

_KEY = b"unabridged.testing"


def signed(thought: str) -> str:
    """Give the signature of a thought."""
    made = hmac.new(_KEY, thought.encode("utf-8", "surrogatepass"), hashlib.sha256).digest()
    return base64.b64encode(made).decode()


def forgeries(dialect: str, messages: list[Any]) -> Iterator[str]:
    """Say, in the provider's words, which thoughts are not what was signed."""
    looks = {"anthropic": _anthropic, "openai_responses": _openai_responses, "gemini": _gemini}.get(dialect)
    return iter(()) if looks is None else looks(messages)


def _anthropic(messages: list[Any]) -> Iterator[str]:
    for place, message in enumerate(messages):
        for nth, each in enumerate(elements(members(message).get("content"))):
            block = members(each)
            if block.get("type") == "thinking" and block.get("signature") != signed(text(block.get("thinking"))):
                yield f"messages.{place}.content.{nth}: Invalid `signature` in `thinking` block"


def _openai_responses(items: list[Any]) -> Iterator[str]:
    for item in map(members, items):
        if item.get("type") == "reasoning" and item.get("encrypted_content"):
            said = "".join(text(members(part).get("text")) for part in elements(item.get("summary")))
            if item["encrypted_content"] != signed(said):
                yield f"The encrypted content for item {item.get('id')} could not be verified."


def _gemini(contents: list[Any]) -> Iterator[str]:
    for content in map(members, contents):
        for part in map(members, elements(content.get("parts"))):
            call = members(part.get("functionCall"))
            if call and part.get("thoughtSignature") not in (None, signed(text(call.get("name")))):
                yield "Corrupted thought signature."

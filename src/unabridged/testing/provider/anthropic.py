"""Anthropic Messages, as the fake provider speaks it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from unabridged.testing.provider.form import Answer, Event, pieces
from unabridged.testing.provider.json_reading import Json, members, number
from unabridged.testing.provider.signing import signed


class Anthropic:
    """Error texts: Anthropic's own ("Errors", "Context windows")."""

    dialect = "anthropic"

    def max_output(self, body: Mapping[str, Any]) -> int:
        """Give the limit asked for."""
        return number(body.get("max_tokens"))

    def overflow(self, tokens: int, asked: int, window: int) -> str | None:
        """Say that the prompt, or prompt and answer, do not fit."""
        if tokens > window:
            return f"prompt is too long: {tokens} tokens > {window} maximum"
        if tokens + asked > window:
            both = f"input length and `max_tokens` exceed context limit: {tokens} + {asked} > {window}"
            return f"{both}, decrease input length or `max_tokens` and try again"
        return None

    def error(self, status: int, says: str, kind: str) -> Json:
        """Give an error object."""
        return {"type": "error", "error": {"type": kind, "message": says}}

    def response(self, answer: Answer) -> Json:
        """Give a message."""
        return {**self._head(answer), "content": _blocks(answer), "stop_reason": _reason(answer)}

    def events(self, answer: Answer) -> Iterator[Event]:
        """Give typed events, block by block."""
        started: Json = {**self._head(answer), "content": [], "stop_reason": None}
        yield "message_start", {"type": "message_start", "message": started}
        for place, block in enumerate(_blocks(answer)):
            empty: Json = {**block, **{key: "" for key in ("text", "thinking", "signature") if key in block}}
            opened: Json = {**empty, "input": {}} if block["type"] == "tool_use" else empty
            yield _event("content_block_start", index=place, content_block=opened)
            for delta in _deltas(block):
                yield _event("content_block_delta", index=place, delta=delta)
            yield _event("content_block_stop", index=place)
        delta = {"stop_reason": _reason(answer), "stop_sequence": None}
        yield _event("message_delta", delta=delta, usage={"output_tokens": answer.count.output})
        yield _event("message_stop")

    def _head(self, answer: Answer) -> Json:
        count = answer.count
        usage = {
            "input_tokens": count.input - count.cached,
            "cache_read_input_tokens": count.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": count.output,
        }
        head = {"id": f"msg_{answer.number}", "type": "message", "role": "assistant", "model": answer.model}
        return {**head, "stop_sequence": None, "usage": usage}


def _event(kind: str, **more: Any) -> Event:
    return kind, {"type": kind, **more}


def _blocks(answer: Answer) -> list[Json]:
    reply = answer.reply
    blocks: list[Json] = []
    if reply.thinking and (reply.text or reply.calls):
        blocks.append({"type": "thinking", "thinking": reply.thinking, "signature": signed(reply.thinking)})
    if reply.text:
        blocks.append({"type": "text", "text": reply.text})
    for place, call in enumerate(reply.calls):
        blocks.append(
            {"type": "tool_use", "id": answer.call_id(place), "name": call.name, "input": object_of(call.arguments)}
        )
    return blocks


def _deltas(block: Json) -> Iterator[Json]:
    if block["type"] == "thinking":
        for piece in pieces(block["thinking"]):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block["signature"]}
    elif block["type"] == "text":
        for piece in pieces(block["text"]):
            yield {"type": "text_delta", "text": piece}
    else:
        for piece in pieces(json.dumps(block["input"])):
            yield {"type": "input_json_delta", "partial_json": piece}


def object_of(arguments: str) -> Json:
    """Give a call's arguments as an object: this API never hands on what is none."""
    try:
        decoded: object = json.loads(arguments)
    except ValueError:
        decoded = None
    return members(cast(object, decoded)) if isinstance(decoded, dict) else {"input": arguments}


def _reason(answer: Answer) -> str:
    if answer.reply.cut_off:
        return "max_tokens"
    return "tool_use" if answer.reply.calls else "end_turn"

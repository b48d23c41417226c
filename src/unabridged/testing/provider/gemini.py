"""Gemini's generateContent, as the fake provider speaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.testing.provider.anthropic import object_of
from unabridged.testing.provider.form import Answer, Event, pieces
from unabridged.testing.provider.json_reading import Json, members, number, text
from unabridged.testing.provider.signing import signed


class Gemini:
    """Error texts: Google's own ("Troubleshooting")."""

    dialect = "gemini"

    def max_output(self, body: Mapping[str, Any]) -> int:
        """Give the limit asked for."""
        config = members(body.get("generationConfig") or body.get("generation_config"))
        return number(config.get("maxOutputTokens") or config.get("max_output_tokens"))

    def overflow(self, tokens: int, asked: int, window: int) -> str | None:
        """Say that the input does not fit; input and output have limits of their own here."""
        if tokens > window:
            return f"The input token count ({tokens}) exceeds the maximum number of tokens allowed ({window})."
        return None

    def error(self, status: int, says: str, kind: str) -> Json:
        """Give an error object."""
        names = {400: "INVALID_ARGUMENT", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
        return {"error": {"code": status, "message": says, "status": names.get(status, "INTERNAL")}}

    def response(self, answer: Answer) -> Json:
        """Give a response."""
        return self._chunk(answer, _parts(answer), last=True)

    def events(self, answer: Answer) -> Iterator[Event]:
        """Give whole responses, each with a part of the answer."""
        for part in _parts(answer):
            for piece in pieces(text(part.get("text"))) if "text" in part else (None,):
                yield None, self._chunk(answer, [part if piece is None else {**part, "text": piece}], last=False)
        yield None, self._chunk(answer, [], last=True)

    def _chunk(self, answer: Answer, parts: list[Json], *, last: bool) -> Json:
        candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
        if last:
            candidate["finishReason"] = "MAX_TOKENS" if answer.reply.cut_off else "STOP"
        return {
            "candidates": [candidate],
            "usageMetadata": _usage(answer),
            "modelVersion": answer.model,
            "responseId": f"response-{answer.number}",
        }


def _parts(answer: Answer) -> list[Json]:
    reply = answer.reply
    parts: list[Json] = []
    if reply.thinking and (reply.text or reply.calls):
        parts.append({"text": reply.thinking, "thought": True})
    if reply.text:
        parts.append({"text": reply.text})
    for place, call in enumerate(reply.calls):
        inner = {"id": answer.call_id(place), "name": call.name, "args": object_of(call.arguments)}
        parts.append({"functionCall": inner})
    if reply.calls:
        first = len(parts) - len(reply.calls)
        parts[first]["thoughtSignature"] = signed(reply.calls[0].name)
    return parts


def _usage(answer: Answer) -> Json:
    count = answer.count
    usage = {
        "promptTokenCount": count.input,
        "candidatesTokenCount": count.output - count.reasoning,
        "totalTokenCount": count.input + count.output,
    }
    if count.cached:
        usage["cachedContentTokenCount"] = count.cached
    if count.reasoning:
        usage["thoughtsTokenCount"] = count.reasoning
    return usage

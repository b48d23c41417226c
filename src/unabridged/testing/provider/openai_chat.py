"""OpenAI Chat Completions, as the fake provider speaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.testing.provider.form import Answer, Event, pieces
from unabridged.testing.provider.json_reading import Json, number

CREATED = 1_796_000_000


class OpenAIChat:
    """Error texts: OpenAI's own ("Error codes"; `context_length_exceeded`)."""

    dialect = "openai_chat"

    def max_output(self, body: Mapping[str, Any]) -> int:
        """Give the limit asked for."""
        return number(body.get("max_completion_tokens") or body.get("max_tokens"))

    def overflow(self, tokens: int, asked: int, window: int) -> str | None:
        """Say that messages, or messages and answer, do not fit."""
        known = f"This model's maximum context length is {window} tokens. However, "
        if tokens > window:
            return f"{known}your messages resulted in {tokens} tokens. Please reduce the length of the messages."
        if tokens + asked > window:
            split = f"({tokens} in the messages, {asked} in the completion)"
            remedy = "Please reduce the length of the messages or completion."
            return f"{known}you requested {tokens + asked} tokens {split}. {remedy}"
        return None

    def error(self, status: int, says: str, kind: str) -> Json:
        """Give an error object."""
        code = "context_length_exceeded" if "maximum context length" in says else None
        return {"error": {"message": says, "type": kind, "param": "messages" if status == 400 else None, "code": code}}

    def response(self, answer: Answer) -> Json:
        """Give a chat completion."""
        reply = answer.reply
        message: Json = {"role": "assistant", "content": reply.text or None, "refusal": None}
        if reply.calls:
            message["tool_calls"] = self._calls(answer)
        choice = {"index": 0, "message": message, "finish_reason": _reason(answer), "logprobs": None}
        return {**self._head(answer, "chat.completion"), "choices": [choice], "usage": _usage(answer)}

    def events(self, answer: Answer) -> Iterator[Event]:
        """Give chunks; the last one but `[DONE]` carries the usage."""
        head = self._head(answer, "chat.completion.chunk")

        def chunk(delta: Json, reason: str | None = None) -> Event:
            return None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], "usage": None}

        yield chunk({"role": "assistant", "content": ""})
        for piece in pieces(answer.reply.text):
            yield chunk({"content": piece})
        for place, call in enumerate(self._calls(answer)):
            inner = call["function"]
            opened = {**call, "index": place, "function": {"name": inner["name"], "arguments": ""}}
            yield chunk({"tool_calls": [opened]})
            for piece in pieces(inner["arguments"]):
                yield chunk({"tool_calls": [{"index": place, "function": {"arguments": piece}}]})
        yield chunk({}, _reason(answer))
        yield None, {**head, "choices": [], "usage": _usage(answer)}
        yield None, "[DONE]"

    def _calls(self, answer: Answer) -> list[Json]:
        return [
            {
                "id": answer.call_id(place),
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for place, call in enumerate(answer.reply.calls)
        ]

    def _head(self, answer: Answer, kind: str) -> Json:
        return {"id": f"chatcmpl-{answer.number}", "object": kind, "created": CREATED, "model": answer.model}


def _reason(answer: Answer) -> str:
    if answer.reply.cut_off:
        return "length"
    return "tool_calls" if answer.reply.calls else "stop"


def _usage(answer: Answer) -> Json:
    count = answer.count
    return {
        "prompt_tokens": count.input,
        "completion_tokens": count.output,
        "total_tokens": count.input + count.output,
        "prompt_tokens_details": {"cached_tokens": count.cached},
        "completion_tokens_details": {"reasoning_tokens": count.reasoning},
    }

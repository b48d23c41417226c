"""OpenAI Responses, as the fake provider speaks it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from unabridged.testing.provider.form import Answer, Event, pieces
from unabridged.testing.provider.json_reading import Json, number
from unabridged.testing.provider.openai_chat import CREATED
from unabridged.testing.provider.signing import signed


class OpenAIResponses:
    """Error texts: OpenAI's own (`context_length_exceeded`)."""

    dialect = "openai_responses"

    def max_output(self, body: Mapping[str, Any]) -> int:
        """Give the limit asked for."""
        return number(body.get("max_output_tokens"))

    def overflow(self, tokens: int, asked: int, window: int) -> str | None:
        """Say that the input does not fit. The answer is cut off where it does not, and nothing is refused for it."""
        if tokens > window:
            return "Your input exceeds the context window of this model. Please adjust your input and try again."
        return None

    def error(self, status: int, says: str, kind: str) -> Json:
        """Give an error object."""
        code = "context_length_exceeded" if "context window" in says else None
        return {"error": {"message": says, "type": kind, "param": "input" if status == 400 else None, "code": code}}

    def response(self, answer: Answer) -> Json:
        """Give a response."""
        cut = answer.reply.cut_off
        return {
            "id": f"resp_{answer.number}",
            "object": "response",
            "created_at": CREATED,
            "status": "incomplete" if cut else "completed",
            "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
            "error": None,
            "model": answer.model,
            "output": _items(answer),
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": _usage(answer),
        }

    def events(self, answer: Answer) -> Iterator[Event]:
        """Give typed events, numbered."""
        whole = self.response(answer)
        begun: Json = {**whole, "status": "in_progress", "output": [], "usage": None}
        number = 0

        def event(kind: str, **more: Any) -> Event:
            nonlocal number
            number += 1
            return kind, {"type": kind, "sequence_number": number - 1, **more}

        yield event("response.created", response=begun)
        for place, item in enumerate(whole["output"]):
            yield event("response.output_item.added", output_index=place, item={**item, "status": "in_progress"})
            where = {"item_id": item["id"], "output_index": place}
            for piece in pieces(item.get("arguments") or ""):
                yield event("response.function_call_arguments.delta", **where, delta=piece)
            for part, content in enumerate(item.get("content") or ()):
                at = {**where, "content_index": part}
                yield event("response.content_part.added", **at, part={**content, "text": ""})
                for piece in pieces(content["text"]):
                    yield event("response.output_text.delta", **at, delta=piece, logprobs=[])
                yield event("response.output_text.done", **at, text=content["text"], logprobs=[])
            yield event("response.output_item.done", output_index=place, item=item)
        yield event("response.incomplete" if answer.reply.cut_off else "response.completed", response=whole)


def _items(answer: Answer) -> list[Json]:
    reply, number = answer.reply, answer.number
    items: list[Json] = []
    if reply.thinking and (reply.text or reply.calls):
        summary = [{"type": "summary_text", "text": reply.thinking}]
        sealed = signed(reply.thinking)
        items.append({"id": f"rs_{number}", "type": "reasoning", "summary": summary, "encrypted_content": sealed})
    if reply.text or not reply.calls:
        content: list[Json] = [{"type": "output_text", "text": reply.text, "annotations": []}]
        head = {"id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed"}
        items.append({**head, "content": content})
    for place, call in enumerate(reply.calls):
        items.append(
            {
                "id": f"fc_{number}_{place}",
                "type": "function_call",
                "call_id": answer.call_id(place),
                "name": call.name,
                "arguments": call.arguments,
                "status": "completed",
            }
        )
    return items


def _usage(answer: Answer) -> Json:
    count = answer.count
    return {
        "input_tokens": count.input,
        "input_tokens_details": {"cached_tokens": count.cached},
        "output_tokens": count.output,
        "output_tokens_details": {"reasoning_tokens": count.reasoning},
        "total_tokens": count.input + count.output,
    }

"""The four adapters side by side: how each is made, asked, and answered with one word."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from tests.models.servers import Says, streams
from unabridged.models.anthropic import AnthropicModel
from unabridged.models.gemini import GeminiModel
from unabridged.models.model import Completed, Event, Model, ModelError, Patience, Restarted
from unabridged.models.openai_chat import OpenAIChatModel
from unabridged.models.openai_responses import OpenAIResponsesModel


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """One dialect as an adapter meets it."""

    name: str
    adapter: Callable[..., Model]
    path: str
    """What an address has behind the server's own."""
    body: bytes
    """A request with fields that nobody knows, and spaces where nobody expects them."""
    chunks: Sequence[dict[str, Any] | str]
    """The word `Hello` as a stream, in two pieces, with the end mark last."""
    broken: int
    """So many of the chunks hold the whole word, and no end mark."""
    tool: dict[str, Any]
    """A chunk in which the provider says that it ran a tool."""
    named: bool = False

    def model(self, url: str, **how: Any) -> Model:
        """Make the adapter, patient for seconds rather than minutes."""
        how.setdefault("patience", Patience(total_s=20, idle_s=10, attempts=3))
        return self.adapter("m", base_url=url + self.path, **how)

    def hello(self, **how: Any) -> Says:
        """Give the line that says `Hello`."""
        return streams(self.chunks, named=self.named, **how)

    def part(self, count: int, **how: Any) -> Says:
        """Give the line that says only the first of its chunks."""
        return streams(self.chunks[:count], named=self.named, **how)


_RESPONSE = {"id": "r", "object": "response", "model": "m-1", "error": None, "incomplete_details": None}
_ITEM = {
    "id": "msg",
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
}

CHAT = Dialect(
    name="openai_chat",
    adapter=OpenAIChatModel,
    path="/v1",
    body=b'{ "model":"m",  "messages":[{"role":"user","content":"caf\xc3\xa9 \\u00e9", "cache": 1.50}] ,"odd":[1e2] }',
    chunks=[
        {"model": "m-1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Hel"}}]},
        {"model": "m-1", "choices": [{"index": 0, "delta": {"content": "lo"}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
        "[DONE]",
    ],
    broken=2,
    tool={"choices": [{"index": 0, "delta": {"executed_tools": [{"type": "search"}]}}]},
)
RESPONSES = Dialect(
    name="openai_responses",
    adapter=OpenAIResponsesModel,
    path="/v1",
    body=b'{ "model":"m",  "input":[{"role":"user","content":"caf\xc3\xa9 \\u00e9", "cache": 1.50}] ,"odd":[1e2] }',
    chunks=[
        {"type": "response.created", "response": {**_RESPONSE, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**_ITEM, "content": []}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "Hel"},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": "lo"},
        {"type": "response.output_item.done", "output_index": 0, "item": _ITEM},
        {
            "type": "response.completed",
            "response": {
                **_RESPONSE,
                "status": "completed",
                "output": [_ITEM],
                "usage": {"input_tokens": 7, "output_tokens": 2},
            },
        },
    ],
    broken=5,
    tool={
        "type": "response.output_item.added",
        "output_index": 1,
        "item": {"id": "ws", "type": "web_search_call", "status": "in_progress"},
    },
    named=True,
)
ANTHROPIC = Dialect(
    name="anthropic",
    adapter=AnthropicModel,
    path="",
    body=b'{ "model":"m",  "max_tokens":9, "messages":[{"role":"user","content":"caf\xc3\xa9 \\u00e9"}] ,"odd":[1e2] }',
    chunks=[
        {
            "type": "message_start",
            "message": {
                "id": "msg",
                "type": "message",
                "role": "assistant",
                "model": "m-1",
                "content": [],
                "usage": {"input_tokens": 3, "cache_read_input_tokens": 4, "output_tokens": 1},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hel"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "lo"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ],
    broken=7,
    tool={
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
    },
    named=True,
)
GEMINI = Dialect(
    name="gemini",
    adapter=GeminiModel,
    path="",
    body=b'{ "contents":[{"role":"user","parts":[{"text":"caf\xc3\xa9 \\u00e9", "cache": 1.50}]}] ,"odd":[1e2] }',
    chunks=[
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hel"}]}}], "modelVersion": "m-1"},
        {"candidates": [{"content": {"role": "model", "parts": [{"text": "lo"}]}}]},
        {
            "candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2},
        },
    ],
    broken=2,
    tool={"candidates": [{"content": {"parts": [{"executableCode": {"language": "PYTHON", "code": "1"}}]}}]},
)
ALL = (CHAT, RESPONSES, ANTHROPIC, GEMINI)


async def gathered(model: Model, body: bytes) -> list[Event]:
    """Give all events of an answer, and close the model."""
    try:
        return [event async for event in model.stream(body)]
    finally:
        await model.close()


async def failed(model: Model, body: bytes) -> tuple[list[Event], ModelError]:
    """Give the events until an error, and the error; and close the model."""
    events: list[Event] = []
    try:
        async for event in model.stream(body):
            events.append(event)
    except ModelError as error:
        return events, error
    finally:
        await model.close()
    raise AssertionError(f"there was an answer: {events[-1]}")


def completed(events: Sequence[Event]) -> Completed:
    """Give the last event, which is the answer."""
    assert isinstance(events[-1], Completed)
    return events[-1]


def items(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Give the answer's items, decoded by the standard library."""
    return [json.loads(item) for item in completed(events).items]


def attempts(events: Sequence[Event]) -> int:
    """Give how often a request was sent for these events."""
    return 1 + sum(isinstance(event, Restarted) for event in events)

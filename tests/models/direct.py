"""A model behind the fake provider, without a network between: bodies in, events out."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from unabridged.models.model import Completed, Event, ModelError, TextDelta, ToolRan
from unabridged.models.overflow import meaning_of
from unabridged.testing import FakeProvider
from unabridged.wire import wire

Body = Mapping[str, Any]


class Direct:
    """Sends each request to `provider`, unless `refuse` has an error for it."""

    def __init__(
        self,
        provider: FakeProvider,
        *,
        dialect: str = "openai_chat",
        window: int | None = None,
        refuse: Callable[[Body], object] = lambda body: None,
        runs_tools: bool = False,
        counts_at_once: bool = False,
    ) -> None:
        self.provider = provider
        self.name = "fake"
        self.dialect = dialect
        self.endpoint = "fake"
        self.window = window
        self.counts_at_once = counts_at_once
        self.sent: list[bytes] = []
        self.asked_to_count = 0
        self._refuse = refuse
        self._runs_tools = runs_tools

    async def stream(self, body: bytes) -> AsyncGenerator[Event, None]:
        self.sent.append(body)
        await asyncio.sleep(0)
        request = json.loads(body)
        refusal = self._refuse(request)
        if self._runs_tools:
            yield ToolRan("search")
        if refusal is not None:
            raise ModelError(meaning_of(refusal, status=400), ran=self._runs_tools)
        response = self.provider.answer(self.dialect, request)
        if response.get("error"):
            raise ModelError(meaning_of(response, status=400), ran=self._runs_tools)
        items = _items(self.dialect, response)
        for item in items:
            message, _ = wire(self.dialect).read_message(item, id="answer")
            yield TextDelta(message.text)
        yield Completed(items=items, usage=wire(self.dialect).usage(response))

    async def count(self, body: bytes) -> int | None:
        self.asked_to_count += 1
        return self.provider.tokens_of(self.dialect, json.loads(body))

    async def close(self) -> None:
        return None


def _items(dialect: str, response: Body) -> tuple[str, ...]:
    match dialect:
        case "openai_chat":
            found = [response["choices"][0]["message"]]
        case "openai_responses":
            found = response["output"]
        case "anthropic":
            found = [{"role": "assistant", "content": response["content"]}] if response["content"] else []
        case _:
            found = [response["candidates"][0]["content"]]
    return tuple(json.dumps(item) for item in found)

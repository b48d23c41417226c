"""Histories in a few words, for tests that read as a specification."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from typing import Any

from unabridged.context import HistoryManager
from unabridged.tokens import default_counter

WINDOW = 8_000
"""Small, so that a few exchanges fill it. The budget is 6,400."""


def tokens(count: int) -> str:
    """Text of about this many tokens."""
    return "word " * count


def call(id: str, name: str = "read", arguments: str = '{"path": "a.py"}') -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def exchange(history: HistoryManager, number: int, *, size: int = 300) -> None:
    """One round: a question, a call with its result of `size` tokens, an answer."""
    history.append_user(f"question {number}")
    history.append_assistant(tool_calls=[call(f"call-{number}")])
    history.append_tool_result(f"call-{number}", tokens(size))
    history.append_assistant(f"answer {number}")


def long_history(rounds: int = 30, *, size: int = 300) -> HistoryManager:
    """Rounds that are over the budget of `WINDOW` together, and a newest question."""
    history = HistoryManager()
    for number in range(rounds):
        exchange(history, number, size=size)
    history.append_user("the newest question")
    return history


class Prompts:
    """The system layers of seed and articles, by their names."""

    def __init__(self, *layers: str) -> None:
        self.layers = layers or ("Constitution", "Tool Contracts", "Code Law")

    def get_system_messages(self) -> list[dict[str, Any]]:
        return [{"role": "system", "content": layer} for layer in self.layers]


WROTE = """## Completed goals
- The questions up to now were answered; `a.py` was read for each of them and found to be in order.

## Key decisions
- Nothing was changed in `a.py`, since the user asked for an opinion and not for a patch.

## Open work
- The newest question had not been answered yet when this was written.
"""
"""What a model writes that does as it is told."""


class Llm:
    """A blocking model with a window of its own, which answers what `says` gives and keeps what it was asked."""

    def __init__(self, says: str = WROTE, *, window: int = 1_000_000, takes_s: float = 0.0) -> None:
        self.says = says
        self.window = window
        self.takes_s = takes_s
        self.asked: list[list[dict[str, Any]]] = []

    def __call__(self, messages: list[dict[str, Any]]) -> str:
        self.asked.append(messages)
        time.sleep(self.takes_s)
        return self.says

    def invoke_raw(self, messages: list[dict[str, Any]], tools: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
        """Answer as the articles' loop asks, or refuse what is over the window, in a provider's words."""
        size = default_counter().count(json.dumps([*messages, *tools]))
        if size > self.window:
            raise RuntimeError(f"prompt is too long: {size} tokens > {self.window} maximum")
        return {"role": "assistant", "content": self(messages)}


class AsyncLlm:
    """An async model that waits as long as it is told, and notes whether it was cancelled before it answered."""

    def __init__(self, says: str = WROTE, *, takes_s: float = 0.0, error: Exception | None = None) -> None:
        self.says = says
        self.takes_s = takes_s
        self.error = error
        self.asked = 0
        self.answered = 0

    async def __call__(self, messages: list[dict[str, Any]]) -> str:
        self.asked += 1
        await asyncio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        self.answered += 1
        return self.says

"""Histories in a few words, for tests that read as a specification."""

from __future__ import annotations

from typing import Any

from unabridged.context import HistoryManager

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

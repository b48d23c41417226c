"""How many tokens: one counter for trigger, target, before and after alike."""

from __future__ import annotations

from typing import Protocol

from unabridged.tokens.estimate import EstimateCounter
from unabridged.tokens.exact import ExactCounter, exact_available


class TokenCounter(Protocol):
    """Counts the tokens of a text. Never raises, whatever the text."""

    @property
    def name(self) -> str:
        """What a log records, so that a session goes on with the counter that it began with."""
        ...

    def count(self, text: str) -> int:
        """Give the number of tokens of `text` in the base vocabulary (o200k)."""
        ...


def default_counter() -> TokenCounter:
    """Give the exact counter where its package is installed (extra `tokens`), else the estimate."""
    return ExactCounter() if exact_available() else EstimateCounter()


def counter_named(name: str) -> TokenCounter:
    """Give the counter that a log names. Without its package the estimate stands in."""
    exact = ExactCounter()
    return exact if name == exact.name and exact_available() else EstimateCounter()

"""How a model is asked: one question, one answer, whatever client carries them."""

from __future__ import annotations

from typing import Protocol

import msgspec

from unabridged.message import Media
from unabridged.report import Usage


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """One request to a model. It carries no tools, and no flag that a provider could refuse."""

    system: str
    user: str
    max_output: int
    """Tokens, thoughts included."""
    media: tuple[tuple[Media, bytes], ...] = ()
    """Pictures and documents, in the order in which the text numbers them. Empty for a model that sees none."""


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What a model said."""

    text: str
    stop: str = ""
    """Why it ended, as the provider says it: `stop`, `end_turn`, `length`, `max_tokens`, `content_filter`, ..."""
    reasoning: str = ""
    """Its thoughts, where the client gives them apart. Never taken for a summary."""
    tool_calls: int = 0
    usage: Usage | None = None
    model: str = ""
    """The model that answered, where the provider names it."""


class Ask(Protocol):
    """Sends a question to a model. It retries nothing for longer than the caller waits, and stops when cancelled."""

    async def __call__(self, question: Question) -> Answer:
        """Give the answer. Raises whatever the client raises."""
        ...

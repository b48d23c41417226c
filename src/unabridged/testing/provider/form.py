"""What one API looks like from outside: its paths, its answers, its stream, and the words in which it refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import msgspec

from unabridged.testing.models import Reply
from unabridged.testing.provider.json_reading import Json

Event = tuple[str | None, Json | str]
"""The name of a server-sent event, and its data."""


class Count(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of one exchange."""

    input: int
    cached: int
    output: int
    reasoning: int


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """A reply on its way out."""

    number: int
    model: str
    reply: Reply
    count: Count

    def call_id(self, place: int) -> str:
        """Give the id of a call: the model's own, or one that nobody had before."""
        return self.reply.calls[place].id or f"call_{self.number}_{place}"


class Form(Protocol):
    """One dialect of the fake provider."""

    @property
    def dialect(self) -> str:
        """Its name."""
        ...

    def max_output(self, body: Mapping[str, Any]) -> int:
        """Give the output limit that a request asks for; 0 where it asks for none."""
        ...

    def overflow(self, tokens: int, asked: int, window: int) -> str | None:
        """Say, in the provider's words, that a request is too long; None where it is not."""
        ...

    def error(self, status: int, says: str, kind: str) -> Json:
        """Give the body of a refusal."""
        ...

    def response(self, answer: Answer) -> Json:
        """Give the body of an answer."""
        ...

    def events(self, answer: Answer) -> Iterator[Event]:
        """Give the same as a stream."""
        ...


def pieces(text: str, size: int = 24) -> Iterator[str]:
    """Give a text in pieces, as streams do."""
    for start in range(0, len(text), size):
        yield text[start : start + size]

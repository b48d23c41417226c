"""Reads request bodies as they would go out: whether they are valid, what they cost, what they say.

The same bytes are looked at once. Most policies send the same request most of the time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

from tests.verify.media_price import MediaPrice
from tests.verify.payload import FRAMING, LISTED, fixed_tokens, message_tokens
from unabridged.fitted import Fitted
from unabridged.testing.validity import Violation, violations

Json = dict[str, Any]


class Examined(NamedTuple):
    """What one body came to."""

    broken: Violation | None
    """The first thing that the provider would refuse."""
    tokens: int


class Written(NamedTuple):
    """One text of a wire: the messages in it, what they cost, and the strings in them."""

    messages: list[Json]
    tokens: int
    strings: tuple[str, ...]


class Bodies:
    """The requests of one conversation in one dialect."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._listed = LISTED.get(dialect, "messages")
        self._price = MediaPrice(dialect)
        self._written: dict[str, Written] = {}
        self._fixed: dict[bytes, tuple[int, list[Json]]] = {}
        self._examined: dict[bytes, Examined] = {}

    def examined(self, fitted: Fitted) -> Examined:
        """Validate the very bytes and count them."""
        body = fitted.body()
        key = blake2b(body, digest_size=16).digest()
        if key not in self._examined:
            self._examined[key] = self._look(body, fitted)
        return self._examined[key]

    def says(self, fitted: Fitted, text: str, *, newest_first: bool) -> bool:
        """Tell whether some string of the messages holds a text."""
        texts: Iterable[str] = reversed(fitted.texts) if newest_first else fitted.texts
        return any(text in string for each in texts for string in self._of(each).strings)

    def _look(self, body: bytes, fitted: Fitted) -> Examined:
        fixed, leading = self._frame(fitted)
        messages = [message for text in fitted.texts for message in self._of(text).messages]
        tokens = fixed + sum(self._of(text).tokens for text in fitted.texts)
        decoded: Json = json.loads(body)
        if isinstance(decoded[self._listed], str):  # short for one message of that text
            decoded[self._listed] = messages
        broken = violations(self._dialect, decoded)
        if not broken and decoded[self._listed] != leading + messages:
            broken = [Violation("body_differs", self._listed, "The body is not its frame and its messages.")]
        return Examined(broken[0] if broken else None, tokens)

    def _frame(self, fitted: Fitted) -> tuple[int, list[Json]]:
        """Give what a request costs without its transcript, and the messages that belong to its frame."""
        bare = fitted.wire.write_request(fitted.frame, [])
        if bare not in self._fixed:
            decoded: Json = json.loads(bare)
            leading = decoded[self._listed] or []
            self._fixed[bare] = fixed_tokens(decoded) + self._count(leading), leading
        return self._fixed[bare]

    def _of(self, text: str) -> Written:
        known = self._written.get(text)
        if known is None:
            read = json.loads(text)
            messages = read if isinstance(read, list) else [read]  # items that a wire takes several of
            known = self._written[text] = Written(messages, self._count(messages), tuple(strings_of(messages)))
        return known

    def _count(self, messages: Sequence[Json]) -> int:
        return sum(FRAMING + message_tokens(message, self._price) for message in messages)


def strings_of(value: object) -> Iterator[str]:
    """Give every string in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from strings_of(each)
    elif isinstance(value, dict):
        for each in value.values():
            yield from strings_of(each)

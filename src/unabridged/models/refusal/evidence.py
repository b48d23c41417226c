"""Reads any object that may hold an error: exceptions, responses, bodies, events, JSON inside JSON, plain text.

Nothing of an SDK is imported: known attribute and member names are looked for. What echoes the request or holds an
answer is passed over, or a model that explains an error would be taken for one. The work is bounded, whatever comes:
so many nodes, so many characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import cast

import msgspec

from unabridged.models.refusal.body_text import clipped, pieces_of
from unabridged.models.refusal.names import (
    ANSWERS,
    ATTRIBUTES,
    CODES,
    ECHOES,
    FIRST,
    INSIDE,
    NUMBERS,
    STATUSES,
    WAITS,
)
from unabridged.models.refusal.waiting import seconds_of, waiting_in_headers

NODES = 400
"""Objects, members and elements that are looked at."""
CHARACTERS = 24_000
"""Characters of text that are kept; the patterns see no more than these."""
DEEPEST = 12
ELEMENTS = 40
"""Of a long array, the elements that are looked at."""
CODE = 100
"""Characters of the longest code."""


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What an error holds, in the order of its weight."""

    texts: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    """Types, codes, reasons, in lower case."""
    numbers: Mapping[str, int] = {}
    """Numbers that stand in members of their own, such as `n_ctx`."""
    status: int | None = None
    retry_after_s: float | None = None
    address: str = ""
    """Where the request went."""


def evidence_of(thing: object, status: int | None = None) -> Evidence:
    """Read anything. Never raises; what cannot be read is passed over."""
    reader = _Reader(status)
    reader.visit(thing, 0)
    return Evidence(
        texts=tuple(reader.texts),
        codes=tuple(reader.codes),
        numbers=reader.numbers,
        status=reader.status,
        retry_after_s=reader.retry_after_s,
        address=reader.address,
    )


class _Reader:
    """One walk, and what it found so far."""

    def __init__(self, status: int | None) -> None:
        self.texts: list[str] = []
        self.codes: list[str] = []
        self.numbers: dict[str, int] = {}
        self.status = status
        self.retry_after_s: float | None = None
        self.address = ""
        self._nodes = NODES
        self._characters = CHARACTERS

    def visit(self, thing: object, depth: int) -> None:
        """Read one thing and what it holds."""
        self._nodes -= 1
        if self._nodes < 0 or depth > DEEPEST:
            return
        try:
            self._visit(thing, depth)
        except Exception:  # a foreign object may do anything when it is looked at; what was read before counts
            return

    def _visit(self, thing: object, depth: int) -> None:
        if isinstance(thing, str):
            self._text(thing, depth)
        elif isinstance(thing, bytes | bytearray):
            self._text(thing.decode("utf-8", "replace"), depth)
        elif isinstance(thing, Mapping):
            self._mapping(cast("Mapping[object, object]", thing), depth)
        elif isinstance(thing, list | tuple):
            for each in _ends(cast("list[object] | tuple[object, ...]", thing)):
                self.visit(each, depth + 1)
        elif thing is not None and not isinstance(thing, int | float | complex) and not callable(thing):
            self._object(thing, depth)

    def _text(self, text: str, depth: int) -> None:
        for piece in pieces_of(text):
            if not isinstance(piece, str):
                self.visit(piece, depth + 1)
            elif piece.strip():
                self._keep(clipped(piece))

    def _keep(self, text: str) -> None:
        if text not in self.texts and len(text) <= self._characters:
            self._characters -= len(text)
            self.texts.append(text)

    def _mapping(self, members: Mapping[object, object], depth: int) -> None:
        for name in FIRST:
            if name in members:
                self._member(name, members[name], depth)
        is_answer = any(name in members for name in ANSWERS)
        for name, value in islice(members.items(), ELEMENTS):
            key = name.lower() if isinstance(name, str) else ""
            if key.endswith("exception"):  # Bedrock's stream events are named by their kind
                self.codes.append(key[:CODE])
            if key and name not in FIRST and _counts(key, value, is_answer=is_answer):
                self._member(key, value, depth)
        if "error" in str(members.get("finish_reason") or ""):
            self._spoken(members, depth)

    def _spoken(self, members: Mapping[object, object], depth: int) -> None:
        """Read what stands in the place of an answer: relays put the text of an error there."""
        for name in ("delta", "message"):
            inner = members.get(name)
            if isinstance(inner, Mapping):
                self.visit(cast("Mapping[object, object]", inner).get("content"), depth + 1)

    def _member(self, key: str, value: object, depth: int) -> None:
        if key in STATUSES and isinstance(value, int) and 100 <= value < 600:
            self.status = self.status or int(value)
        elif key in NUMBERS and isinstance(value, int):
            self.numbers.setdefault(key, value)
        elif key in WAITS:
            self._waits(seconds_of(value))
        elif key == "headers":
            self._waits(waiting_in_headers(value))
        elif key in CODES and isinstance(value, str | int) and len(str(value)) <= CODE:
            self.codes.append(str(value).lower())
        elif key == "request":
            self.address = self.address or str(getattr(value, "url", ""))[:CODE]
        else:
            self.visit(value, depth + 1)

    def _waits(self, seconds: float | None) -> None:
        if self.retry_after_s is None:
            self.retry_after_s = seconds

    def _object(self, thing: object, depth: int) -> None:
        before = len(self.texts)
        for name in ATTRIBUTES:
            try:
                value = cast(object, getattr(thing, name, None))
            except Exception:  # an attribute may be made when it is asked for; the others still count
                continue
            if value is not None:
                self._member(name, value, depth)
        if isinstance(thing, BaseException):
            self._exception(thing, depth, said=len(self.texts) > before)
        elif hasattr(thing, "headers"):
            self.visit(getattr(thing, "text", None), depth + 1)

    def _exception(self, error: BaseException, depth: int, *, said: bool) -> None:
        if self.status is None:  # with a status, the class only repeats it
            self.codes.append(type(error).__name__.lower()[:CODE])
        if not said:
            self.visit(str(error) or error.args, depth + 1)


def _counts(key: str, value: object, *, is_answer: bool) -> bool:
    """Tell whether a member may speak of an error. A text of an answer may not: it is the model's."""
    if not is_answer:
        return key not in ECHOES
    return key in INSIDE and (key in CODES or not isinstance(value, str))


def _ends(sequence: list[object] | tuple[object, ...]) -> Iterable[object]:
    """Give the first and last elements: errors stand at one of the ends."""
    if len(sequence) <= ELEMENTS:
        return sequence
    return [*sequence[: ELEMENTS // 2], *sequence[-ELEMENTS // 2 :]]

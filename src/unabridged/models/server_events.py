"""Server-sent events, cut out of the bytes of a response; and the whole body of a server that does not stream.

By the standard (https://html.spec.whatwg.org/multipage/server-sent-events.html), but for one leniency: what stands at
the end without a blank line behind it counts. Some servers close there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from unabridged.models.failing import Broken, Refusal
from unabridged.wire.json_text import JsonNode

_LINE_END = re.compile(rb"\r\n|\n|\r")
_WHITE = b"\xef\xbb\xbf \t\r\n"


class ServerEvent(NamedTuple):
    """One event: its name, "" where it has none, and its data."""

    name: str
    data: str
    is_whole: bool = False
    """Not an event of a stream but all of a body."""

    def node(self) -> JsonNode:
        """Give the data, which is JSON. Raises `Broken` where it was cut off, and `Refusal` for an error in words."""
        try:
            return JsonNode(self.data, msgspec.json.decode(self.data))
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            pass
        try:
            return JsonNode(self.data, json.loads(self.data))  # halves of surrogate pairs, which msgspec refuses
        except (ValueError, RecursionError) as error:
            if self.name == "error":
                raise Refusal(self.data) from error
            raise Broken("a part of the answer is no JSON") from error


class EventReader:
    """Takes a response in pieces as they come, and gives the events in them."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._is_body: bool | None = None
        self._name = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[ServerEvent]:
        """Give the events that end in these bytes. Raises `Broken` for a page: a wrong address, or a proxy's excuse."""
        if self._is_body is None:
            begun = b"".join((*self._rest, chunk)).lstrip(_WHITE)
            if begun[:1] == b"<":
                raise Broken("a web page came, and no answer of a model: is the address right?")
            self._is_body = begun[:1] in (b"{", b"[") if begun else None
        self._rest.append(chunk)
        # A carriage return at the end may be half a line end.
        if self._is_body or self._is_body is None or not re.search(rb"[\r\n]", chunk) or chunk.endswith(b"\r"):
            return
        *lines, rest = _LINE_END.split(b"".join(self._rest))
        self._rest = [rest]
        for line in lines:
            yield from self._line(line)

    def finish(self) -> Iterator[ServerEvent]:
        """Give what is left when the response is over."""
        text = b"".join(self._rest)
        self._rest = []
        if self._is_body:
            yield ServerEvent("", text.strip(_WHITE).decode("utf-8", "replace"), is_whole=True)
            return
        for line in (*_LINE_END.split(text), b""):
            yield from self._line(line)

    def _line(self, line: bytes) -> Iterator[ServerEvent]:
        if not line:
            if self._data:
                yield ServerEvent(self._name, "\n".join(self._data))
            self._name, self._data = "", []
            return
        field, _, value = line.removeprefix(_WHITE[:3]).decode("utf-8", "replace").partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._name = value

"""Finds conversations in recorded messages and requests, whatever stands around them.

Read are: one list of messages; an object with `messages`; a request body; a list of any of these, or one of them a
line; messages, one a line. A request may lie in `body` or `request`, messages in `traj`. Beside a request the
answer may stand as `response`: it becomes the last message, and brings the usage.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.importers.detection import document_of
from unabridged.importers.json_reading import MENDED, Fields, decoded, fields_of, text_of
from unabridged.importers.lines import read_lines

_WRAPPERS = ("body", "request")
_REQUEST_FIELDS = (
    "model", "system", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "temperature",
    "top_p", "top_k", "stop", "stop_sequences", "stream", "response_format", "reasoning_effort", "thinking",
)  # fmt: skip
"""What is taken for a part of the request where an answer, and with it a client's own notes, stand beside it."""

Placed = tuple[str, msgspec.Raw]
"""A record, and where it stands in the file: `line 7`, `item 7`, or "" for the whole file."""


class Request(msgspec.Struct, frozen=True):
    """One request, and the answer to it where that was recorded."""

    place: str
    body: bytes
    response: msgspec.Raw | None = None
    singles: tuple[Placed, ...] = ()
    """The messages, where each is a record of its own: one that cannot be read does not spoil the others."""


class Requests(msgspec.Struct):
    """What a file holds, and the sentences about what could not be read."""

    found: list[Request]
    problems: list[str]


def find_requests(data: bytes) -> Requests:
    """Find every request of a file, in order. Messages that stand alone are one request together."""
    document = document_of(data)
    if document is None:
        read = read_lines(data, msgspec.Raw)
        return _among([(f"line {number}", raw) for number, raw in read.records], read.problems)
    problems = [] if document == data.removeprefix(codecs.BOM_UTF8) else [f"the file: {MENDED}"]
    items = decoded(document, list[msgspec.Raw])
    if items is None:
        return _among([("", msgspec.Raw(document))], problems)
    return _among([(f"item {number}", raw) for number, raw in enumerate(items, 1)], problems)


def request_of(singles: Sequence[Placed]) -> Request:
    """Make one request of messages that stand alone."""
    return Request("", b'{"messages":[%s]}' % b",".join(bytes(raw) for _, raw in singles), None, tuple(singles))


def _among(records: Sequence[Placed], problems: list[str]) -> Requests:
    found, singles = list[Request](), list[Placed]()
    for place, raw in records:
        request = _request(place, raw)
        if request is not None:
            found.append(request)
        elif _is_message(raw):
            singles.append((place, raw))
        else:
            problems.append(f"{place}: neither a message nor a request")
    return Requests([request_of(singles), *found] if singles else found, problems)


def _request(place: str, raw: msgspec.Raw) -> Request | None:
    items = decoded(raw, list[msgspec.Raw])
    if items and all(map(_is_message, items)):
        return Request(place, b'{"messages":%s}' % bytes(raw))
    fields = fields_of(raw)
    response = fields.get("response")
    if "messages" in fields:
        return Request(place, bytes(raw) if response is None else _without_notes(fields), response)
    if "traj" in fields:
        return Request(place, b'{"messages":%s}' % bytes(fields["traj"]))
    for inner in _wrapped(fields):
        found = _request(place, inner)
        if found is not None:
            return msgspec.structs.replace(found, response=found.response or response)
    return None


def _wrapped(fields: Fields) -> Iterator[msgspec.Raw]:
    for name in _WRAPPERS:
        if name in fields:
            # Some logs hold the body as a string, just as it was sent.
            yield msgspec.Raw(text_of(fields, name).encode() or bytes(fields[name]))


def _without_notes(fields: Fields) -> bytes:
    kept = [b'"%s":%s' % (name.encode(), bytes(fields[name])) for name in _REQUEST_FIELDS if name in fields]
    return b"{%s}" % b",".join(kept)


def _is_message(raw: msgspec.Raw) -> bool:
    fields = fields_of(raw)
    return bool(text_of(fields, "role")) and ("content" in fields or "tool_calls" in fields)

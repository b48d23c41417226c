"""Finds conversations in recorded messages and requests, whatever stands around them.

Read are: one list of messages; an object with `messages`; a request body; a list of any of these, or one of them a
line; messages, one a line. A request may lie in `body` or `request`, messages in `traj`. Items of OpenAI Responses,
under `input`, and Gemini's `contents` are read in the same places. Beside a request the answer may stand as
`response`: it becomes the last message, and brings the usage.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.importers.detection import document_of
from unabridged.importers.json_reading import MENDED, NOTHING, Fields, decoded, fields_of, text_of
from unabridged.importers.lines import read_lines

_WRAPPERS = ("body", "request")
_REQUEST_FIELDS = (
    "model", "system", "messages", "tools", "tool_choice", "max_tokens", "max_completion_tokens", "temperature",
    "top_p", "top_k", "stop", "stop_sequences", "stream", "response_format", "reasoning_effort", "thinking",
    "input", "instructions", "max_output_tokens", "reasoning", "text",
    "contents", "systemInstruction", "generationConfig", "toolConfig", "config",
)  # fmt: skip
"""What is taken for a part of the request where an answer, and with it a client's own notes, stand beside it."""

_ITEMS = (
    "reasoning",
    "compaction",
    "item_reference",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
)
_ITEM_ENDS = ("_call", "_call_output", "_search_output")

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
    body = _listed([raw for _, raw in singles]) or b'{"messages":[]}'
    return Request("", body, None, tuple(singles))


def _among(records: Sequence[Placed], problems: list[str]) -> Requests:
    found, singles = list[Request](), list[Placed]()
    for place, raw in records:
        request = _request(place, raw)
        if request is not None:
            found.append(request)
        elif _is_message(raw) or _is_item(raw):
            singles.append((place, raw))
        else:
            problems.append(f"{place}: neither a message nor a request")
    return Requests([request_of(singles), *found] if singles else found, problems)


def _request(place: str, raw: msgspec.Raw) -> Request | None:
    body = _listed(decoded(raw, list[msgspec.Raw]) or [])
    if body is not None:
        return Request(place, body)
    fields = fields_of(raw)
    response = fields.get("response")
    if "messages" in fields or _has_input(fields) or decoded(fields.get("contents", NOTHING), list[Fields]):
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


def _listed(items: Sequence[msgspec.Raw]) -> bytes | None:
    """Make a request of a list of messages or items; None where one of it is neither."""
    joined = b",".join(map(bytes, items))
    if items and all(map(_is_message, items)):
        return b'{"messages":[%s]}' % joined
    if items and all(_is_item(item) or _is_message(item) for item in items):
        return b'{"input":[%s]}' % joined
    return None


def _has_input(fields: Fields) -> bool:
    if "input" not in fields:
        return False
    items = decoded(fields["input"], list[Fields])
    if not {"model", "instructions"} & fields.keys():  # training files have an `input` too
        return _listed(decoded(fields["input"], list[msgspec.Raw]) or []) is not None
    return bool(text_of(fields, "input")) if items is None else all({"type", "role"} & item.keys() for item in items)


def _is_item(raw: msgspec.Raw) -> bool:
    fields = fields_of(raw)
    kind = text_of(fields, "type")
    if kind in ("", "message"):
        return False
    return kind in _ITEMS or (kind.endswith(_ITEM_ENDS) and not {"function", "data", "payload"} & fields.keys())


def _is_message(raw: msgspec.Raw) -> bool:
    fields = fields_of(raw)
    return bool(text_of(fields, "role")) and ("content" in fields or "tool_calls" in fields)

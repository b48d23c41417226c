"""Finds the JSON in a text: a whole body, a line of a stream, a part of a sentence, a string inside a string."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import cast

import msgspec

LINES = 40
"""Lines of a stream that are looked at: errors stand at its beginning or its end."""
PIECE = 6_000
"""Characters kept of one text: three quarters of its beginning, one of its end."""

_BLANK = re.compile(r"\s")
_EVENT = re.compile(r":|(?:event|data|id|retry):")
_FIELD = re.compile(r"\s*(?:data:|event:.*|id:.*|retry:.*|:.*)?\s*")


def pieces_of(text: str) -> list[object]:
    """Give what a text is made of: decoded JSON, and sentences. One pass over the text, whatever it is."""
    body = text.strip()
    if body[:1] in ("{", "[", '"'):
        decoded = _decoded(body)
        if isinstance(decoded, str):
            return pieces_of(decoded) if len(decoded) < len(body) else [decoded]
        if decoded is not None:
            return [decoded]
    if _EVENT.match(body) or (body[:1] == "{" and "\n" in body):
        return _lines(body)
    return _embedded(body)


def clipped(text: str) -> str:
    """Give a text, a long one without its middle. It is parted at blanks: half of a key looks like a word."""
    if len(text) <= PIECE:
        return text
    head, tail = beginning(text, PIECE * 3 // 4), text[-PIECE // 4 :]
    begins = _BLANK.search(tail)
    return f"{head} … {tail[begins.end() :] if begins else ''}"


def beginning(text: str, characters: int) -> str:
    """Give the beginning of a text up to a blank."""
    if len(text) <= characters:
        return text
    head = text[:characters]
    return head[: max(head.rfind(" "), head.rfind("\n")) + 1]


def _decoded(text: str) -> object:
    """Give an object, an array or a string; None where the text is no JSON, or a mere number."""
    try:
        value: object = msgspec.json.decode(text)
    except (ValueError, RecursionError):
        return None
    return cast(object, value) if isinstance(value, Mapping | list | str) else None


def _lines(body: str) -> list[object]:
    """Read server-sent events, or one object a line."""
    lines = body.splitlines()
    if len(lines) > LINES:
        lines = [*lines[: LINES // 2], *lines[-LINES // 2 :]]
    payloads = [line[match.end() :] for line in lines if (match := _FIELD.match(line))]
    return [_decoded(payload) or payload for payload in payloads if payload]


def _embedded(body: str) -> list[object]:
    """Read `400 {"error": ...}`: what stands before, the object, what stands behind."""
    start, end = body.find("{"), body.rfind("}") + 1
    inner = _decoded(body[start:end]) if 0 < start < end else None
    # A string inside JSON that was printed and not decoded is still full of backslashes.
    return [body.replace("\\", "")] if inner is None else [body[:start], inner, body[end:]]

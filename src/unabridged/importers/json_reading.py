"""JSON from outside: read only as far as it is asked for, and mended where a lax writer was at work."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

T = TypeVar("T")

Fields = dict[str, msgspec.Raw]
"""A JSON object whose values were not read yet; each keeps the text that it has in the file."""

NOTHING = msgspec.Raw(b"null")
MENDED = "raw control characters became escapes, lone surrogates or bytes that are no UTF-8 U+FFFD, or NaN null"

# Possessive, so that an open string at the end of a torn text costs one pass.
_STRING_OR_NAN = re.compile(r'"(?:[^"\\]++|\\.)*+"|-?\b(?:NaN|Infinity)\b', re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x1f]")
# Whole pairs and all other escapes match too, so that half of a pair or an escaped backslash is not taken for one.
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w|u(?P<lone>[dD][89a-fA-F]\w\w)|.)", re.DOTALL)


def parses(data: bytes) -> bool:
    """Tell whether this is one JSON value, by a strict reader."""
    return decoded(data, msgspec.Raw) is not None


def is_utf8(data: bytes) -> bool:
    """Tell whether bytes are text."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def decoded(data: bytes | msgspec.Raw, kind: type[T]) -> T | None:
    """Read a JSON text; None where it is none or has another shape."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError):
        return None


def fields_of(data: bytes | msgspec.Raw) -> Fields:
    """Read a JSON object; an empty one where this is none."""
    return decoded(data, Fields) or {}


def text_of(fields: Fields, name: str) -> str:
    """Give a field's value where it is a string, else ""."""
    return decoded(fields.get(name, NOTHING), str) or ""


def mended(text: str) -> bytes | None:
    """Give JSON that strict readers take, where only what lax writers let through is in the way.

    Raw control characters in a string become escapes, lone surrogates U+FFFD, `NaN` and infinities null; all else
    stays as written. None where that is not enough.
    """
    result = _STRING_OR_NAN.sub(_mended_token, text).encode("utf-8", "replace")
    return result if parses(result) else None


def _mended_token(token: re.Match[str]) -> str:
    if not token[0].startswith('"'):
        return "null"
    escaped = _CONTROL.sub(lambda control: f"\\u{ord(control[0]):04x}", token[0])
    return _ESCAPE.sub(lambda escape: "\\ufffd" if escape["lone"] else escape[0], escaped)

"""The stored bytes of a payload: what digests are made of, and what a store keeps.

The bytes are deterministic: msgspec's JSON, fields in the order of the class, defaults left out. A lone
surrogate, which UTF-8 cannot carry, is written as a JSON escape. JSON writes a whole surrogate pair in the
same way as the character that it stands for, so a pair becomes that character here, and has one form.
"""

from __future__ import annotations

import json
import re
import typing

import msgspec

from unabridged.entry import Payload, UnknownEntry
from unabridged.errors import BadInput

PAYLOAD_KINDS = frozenset(str(kind.__struct_config__.tag) for kind in typing.get_args(Payload))
"""Every value that the `type` of a payload has in this version."""

_ENCODER = msgspec.json.Encoder()
_PAYLOADS: msgspec.json.Decoder[Payload] = msgspec.json.Decoder(Payload)

# A pair and every other escape are matched too, so that neither `\\ud800` (a backslash and letters) nor half
# of a pair is taken for a lone surrogate.
_SURROGATES = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<lone>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|\\."
)
_REPLACEMENT = rb"\ufffd"


class _Tagged(msgspec.Struct):
    type: str = ""


def payload_bytes(payload: Payload) -> bytes:
    """Give the canonical stored bytes of a payload, on one line. Never raises for any text.

    An entry of an unknown kind gives back exactly the bytes that it was read from.
    """
    return _unknown_bytes(payload) if isinstance(payload, UnknownEntry) else json_bytes(payload)


def payload_from(stored: bytes) -> Payload:
    """Read a payload back. Fields that this version does not know are passed over.

    A kind, or a shape of a known kind, that this version cannot read becomes an `UnknownEntry` that keeps the
    text: `complaint` says why. Raises `BadInput` when the bytes are not JSON in UTF-8.
    """
    try:
        return _PAYLOADS.decode(stored)
    except (ValueError, RecursionError):
        try:
            return _hard_payload(stored)
        except (ValueError, RecursionError) as error:
            raise BadInput(f"a payload is not JSON in UTF-8: {error}") from error


def complaint(stored: bytes) -> str:
    """Say what is wrong with a payload that was read as `UnknownEntry`, and in which field; empty if nothing is."""
    try:
        _PAYLOADS.decode(without_surrogates(stored))
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def json_bytes(value: msgspec.Struct) -> bytes:
    """Give the deterministic JSON of a value; lone surrogates in any of its texts become escapes."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
    plain = json.loads(with_whole_pairs(text), parse_constant=lambda _: None)
    try:
        return _ENCODER.encode(plain)
    except UnicodeEncodeError:
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


def with_whole_pairs(text: str) -> str:
    """Give a text in the form in which it is read back: two halves of a surrogate pair side by side become one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return text


def without_surrogates(data: bytes) -> bytes:
    """Put U+FFFD in the place of every escaped lone surrogate in a JSON text, which keeps its length.

    msgspec refuses such escapes, so that a text which holds one is checked in this form.
    """
    return _SURROGATES.sub(lambda found: _REPLACEMENT if found["lone"] else found[0], data)


def _hard_payload(stored: bytes) -> Payload:
    masked = without_surrogates(stored)
    msgspec.json.decode(masked, type=msgspec.Raw)
    text = stored.decode()
    try:
        _PAYLOADS.decode(masked)
    except (msgspec.ValidationError, RecursionError):
        return UnknownEntry(kind=_kind_of(masked), data=text)
    return msgspec.convert(json.loads(text), Payload)


def _kind_of(masked: bytes) -> str:
    try:
        return msgspec.json.decode(masked, type=_Tagged).type
    except msgspec.ValidationError:
        return ""


def _unknown_bytes(entry: UnknownEntry) -> bytes:
    # Verbatim only where reading gives the same entry back; one that somebody made by hand may hold any text.
    try:
        stored = entry.data.encode()
        verbatim = payload_from(stored) == entry and b"\n" not in stored and stored == stored.strip()
    except (UnicodeEncodeError, BadInput):
        return json_bytes(entry)
    return stored if verbatim else json_bytes(entry)

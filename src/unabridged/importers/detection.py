"""Looks at the beginning of a file: is it packed, is it JSON, one document or one record a line."""

from __future__ import annotations

import codecs
import gzip
import zlib

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.json_reading import Fields, decoded, is_utf8, mended, parses
from unabridged.importers.lines import read_lines

EXPECTED = "expected a Claude Code session, or OpenAI or Anthropic messages or requests, as JSON or JSON lines"

_GZIP = b"\x1f\x8b"
_BLANK = b"\0 \t\r\n"
_LOOK_AT = 50
_HEAD_BYTES = 1 << 20


def unpacked(data: bytes, name: str) -> bytes:
    """Unpack gzip, told by its first two bytes. Raises `BadInput` for a file with nothing in it."""
    if data.startswith(_GZIP):
        try:
            data = gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise BadInput(f"{name}: this gzip file cannot be unpacked ({error}): get a whole copy of it") from error
    if not data.removeprefix(codecs.BOM_UTF8).strip(_BLANK):
        raise BadInput(f"{name}: the file is empty: {EXPECTED}")
    return data


def document_of(data: bytes) -> bytes | None:
    """Give the file where it is one JSON value, mended if it must be; None where it is one record a line.

    A file of one line is both; it is given here.
    """
    clean = data.removeprefix(codecs.BOM_UTF8)
    if parses(clean) and is_utf8(clean):
        return clean
    if parses(clean.lstrip().partition(b"\n")[0]):
        return None
    return mended(clean.decode("utf-8", "replace"))


def head_of(data: bytes) -> bytes:
    """Give the part of a file that formats are told by: its first lines, or all of it where it is one document."""
    if len(data) <= _HEAD_BYTES or document_of(data) is not None:
        return data
    end = data.rfind(b"\n", 0, _HEAD_BYTES)
    return data[:end] if end > 0 else data


def first_objects(head: bytes) -> list[Fields]:
    """Give the first objects of a file: of its list, of its lines, or the one that it is."""
    document = document_of(head)
    if document is None:
        return [record for _, record in read_lines(head, Fields).records[:_LOOK_AT]]
    items = decoded(document, list[msgspec.Raw])
    objects = (decoded(item, Fields) for item in (items or [document])[:_LOOK_AT])
    return [found for found in objects if found is not None]

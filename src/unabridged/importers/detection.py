"""Looks at the beginning of a file: is it packed, is it JSON, one document or one record a line."""

from __future__ import annotations

import codecs
import gzip
import zlib
from functools import cached_property

import msgspec

from unabridged.errors import BadInput
from unabridged.importers.json_reading import Fields, decoded, is_utf8, mended, parses
from unabridged.importers.lines import read_lines

EXPECTED = (
    "expected a session of Claude Code, Codex, Copilot CLI, Gemini CLI, pi, SWE-agent, mini-swe-agent, OpenHands or "
    "aider, a LangGraph thread, an Inspect log, a ShareGPT file, a log of this library, or OpenAI or Anthropic messages"
)

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


class Head:
    """The part of a file that formats are told by: its first lines, or all of it where it is one document."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        whole = len(data) <= _HEAD_BYTES or document_of(data) is not None
        end = -1 if whole else data.rfind(b"\n", 0, _HEAD_BYTES)
        self.start = data[:end] if end > 0 else data
        """The whole file where it is one document or its first line has no end."""

    @cached_property
    def document(self) -> bytes | None:
        """The file where it is one JSON value, as `document_of` gives it."""
        return document_of(self.start)

    @cached_property
    def objects(self) -> list[Fields]:
        """The first objects of the file: of its list, of its lines, or the one that it is."""
        if self.document is None:
            return [record for _, record in read_lines(self.start, Fields).records[:_LOOK_AT]]
        items = decoded(self.document, list[msgspec.Raw])
        objects = (decoded(item, Fields) for item in (items or [self.document])[:_LOOK_AT])
        return [found for found in objects if found is not None]

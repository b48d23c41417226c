r"""Reads files of one JSON record a line, whatever a crash or an editor did to them.

Lines end at `\n` only: `str.splitlines` also splits at U+2028, which is legal inside a record. A line that
does not parse is opened as far as it can be: two records that a torn write glued together, bytes of zero after
a power cut, real line breaks inside a string, lone surrogates, bytes that are no UTF-8. What was mended or lost
is said with its line number; the lines around it are not touched.
"""

from __future__ import annotations

import codecs
import io
import json
from collections.abc import Iterator
from typing import Generic, TypeVar

import msgspec

from unabridged.importers.json_reading import MENDED, is_utf8, mended, parses

T = TypeVar("T")

Problems = list[tuple[int, str]]

_ANY_CONTROL = json.JSONDecoder(strict=False)
# Each failure may have read to the end of the line; one torn write is a few levels deep.
_MAX_FAILURES = 64


class Lines(msgspec.Struct, Generic[T]):
    """The records of a file and what was wrong with it, each with the number of its line, from 1."""

    records: list[tuple[int, T]]
    found: Problems

    @property
    def problems(self) -> list[str]:
        """One sentence for each thing that was mended or could not be read, in order of lines."""
        return sentences(self.found)


def sentences(found: Problems) -> list[str]:
    """Give problems as sentences, in order of lines."""
    return [f"line {number}: {text}" for number, text in sorted(found)]


def read_lines(data: bytes, kind: type[T]) -> Lines[T]:
    """Read every line as a `kind`. Never raises: a line that cannot be read is a problem."""
    read: Lines[T] = Lines([], [])
    read.records.extend(each_line(data, kind, read.found))
    return read


def each_line(data: bytes, kind: type[T], found: Problems) -> Iterator[tuple[int, T]]:
    """Give the records one by one, as `read_lines` does, so that none has to stay; what is wrong goes to `found`."""
    decoder = msgspec.json.Decoder(kind)
    for number, line in _logical_lines(data, found):
        for piece in (line,) if parses(line) else _salvage(line, number, found):
            try:
                yield number, decoder.decode(piece)
            except msgspec.DecodeError as error:
                found.append((number, f"not a record of this format: {error}"))


def _logical_lines(data: bytes, found: Problems) -> Iterator[tuple[int, bytes]]:
    """Lines with something on them; those that do not begin a record are tried as the rest of the one before."""
    held: list[tuple[int, bytes]] = []
    for number, line in _text_lines(data, found):
        if held and line.lstrip().startswith(b"{"):
            yield from _joined(held)
            held = []
        held.append((number, line))
    yield from _joined(held)


def _joined(held: list[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    if len(held) > 1 and held[0][1].lstrip().startswith(b"{") and not parses(held[0][1]):
        held = [(held[0][0], b"\n".join(line for _, line in held))]
    for number, line in held:
        if stripped := line.strip():
            yield number, stripped


def _text_lines(data: bytes, found: Problems) -> Iterator[tuple[int, bytes]]:
    clean = data.removeprefix(codecs.BOM_UTF8)
    all_utf8, has_zeros = is_utf8(clean), b"\0" in clean
    for number, raw in enumerate(io.BytesIO(clean), 1):
        line = raw.removesuffix(b"\n")
        if has_zeros and b"\0" in line:
            found.append((number, f"{line.count(0):,} bytes of zero taken out"))
            line = line.replace(b"\0", b"")
        if not all_utf8 and not is_utf8(line):
            found.append((number, "bytes that are no UTF-8 became U+FFFD"))
            line = line.decode("utf-8", "replace").encode()
        yield number, line


def _salvage(line: bytes, number: int, found: Problems) -> list[bytes]:
    text = line.decode("utf-8")
    whole = mended(text)
    if whole is not None:
        found.append((number, MENDED))
        return [whole]
    pieces, lost = _pieces(text)
    if not pieces:
        found.append((number, f"torn or not JSON, {lost:,} characters not readable"))
    elif lost:
        found.append((number, f"a torn write: whole records read: {len(pieces)}, characters not readable: {lost:,}"))
    else:
        found.append((number, f"a torn write: {len(pieces)} records on one line, all read"))
    return pieces


def _pieces(text: str) -> tuple[list[bytes], int]:
    """Whole records of a line that holds more or less than one, and how many characters are in none of them."""
    pieces: list[bytes] = []
    position, lost, failures = 0, 0, 0
    while position < len(text):
        end = _end_of_object(text, position)
        # An object inside a torn record is followed by a comma or a bracket: it is not a record of its own.
        if end is not None and text[end : end + 1] in ("", "{"):
            record = text[position:end]
            pieces.append(mended(record) or record.encode())
        else:
            failures += end is None
            following = text.find('{"', position + 1) if failures < _MAX_FAILURES else -1
            end = len(text) if following < 0 else following
            lost += end - position
        position = end
    return pieces, lost


def _end_of_object(text: str, start: int) -> int | None:
    if not text.startswith('{"', start):
        return None
    try:
        return _ANY_CONTROL.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return None

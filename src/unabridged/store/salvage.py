"""Records out of a damaged line: torn, glued, full of NUL bytes, or not all UTF-8."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from unabridged.store.problem import ProblemKind

BOM = b"\xef\xbb\xbf"

# Every line that a writer makes begins so, and inside a string the quotes would be escaped: where this stands
# in a damaged line, a record begins.
_RECORD = re.compile(rb'\{[ \t]*"kind"[ \t]*:')
_DECODER = json.JSONDecoder()


def cleaned(line: bytes) -> tuple[bytes, list[tuple[ProblemKind, str]]]:
    """Take out of a line what JSON cannot hold. Returns the rest, and what was found with a sentence on it."""
    found: list[tuple[ProblemKind, str]] = []
    if line.startswith(BOM):
        found.append((ProblemKind.BYTE_ORDER_MARK, "a byte order mark stands before the record"))
        line = line[len(BOM) :]
    zeros = line.count(b"\0")
    if zeros:
        found.append((ProblemKind.NUL_BYTES, f"{zeros} NUL bytes were left out"))
        line = line.replace(b"\0", b"")
    text = line.decode("utf-8", "replace").encode()
    if text != line:
        found.append((ProblemKind.NOT_UTF8, "bytes that are not UTF-8 were read as U+FFFD"))
    return text, found


def pieces(line: bytes) -> Iterator[tuple[bytes, bool]]:
    """Cut a line into whole JSON objects (True) and what lies between them and cannot be read (False), in order."""
    if not line:
        return
    if _object_at_start(line) == len(line):
        yield line, True
        return
    starts = [0, *(found.start() for found in _RECORD.finditer(line, 1))]
    for start, end in pairwise([*starts, len(line)]):
        segment = line[start:end].rstrip()
        length = _object_at_start(segment)
        if length:
            yield segment[:length], True
        if length < len(segment):
            yield segment[length:], False


def _object_at_start(text: bytes) -> int:
    """Give the length of the JSON object that a text begins with; 0 if it begins with none."""
    if not text.startswith(b"{"):
        return 0
    try:
        # Latin-1 has one character for each byte, so that the end of what was read is a number of bytes.
        return _DECODER.raw_decode(text.decode("latin-1"))[1]
    except (ValueError, RecursionError):
        return 0

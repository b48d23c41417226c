"""The search where ripgrep is not installed, as a program of its own: a pattern that never ends is ended with it.

It answers as ripgrep does: names of files with a zero byte behind each, or matches as JSON, one event a line. Begun by
`searching.py`, with the query as its only argument.
"""

from __future__ import annotations

import os
import re
import sys
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from unabridged.agent.files.globs import expanded, regex_of
from unabridged.agent.files.ignoring import Ignored, walk
from unabridged.agent.files.text import NotText, decode
from unabridged.agent.tools.searching import LARGEST, Query


def main() -> int:
    """Answer the query that is given as argument; 2 where its pattern cannot be read, as ripgrep does."""
    query = msgspec.json.decode(sys.argv[1], type=Query)
    out = sys.stdout.buffer
    if query.pattern is None:
        for name in _files(query):
            out.write(b"./" + os.fsencode(name) + b"\0")
        out.flush()
        return 0
    try:
        regex = re.compile(query.pattern, re.IGNORECASE if query.any_case else 0)
    except (re.error, RecursionError, OverflowError) as error:
        sys.stderr.write(f"{error}")
        return 2
    for name in _files(query):
        _search(query, regex, name, out)
    out.flush()
    return 0


def _files(query: Query) -> Iterator[str]:
    folder = Path(query.folder)
    if query.file:
        yield query.file
        return
    rules = Ignored(Path(query.top)) if query.top else None
    wanted = "|".join(regex_of(each, anchored=False) for each in expanded(query.names)) if query.names else ".*"
    names = re.compile(wanted, re.DOTALL)
    yield from (name for name in walk(folder, rules, hidden=query.hidden) if names.fullmatch(name))


def _search(query: Query, regex: re.Pattern[str], name: str, out: BinaryIO) -> None:
    text = _text(Path(query.folder, name))
    if text is None:
        return
    lines = text.removesuffix("\n").split("\n")
    has_begun = False
    for at, found in _rows(lines, regex, query):
        if not has_begun:
            _say(out, "begin", {"path": _named(name)})
            has_begun = True
        _say(out, "match" if found else "context", _line(at, lines[at], found))
    if has_begun:
        _say(out, "end", {"path": _named(name), "binary_offset": None})


def _rows(lines: list[str], regex: re.Pattern[str], query: Query) -> Iterator[tuple[int, re.Match[str] | None]]:
    """Give the places of lines that match, and of those around them."""
    told, until, is_over = -1, -1, False
    for at, line in enumerate(lines):
        found = None if is_over else regex.search(line.removesuffix("\r"))
        if found is not None:
            yield from ((near, None) for near in range(max(told + 1, at - query.context), at))
            yield at, found
            told, until, is_over = at, at + query.context, query.once
        elif at <= until:
            yield at, None
            told = at
        elif is_over:
            return


def _text(path: Path) -> str | None:
    """Give the text of a file; None for what ripgrep passes over as well: too large, or with a zero byte in it."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        data = path.read_bytes()
    except OSError:
        return None
    try:
        return decode(data).text
    except NotText:
        return None if b"\0" in data else data.decode("latin-1")


def _line(at: int, line: str, found: re.Match[str] | None) -> dict[str, Any]:
    spans: list[dict[str, int]] = []
    if found is not None:
        start = len(line[: found.start()].encode())
        spans = [{"start": start, "end": start + len(found[0].encode())}]
    return {"lines": {"text": line}, "line_number": at + 1, "submatches": spans}


def _named(name: str) -> dict[str, str]:
    data = os.fsencode(name)
    try:
        return {"text": f"./{data.decode()}"}
    except UnicodeDecodeError:
        return {"bytes": b64encode(b"./" + data).decode()}


def _say(out: BinaryIO, kind: str, data: dict[str, Any]) -> None:
    out.write(msgspec.json.encode({"type": kind, "data": data}) + b"\n")
    if kind == "end":
        # What was found is told even where a later file takes too long.
        out.flush()


if __name__ == "__main__":
    sys.exit(main())

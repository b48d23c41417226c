"""`read`: the lines of a file."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated

import msgspec

from unabridged.agent.access import Access, Reads
from unabridged.agent.files import nearby
from unabridged.agent.files.known import Known
from unabridged.agent.files.opening import WHOLE, read_file, reason
from unabridged.agent.files.seen import digest_of
from unabridged.agent.files.text import FileText, NotText, binary_kind, decode, encoding_of
from unabridged.agent.files.working import aside
from unabridged.agent.tool import Output, Running, ToolError

LINES = 2_000
"""Lines that are given where no other number is asked for."""
LONG = 2_000
"""Characters of a line that are shown at once."""
LONGER = 20_000
"""The same where somebody asks for a place inside the line."""
_SAMPLE = 65_536


class ReadArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `read` takes."""

    path: Annotated[str, msgspec.Meta(description="The file, relative to the workspace or absolute.")]
    first_line: Annotated[int, msgspec.Meta(ge=1, description="Where to begin, from 1.")] = 1
    lines: Annotated[int, msgspec.Meta(ge=1, description=f"How many lines at most; {LINES:,} by default.")] = LINES
    column: Annotated[
        int, msgspec.Meta(ge=1, description="Character of each line to begin at, from 1: for lines that are very long.")
    ] = 1


class Read:
    """Gives the lines of a file, numbered."""

    name = "read"
    description = (
        "Read a text file. Gives its lines, each as number, tab, text; the numbers are not part of the file."
        f" {LINES:,} lines at once: ask for others with first_line and lines. A file must be read before edit or write"
        " may change it. For folders use glob, to look for something in many files grep."
    )
    arguments = ReadArguments
    reads_only = True

    def __init__(self, known: Known) -> None:
        self._known = known

    def title(self, arguments: ReadArguments) -> str:
        """Give the path, and the lines if not all are asked for."""
        if arguments.first_line == 1 and arguments.lines == LINES:
            return arguments.path
        return f"{arguments.path}:{arguments.first_line}-{arguments.first_line + arguments.lines - 1}"

    def touches(self, arguments: ReadArguments) -> Sequence[Access]:
        """Give the file, links followed."""
        return (Reads(str(self._known.workspace.resolve(arguments.path))),)

    def preview(self, arguments: ReadArguments) -> str:
        """Nothing is changed."""
        del arguments
        return ""

    async def run(self, arguments: ReadArguments, running: Running) -> Output:
        """Read. Raises `ToolError` for what is no text, and where no such file or line is."""
        del running
        return await aside(lambda: self._read(arguments))

    def _read(self, asked: ReadArguments) -> Output:
        workspace = self._known.workspace
        path = workspace.resolve(asked.path)
        shown = workspace.shown(path)
        if os.path.isdir(path):
            raise ToolError(f'{shown} is a folder: list it with glob, path "{shown}" and pattern "./*"')
        try:
            data, state = read_file(path)
            if len(data) > WHOLE:
                return _part(path, shown, state.st_size, asked)
        except FileNotFoundError:
            raise ToolError(nearby.said(workspace, path)) from None
        except OSError as error:
            raise ToolError(f"{shown} cannot be read: {reason(error)}") from error
        try:
            file = decode(data)
        except NotText as error:
            raise ToolError(f"{shown} is no text: {error.kind}, {len(data):,} bytes") from None
        self._known.seen.note(path, digest_of(data))
        return _shown(file, shown, asked)


def _shown(file: FileText, shown: str, asked: ReadArguments) -> Output:
    lines = file.lines()
    if not lines:
        return Output(text=f"({shown} is empty{_said(file)})", headline="empty")
    if asked.first_line > len(lines):
        raise ToolError(f"{shown} has {len(lines):,} lines: there is no line {asked.first_line:,}")
    begin = asked.first_line - 1
    part = lines[begin : begin + asked.lines]
    end = begin + len(part)
    rows = [_row(number, line, asked.column, len(line)) for number, line in enumerate(part, begin + 1)]
    notes = [file.said()] if file.said() else []
    if begin or end < len(lines):
        more = f"; read on with first_line={end + 1}" if end < len(lines) else ""
        notes.append(f"lines {begin + 1:,} to {end:,} of {len(lines):,}{more}")
    if end == len(lines) and not file.plain.endswith("\n"):
        notes.append("no line end behind the last line")
    count = f"{len(part):,} of {len(lines):,} lines" if len(part) < len(lines) else _lines(len(lines))
    return Output(text="\n".join([*rows, *(f"({note})" for note in notes)]), headline=count)


def _row(number: int, line: str, column: int, length: int) -> str:
    most = LONG if column == 1 else LONGER
    piece = line[column - 1 : column - 1 + most]
    left = length - (column - 1) - len(piece)
    before = "…" if column > 1 and line else ""
    after = (
        f"… (line {number} has {left:,} more characters: first_line={number}, lines=1, column={column + most})"
        if left > 0
        else ""
    )
    return f"{number}\t{before}{piece}{after}"


def _part(path: Path, shown: str, size: int, asked: ReadArguments) -> Output:
    """Read lines of a file that is too large to be held whole."""
    with path.open("rb") as raw:
        sample = raw.read(_SAMPLE)
        if kind := binary_kind(sample):
            raise ToolError(f"{shown} is no text: {kind}, {size:,} bytes")
        if asked.first_line == 1 and asked.lines >= LINES:
            raise ToolError(
                f"{shown} has {size:,} bytes, too many to read whole: give first_line and lines (fewer than {LINES:,})"
                " for a part, or look for what you need with a command"
            )
        mark, encoding = encoding_of(sample)
        raw.seek(len(mark))
        text = io.TextIOWrapper(raw, encoding=encoding, errors="replace", newline="")
        rows = list(islice(_rows(text, asked), asked.lines))
    if not rows:
        raise ToolError(f"{shown} has no line {asked.first_line:,}")
    last = asked.first_line + len(rows) - 1
    notes = f"({size:,} bytes; lines {asked.first_line:,} to {last:,}; it is too large to be changed by edit or write)"
    return Output(text="\n".join([*rows, notes]), headline=_lines(len(rows)))


def _rows(text: io.TextIOWrapper, asked: ReadArguments) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        wanted = number >= asked.first_line
        line, length = _line(text, asked.column - 1 + LONGER if wanted else 0)
        if not length:
            return
        if wanted:
            yield _row(number, line, asked.column, length - 1)


def _line(text: io.TextIOWrapper, most: int) -> tuple[str, int]:
    """Read one line, however long; give the beginning of it, and its length with one character for the line end."""
    begin, last, length = "", "", 0
    while piece := text.readline(1 << 20):
        length += len(piece)
        last = (last + piece)[-2:]
        if len(begin) < most:
            begin = (begin + piece)[:most]
        if piece.endswith("\n"):
            break
    if not length:
        return "", 0
    end = len(last) - len(last.rstrip("\r\n"))
    # Where the end itself was cut away nothing is left to strip.
    return begin[: length - end], length - end + 1


def _said(file: FileText) -> str:
    return f"; {file.said()}" if file.said() else ""


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"

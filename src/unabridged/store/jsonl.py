"""A session's log as a file, one JSON object for each line. `docs/file-format.md` is the contract.

    with JsonlWriter(path, session=log.session, counter=log.counter) as writer:
        writer.append(log.append(MessageEntry(message)), log.media)
    opened = read_log(path)

A file is only ever added to. A line that a crash cut short stays where it is; what comes after it begins on a
line of its own, so that one bad line costs that line and nothing else.
"""

from __future__ import annotations

import fcntl
import hashlib
import io
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from unabridged.codec import json_bytes
from unabridged.entry import Entry, MessageEntry
from unabridged.errors import BadInput, Conflict
from unabridged.message import media_digests
from unabridged.store.lines import VERSION, Header, MediaLine, decode_entry, encode_entry
from unabridged.store.problem import Problem, ProblemKind
from unabridged.store.reading import LogReader, Opened

__all__ = [
    "JsonlWriter",
    "Opened",
    "Problem",
    "ProblemKind",
    "block_of",
    "decode_entry",
    "encode_entry",
    "header_of",
    "read_log",
]


def read_log(path: Path) -> Opened:
    """Read a log file. Whatever is damaged in it is passed over and reported with its line; nothing is changed.

    Raises `BadInput` when the file cannot be opened, is no log at all, or has a newer version of the format.
    """
    reader = LogReader()
    try:
        with path.open("rb") as file:
            reader.read(file)
        return reader.opened()
    except OSError as error:
        raise BadInput(f"cannot read the log {path}: {error.strerror}") from error
    except BadInput as error:
        raise BadInput(f"cannot read the log {path}: {error}") from error


class JsonlWriter:
    """Appends entries to a log file. Makes the file, with its header, where there is none; only its owner may read it.

    Several processes may hold a writer on one file: each append takes a lock, looks at what others added, and
    refuses what does not follow. One writer is for one thread. With `fsync` (the default) an append returns when
    the disk has it; without, when the operating system has it, which is enough for a killed process.

    Raises `BadInput` when the file cannot be opened, is no log, has a newer version, or is another session's. The
    `counter` of a file that is there already stays.
    """

    def __init__(self, path: Path, *, session: str, counter: str = "", fsync: bool = True) -> None:
        self.path = path
        self._fsync = fsync
        self._next_seq = 0
        self._media: set[str] = set()
        self._end = 0
        self._line_is_open = False
        try:
            self._file = open(path, "a+b", buffering=0, opener=_open_private)  # noqa: SIM115 (closed by `close`)
        except OSError as error:
            raise BadInput(f"cannot open the log {path}: {error.strerror}") from error
        try:
            self._begin(Header(version=VERSION, session=session, counter=counter))
        except BadInput as error:
            self._file.close()
            raise BadInput(f"cannot open the log {path}: {error}") from error
        except BaseException:  # Whatever it is, nobody else can close the file.
            self._file.close()
            raise

    @property
    def next_seq(self) -> int:
        """The position that the next entry has to have, as far as this writer has seen the file."""
        return self._next_seq

    def append(self, entries: Sequence[Entry], media: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Write entries with one call, each after the bytes of the media that it is the first to refer to.

        `media` maps digests to bytes; what no entry refers to, or the file holds already, is not written. A crash
        in the middle leaves the first of the entries, or none. Raises `Conflict` when the file does not go on with
        the first entry, `BadInput` for entries out of order or media of another digest, and `OSError` (a full
        disk): part of the entries may then be in the file, and the next append finds that out.
        """
        if any(after.seq <= before.seq for before, after in pairwise(entries)):
            raise BadInput("entries of one append are not in the order of their `seq`: give them as the log made them")
        if not entries:
            return
        with self._locked():
            self._catch_up()
            if entries[0].seq != self._next_seq:
                raise Conflict(expected=entries[0].seq, actual=self._next_seq)
            block, added = block_of(entries, media, self._media)
            self._write(block)
            self._next_seq = entries[-1].seq + 1
            self._media |= added

    def close(self) -> None:
        """Close the file. Closing twice does no harm."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _begin(self, header: Header) -> None:
        with self._locked():
            reader = self._catch_up()
            if reader is not None:
                reader.opened()
            found = reader.header if reader else None
            if found is None:
                self._write(json_bytes(header) + b"\n")
            elif found.session != header.session:
                raise BadInput(f"it is of the session {found.session!r}, not {header.session!r}")
            if reader is None and self._fsync:
                _sync_directory(self.path.parent)

    @contextmanager
    def _locked(self) -> Generator[None]:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _catch_up(self) -> LogReader | None:
        """Read what was added since this writer last saw the file; None if nothing was."""
        size = os.fstat(self._file.fileno()).st_size
        if size == self._end:
            return None
        if size < self._end:
            raise BadInput(f"the log {self.path} has lost its end: something else than this library wrote to it")
        reader = LogReader()
        self._file.seek(self._end)
        lines = io.BufferedReader(self._file)
        try:
            reader.read(lines)
        finally:
            lines.detach()
        self._file.seek(size - 1)
        self._line_is_open = self._file.read(1) != b"\n"
        self._next_seq = max(self._next_seq, reader.next_seq)
        self._media |= reader.media.keys()
        self._end = size
        return reader

    def _write(self, block: bytes) -> None:
        rest = memoryview(b"\n" + block if self._line_is_open else block)
        size = len(rest)
        # One call writes it all, except on a disk that is nearly full: then the next call raises.
        while rest:
            rest = rest[self._file.write(rest) :]
        if self._fsync:
            os.fsync(self._file)
        self._end += size
        self._line_is_open = False


def header_of(session: str, counter: str) -> bytes:
    """Give the first line of a log file, with its end."""
    return json_bytes(Header(version=VERSION, session=session, counter=counter)) + b"\n"


def block_of(entries: Sequence[Entry], media: Mapping[str, bytes], known: set[str]) -> tuple[bytes, set[str]]:
    """Give the lines of entries with the media that the file does not know yet, and the digests of those."""
    lines: list[bytes] = []
    added: set[str] = set()
    for entry in entries:
        needed = media_digests(entry.payload.message) if isinstance(entry.payload, MessageEntry) else []
        for digest in needed:
            if digest in media and digest not in known and digest not in added:
                lines.append(_media_line(digest, media[digest]))
                added.add(digest)
        lines.append(encode_entry(entry))
    return b"\n".join([*lines, b""]), added


def _media_line(digest: str, data: bytes) -> bytes:
    if hashlib.sha256(data).hexdigest() != digest:
        raise BadInput(f"the media {digest!r} are bytes of another digest: give each under the SHA-256 of itself")
    return json_bytes(MediaLine(digest, data))


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync_directory(directory: Path) -> None:
    """Make a new file's name last, too."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

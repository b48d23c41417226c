"""What is written down of checkpoints: one line of JSON a record, only ever appended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import msgspec


class Kind(StrEnum):
    """What stood at a path."""

    ABSENT = "absent"
    FILE = "file"
    LINK = "link"
    UNKEPT = "unkept"


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a path was."""

    kind: Kind
    digest: str = ""
    mode: int = 0
    size: int = 0
    target: str = ""
    """Of a link."""
    why: str = ""
    """Why the content was not kept."""


class Began(msgspec.Struct, frozen=True, tag="began"):
    """A turn begins, or what a restore overwrites."""

    turn: str
    time: float


class Kept(msgspec.Struct, frozen=True, tag="kept", omit_defaults=True):
    """How a path was before its first change in the turn that began last."""

    path: str
    state: State
    folders: int = 0
    """How many of its folders, the innermost first, were not there."""
    exact: bytes = b""
    """The path, where its bytes are no text."""

    @classmethod
    def of(cls, path: Path, state: State, folders: int) -> Kept:
        """Write a path down, whatever bytes are in it."""
        exact = os.fsencode(path)
        shown = exact.decode("utf-8", "replace")
        return cls(shown, state, folders, b"" if shown.encode() == exact else exact)

    @property
    def where(self) -> Path:
        """Give the path."""
        return Path(os.fsdecode(self.exact) if self.exact else self.path)


class Restoring(msgspec.Struct, frozen=True, tag="restoring"):
    """Files are about to be put back to how they were before a turn."""

    turn: str
    undo: str
    """The checkpoint of what was there before."""


class Restored(msgspec.Struct, frozen=True, tag="restored"):
    """All that could be put back was."""

    turn: str


Record = Began | Kept | Restoring | Restored

_DECODER = msgspec.json.Decoder(Record)


class Records:
    """The records of a folder. A line that was torn when a process died is passed over, and the next begins anew."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.all: list[Record] = []
        self.damaged = 0
        """Lines that could not be read."""
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            data = b""
        self._is_torn = bool(data) and not data.endswith(b"\n")
        for line in data.split(b"\n"):
            if line:
                self._read(line)

    def append(self, records: Sequence[Record]) -> None:
        """Write records down; from here on they outlive a loss of power. Raises `OSError`."""
        lines = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
        if self._is_torn:
            lines = b"\n" + lines
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._is_torn = True
            left = memoryview(lines)
            while left:
                left = left[os.write(handle, left) :]
            os.fsync(handle)
            self._is_torn = False
        finally:
            os.close(handle)
        self.all += records

    def _read(self, line: bytes) -> None:
        try:
            self.all.append(_DECODER.decode(line))
        except (msgspec.DecodeError, UnicodeError):
            self.damaged += 1

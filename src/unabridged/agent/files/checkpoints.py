"""How files were before each turn, kept apart from any repository: to look at what changed, and to go back.

Before a file is changed for the first time in a turn its content is kept, and then written down. Going back to before
a turn takes for each path the first such record from there on. What it overwrites is kept in the same way, under a
name of its own: so going back can itself be taken back.
"""

from __future__ import annotations

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path

import msgspec

from unabridged.agent.files.contents import Contents
from unabridged.agent.files.opening import read_file, reason
from unabridged.agent.files.records import Began, Kept, Kind, Record, Records, Restored, Restoring, State
from unabridged.agent.tool import ToolError
from unabridged.errors import NotFound

LARGEST = 16 * 1024 * 1024
"""Bytes of a file whose content is kept."""


class Checkpoints:
    """The checkpoints of a session, in a folder of its own outside the workspace."""

    def __init__(self, folder: Path, *, largest: int = LARGEST, clock: Callable[[], float] = time.time) -> None:
        self.contents = Contents(folder / "contents")
        self.largest = largest
        self._records = Records(folder / "index.jsonl")
        self._clock = clock
        self._lock = threading.RLock()
        self._turn = ""
        self._kept: set[Path] = set()
        for record in self._records.all:
            self._follow(record)

    @property
    def turns(self) -> tuple[str, ...]:
        """Give the names of all checkpoints, the oldest first, those of restores among them."""
        return tuple(record.turn for record in self._records.all if isinstance(record, Began))

    @property
    def damaged(self) -> int:
        """Count the records that could not be read."""
        return self._records.damaged

    @property
    def unfinished(self) -> str | None:
        """Give the turn to before which files were being put back when the process died; None if there is none."""
        unfinished = self._unfinished()
        return unfinished.turn if unfinished else None

    def begin(self, turn: str) -> None:
        """Begin a checkpoint. One that was begun last goes on. Raises `ToolError` where nothing can be written."""
        with self._lock:
            if turn != self._turn or not self._records.all:
                self._append(Began(turn, self._clock()))

    def keep(self, path: Path) -> State | None:
        """Keep a file as it is now, before it is changed; None where it was kept in this turn already.

        A file that is too large is noted without its content. Raises `ToolError` where nothing can be kept.
        """
        with self._lock:
            if path in self._kept:
                return None
            state = self.state(path)
            self.record([(path, state)])
            return state

    def note(self, paths: Iterable[Path]) -> None:
        """Keep several, for a command that says beforehand what it will change."""
        for path in paths:
            self.keep(path)

    def record(self, states: Iterable[tuple[Path, State]]) -> None:
        """Write down how paths were at the beginning of the turn; those that are known already are passed over."""
        with self._lock:
            new = [Kept.of(path, state, _missing(path)) for path, state in states if path not in self._kept]
            if new:
                self._append(*new)

    def state(self, path: Path, *, is_kept: bool = True) -> State:
        """Look at a path, and keep its content unless told otherwise. Raises `ToolError` for what cannot be kept."""
        try:
            found = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return State(Kind.ABSENT)
        except OSError as error:
            return State(Kind.UNKEPT, why=reason(error))
        if stat.S_ISLNK(found.st_mode):
            return State(Kind.LINK, target=os.readlink(path))
        if not stat.S_ISREG(found.st_mode):
            return State(Kind.UNKEPT, why="it is no file")
        too_large = State(Kind.UNKEPT, size=found.st_size, why=f"it has more than {self.largest:,} bytes")
        if found.st_size > self.largest:
            return too_large
        try:
            data, found = read_file(path, self.largest)
        except (OSError, ToolError) as error:
            return State(Kind.UNKEPT, why=reason(error) if isinstance(error, OSError) else str(error))
        if len(data) > self.largest:
            return too_large
        digest = self._put(path, data) if is_kept else ""
        return State(Kind.FILE, digest, found.st_mode & 0o7777, len(data))

    def since(self, turn: str) -> dict[Path, Kept]:
        """Give for each path how it was before a turn. Raises `NotFound`."""
        with self._lock:
            return _first(self._records.all[self._place(turn) :])

    def within(self, turn: str) -> tuple[dict[Path, Kept], dict[Path, Kept]]:
        """Give for each path of a turn how it was before, and where it changed later, how it was after."""
        with self._lock:
            records = self._records.all[self._place(turn) :]
        ends = (at for at, record in enumerate(records) if at and isinstance(record, Began))
        end = next(ends, len(records))
        before, later = _first(records[:end]), _first(records[end:])
        return before, {path: later[path] for path in before if path in later}

    def restoring(self, turn: str) -> str:
        """Begin to put files back, with a checkpoint for what is overwritten. Gives the name to take it back by."""
        with self._lock:
            self._place(turn)
            names = set(self.turns)
            own = next(name for number in count(1) if (name := f"restore-{number}") not in names)
            unfinished = self._unfinished()
            # What a restore that died had overwritten counts too.
            undo = unfinished.undo if unfinished and unfinished.turn == turn else own
            self._append(Began(own, self._clock()), Restoring(turn, undo))
            return undo

    def restored(self, turn: str) -> None:
        """Note that all was put back."""
        self._append(Restored(turn))

    def _unfinished(self) -> Restoring | None:
        for record in reversed(self._records.all):
            if isinstance(record, Restored) or (isinstance(record, Began) and not record.turn.startswith("restore-")):
                return None
            if isinstance(record, Restoring):
                return record
        return None

    def _place(self, turn: str) -> int:
        for at, record in enumerate(self._records.all):
            if isinstance(record, Began) and record.turn == turn:
                return at
        raise NotFound("checkpoint", turn)

    def _put(self, path: Path, data: bytes) -> str:
        try:
            return self.contents.put(data)
        except OSError as error:
            raise ToolError(f"{path} cannot be kept for going back ({reason(error)}): it is left as it is") from error

    def _append(self, *records: Record) -> None:
        try:
            self._records.append(records)
        except OSError as error:
            raise ToolError(f"checkpoints of files cannot be written ({reason(error)})") from error
        for record in records:
            self._follow(record)

    def _follow(self, record: Record) -> None:
        if isinstance(record, Began):
            self._turn, self._kept = record.turn, set()
        elif isinstance(record, Kept):
            self._kept.add(record.where)


def _first(records: Iterable[Record]) -> dict[Path, Kept]:
    found: dict[Path, Kept] = {}
    for record in records:
        if isinstance(record, Kept):
            found.setdefault(record.where, record)
    return found


def _missing(path: Path) -> int:
    """Count the folders of a path that are not there."""
    return sum(not os.path.lexists(folder) for folder in path.parents)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a path."""

    path: Path
    before: State
    after: State
    added: int = 0
    """Lines, where both are text."""
    removed: int = 0
    is_text: bool = True

    @property
    def verb(self) -> str:
        """Say in a word what became of it."""
        if self.before.kind is Kind.ABSENT:
            return "made"
        return "removed" if self.after.kind is Kind.ABSENT else "changed"

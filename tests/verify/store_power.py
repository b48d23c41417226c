"""A disk whose power can be cut: what SQLite wrote and did not sync may then be there, gone, or torn.

`SqliteDatabase` runs as it is. Only `sqlite3.connect` gives it another driver for a while: a connection of apsw with
the methods of sqlite3's that the store uses, over a VFS of SQLite that notes what goes to each file. A write counts as
durable when its file was synced after it. At the cut, which is an operation on a file by its number, that operation
and all that follow fail. What is on the disk then, for each file on its own: all that was synced, and of what was not,
a random part. Each write may have come whole, not at all, or in some of its sectors of 512 bytes and not in others; a
later one may have come and an earlier one not. A file that was never synced may not be there at all, and one that was
deleted may be back, until its folder is synced: SQLite does that (os_unix.c) where it says so as it deletes, and with
the first sync of a new journal. That is what SQLite's own documentation expects of a disk, power-safe overwrites
included: a write touches no byte beside it (sqlite.org/atomiccommit.html, sections 2 and 3).

apsw brings its own, newer SQLite. What is left on the disk is opened with Python's, through the plain store.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import apsw
import msgspec

SECTOR = 512


class PowerCut(Exception):
    """The power is gone: this operation did not come to its end, and none will."""


class _File(msgspec.Struct):
    """A file: what is durable of it, and what came after that, oldest first."""

    durable: bytes | None
    pending: list[tuple[int, bytes | None]] = []
    """(offset, data) of a write; (size, None) where the file was cut to a size."""


class Disk:
    """Files, and how much of them a power cut would leave. `cut_at` is the operation that the power is cut at."""

    def __init__(self, cut_at: int) -> None:
        self.operations = 0
        self._cut_at = cut_at
        self._files: dict[str, _File] = {}
        self._deleted: dict[str, _File] = {}

    def opened(self, path: str) -> None:
        """Note a file; one that was there before is durable as it is."""
        if path not in self._files:
            there = Path(path)
            self._files[path] = _File(there.read_bytes() if there.exists() else None)

    def written(self, path: str, offset: int, data: bytes | None) -> None:
        """Note a write, or (None) that the file was cut to a size."""
        self._files[path].pending.append((offset, data))
        self._operate()

    def synced(self, path: str) -> None:
        """Note that all writes to a file until now are durable."""
        self._operate()
        file = self._files[path]
        if file.durable is None:
            self._folder_synced()
        file.durable = _applied(file.durable or b"", file.pending)
        file.pending = []

    def _folder_synced(self) -> None:
        self._deleted.clear()
        for file in self._files.values():
            file.durable = file.durable or b""

    def deleted(self, path: str, durably: bool) -> None:
        """Note that a file was deleted; durably where its folder was synced."""
        self._operate()
        gone = self._files.pop(path, None)
        if gone is not None and not durably:
            self._deleted[path] = gone

    def left(self, chance: Random) -> dict[str, bytes]:
        """Give the files that are there when the power is back."""
        share = chance.choice((0.0, 0.5, 0.9, 1.0))
        found: dict[str, bytes] = {}
        for path, file in [*self._deleted.items(), *self._files.items()]:
            if (file.durable is None or path in self._deleted) and chance.random() < 0.5:
                continue
            kept = [part for write in file.pending for part in _survived(*write, share, chance)]
            found[path] = _applied(file.durable or b"", kept)
        return found

    def _operate(self) -> None:
        self.operations += 1
        if self.operations >= self._cut_at:
            raise PowerCut

    @contextmanager
    def in_use(self, *, checkpoint_pages: int) -> Generator[None]:
        """Have stores that are opened in this block write to this disk."""
        name = f"power-{id(self)}"
        vfs = _Vfs(name, self)

        def connect(path: str, **_: Any) -> Driver:
            with _as_sqlite3():
                return Driver(apsw.Connection(path, vfs=name), checkpoint_pages)

        try:
            with patch.object(sqlite3, "connect", connect):
                yield
        finally:
            vfs.unregister()


def _applied(content: bytes, writes: Iterable[tuple[int, bytes | None]]) -> bytes:
    grown = bytearray(content)
    for at, data in writes:
        if data is None:
            del grown[at:]
        else:
            grown.extend(bytes(max(0, at - len(grown))))
            grown[at : at + len(data)] = data
    return bytes(grown)


def _survived(at: int, data: bytes | None, share: float, chance: Random) -> Iterator[tuple[int, bytes | None]]:
    """Give what is left of a write: whole, some sectors of it, or nothing."""
    if chance.random() < 0.7:
        if chance.random() < share:
            yield at, data
        return
    if data is None:
        return
    start = 0
    while start < len(data):
        stop = min(len(data), start + SECTOR - (at + start) % SECTOR)
        if chance.random() < share:
            yield at + start, data[start:stop]
        start = stop


class _Vfs(apsw.VFS):
    """The system's files, with a disk that notes what is done to them."""

    def __init__(self, name: str, disk: Disk) -> None:
        super().__init__(name, base="")
        self._disk = disk

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - apsw's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:
            return super().xOpen(name, flags)
        self._disk.opened(path)
        return _VfsFile(name, flags, self._disk, path)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802 - apsw's name
        self._disk.deleted(filename, bool(syncdir))
        super().xDelete(filename, syncdir)


class _VfsFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int], disk: Disk, path: str) -> None:
        super().__init__("", name, flags)
        self._disk = disk
        self._path = path

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802 - apsw's name
        self._disk.written(self._path, offset, bytes(data))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802 - apsw's name
        self._disk.written(self._path, newsize, None)
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802 - apsw's name
        self._disk.synced(self._path)
        super().xSync(flags)


class Driver:
    """An apsw connection with the methods of sqlite3's that the store uses, and with sqlite3's errors.

    How often writes are moved to their places is ours to say: a cut has to fall into that as well.
    """

    def __init__(self, connection: apsw.Connection, checkpoint_pages: int) -> None:
        self._connection = connection
        connection.execute(f"PRAGMA wal_autocheckpoint = {checkpoint_pages}")

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction

    def execute(self, sql: str, values: Sequence[Any] = ()) -> Rows:
        """Run a statement, and read all of its rows at once."""
        if sql.startswith("PRAGMA wal_autocheckpoint"):
            return Rows(())
        with _as_sqlite3():
            rows = list(self._connection.execute(sql, tuple(values)))
            return Rows(rows, self._connection.changes())

    def executemany(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with _as_sqlite3():
            self._connection.executemany(sql, [tuple(row) for row in rows])

    def blobopen(self, table: str, column: str, row: int, /, *, readonly: bool = False) -> apsw.Blob:
        """Open a value of a row as a stream."""
        with _as_sqlite3():
            return self._connection.blob_open("main", table, column, row, not readonly)

    def close(self) -> None:
        """Close the connection, with the power on or off."""
        with suppress(apsw.Error, PowerCut):
            self._connection.close(True)


class Rows:
    """The rows of a query, as a cursor of sqlite3 gives them."""

    def __init__(self, rows: Sequence[tuple[Any, ...]], changed: int = 0) -> None:
        self._rows = iter(rows)
        self.rowcount = changed

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self._rows

    def fetchone(self) -> tuple[Any, ...] | None:
        """Give the next row."""
        return next(self._rows, None)

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """Give the next rows."""
        return [row for row, _ in zip(self._rows, range(size), strict=False)]

    def fetchall(self) -> list[tuple[Any, ...]]:
        """Give all rows that are left."""
        return list(self._rows)


@contextmanager
def _as_sqlite3() -> Generator[None]:
    try:
        yield
    except apsw.ConstraintError as error:
        raise sqlite3.IntegrityError(str(error)) from error
    except (apsw.Error, PowerCut) as error:
        told = sqlite3.OperationalError(f"disk I/O error: {error}")
        told.sqlite_errorcode = getattr(error, "result", sqlite3.SQLITE_IOERR)
        raise told from error

"""SQLite: one file, no server. WAL, so that readers never wait; with `synchronous=FULL` one fsync for each transaction.

A step of an agent is one transaction, so it costs one fsync. `NORMAL` saves it: a crash of the process then loses
nothing, a power cut may lose the newest steps, and neither tears one.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from unabridged.errors import BadInput, BadSetting, StoreError, StoreFault
from unabridged.store.database import LONGEST_LEASE_S, Fenced, Row, Taken
from unabridged.store.migrations import migrate

WAIT_S = 10.0
"""How long a writer waits for another process's transaction; those of this store take about a millisecond."""
AGAIN_S = 0.01
"""Seconds until another process's switch of the journal is looked at again."""
PAGE = 500
OURS = 0x756E6162
"""What the header of a file says whose it is (`unab`): other programs keep their data in SQLite too."""
CHECKPOINT_PAGES = 4_000
"""Pages of new writes, 16 MB, after which they are moved to their places. With `NORMAL` nothing else waits for the
disk, so it is done four times as seldom as SQLite would."""
STRETCH_S = 1e8
"""Seconds of one start of a machine, about three years: 65,536 of them fit into a float, to the millisecond."""
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
_FAULTS = {
    sqlite3.SQLITE_FULL: (StoreFault.FULL, "the disk is full: free some space, and go on"),
    sqlite3.SQLITE_READONLY: (StoreFault.READ_ONLY, "it cannot be written: look at its permissions, and its folder's"),
    sqlite3.SQLITE_PERM: (StoreFault.READ_ONLY, "it may not be used: look at its permissions, and its folder's"),
    sqlite3.SQLITE_BUSY: (StoreFault.BUSY, "another process holds the file: try again"),
    sqlite3.SQLITE_LOCKED: (StoreFault.BUSY, "another connection holds the file: try again"),
    sqlite3.SQLITE_CORRUPT: (StoreFault.DAMAGED, "it is damaged: `unabridged doctor` says where, a backup helps"),
    sqlite3.SQLITE_NOTADB: (StoreFault.DAMAGED, "it is no SQLite database, or its first page is damaged"),
    sqlite3.SQLITE_CANTOPEN: (StoreFault.UNAVAILABLE, "it cannot be opened: look at its path and its permissions"),
}


class SqliteDatabase:
    """One connection to one file, shared by the threads of a process; `:memory:` is a store of this process alone."""

    name = "sqlite"

    def __init__(self, path: str | Path, *, synchronous: str = "FULL", wait_s: float = WAIT_S) -> None:
        if synchronous not in SYNCHRONOUS:
            raise BadSetting("synchronous", synchronous, f"give one of {', '.join(SYNCHRONOUS)}")
        if not str(path) or "://" in str(path):
            raise BadInput("this is no place for a store: give a file, `:memory:`, or a URL with postgresql://")
        self.path = str(path) if str(path) == ":memory:" else os.path.abspath(path)
        self._lock = threading.RLock()
        self._told = _Told(self.path)
        _make_private(self.path)
        with self._told:
            self._connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, cached_statements=256
            )
        try:
            with self._told:
                self._prepare(synchronous, wait_s)
        except BaseException:  # whatever it is, nobody will close what nobody has
            self._connection.close()
            raise

    def _prepare(self, synchronous: str, wait_s: float) -> None:
        self._connection.execute(f"PRAGMA busy_timeout = {max(0, int(wait_s * 1_000))}")
        self._connection.execute("PRAGMA foreign_keys = ON")
        self._connection.execute("PRAGMA recursive_triggers = ON")  # else REPLACE deletes unseen
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")
        if synchronous == "NORMAL":
            self._connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        self._refuse_foreign()
        self._write_ahead(wait_s)
        self._file = _identity(self.path)
        if self._version() is not None and not migrate(self.name, self._version() or 0):
            return
        with self.transaction() as writing:  # several processes may start at once: only one finds work here
            for number, script in migrate(self.name, self._version() or 0):
                for statement in _statements(script):
                    writing.run(statement)
                writing.run(f"PRAGMA application_id = {OURS}")
                writing.run(f"PRAGMA user_version = {number}")

    def _write_ahead(self, wait_s: float) -> None:
        """Switch the journal. SQLite itself does not wait here for another process that does the same."""
        ends = time.monotonic() + wait_s
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= ends:
                    raise
            time.sleep(AGAIN_S)

    def _refuse_foreign(self) -> None:
        """Write nothing into the database of another program."""
        # In this order: another process may be making it.
        (tables,) = self._connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (whose,) = self._connection.execute("PRAGMA application_id").fetchone()
        if whose != OURS and (whose or tables):
            raise BadInput(f"{self.path} is the database of another program: give another file")

    def _version(self) -> int | None:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0]) or None

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query."""
        with self._lock, self._told:
            return self._connection.execute(sql, values).fetchall()

    def each_row(self, sql: str, *values: Any) -> Iterator[Row]:
        """Give the rows of a query one by one."""
        with self._lock, self._told:
            found = self._connection.execute(sql, values)
        while True:
            with self._lock, self._told:
                page = found.fetchmany(PAGE)
            if not page:
                return
            yield from page

    @contextmanager
    def transaction(self) -> Generator[SqliteDatabase]:
        """Begin a transaction that will write: it waits for its turn now, and cannot lose it later."""
        with self._lock, self._told:
            self._stay()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._connection.execute("COMMIT")
            except BaseException:  # whatever ends the block, nothing of it may stay
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _stay(self) -> None:
        if _identity(self.path) != self._file:
            said = "it was moved, deleted or replaced while it was open: open the store again"
            raise StoreError(StoreFault.UNAVAILABLE, f"{self.path}: {said}")

    def append(self, session: int, fence: int | None, insert: str, rows: Sequence[Sequence[Any]]) -> None:
        """Write rows in a transaction of their own, under a turn or where none runs; one row by one statement."""
        if len(rows) > 1:
            with self.transaction():
                self.hold(session, fence)
                self.run_each(insert, rows)
            return
        held = (fence,) if fence is not None else (now := self.now(self), now + LONGEST_LEASE_S)
        with self._lock, self._told:
            self._stay()
            try:
                self._connection.execute(_guarded(insert, fence is not None), (session, *held, *rows[0]))
            except sqlite3.IntegrityError as error:
                if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_NOTNULL:
                    raise Fenced from None
                raise

    def run(self, sql: str, *values: Any) -> None:
        """Run a statement of the transaction."""
        self._connection.execute(sql, values)

    def hold(self, session: int, fence: int | None) -> None:
        """Fail unless this turn runs, or none does."""
        holding = self._connection.execute("SELECT fence, holder, held_until FROM sessions WHERE key = ?", (session,))
        row = holding.fetchone()
        if row is None or (row[0] != fence if fence is not None else row[1] and self.is_live(row[2], self.now(self))):
            raise Fenced

    def lock(self, name: str, *, shared: bool) -> None:
        """Do nothing: one transaction at a time writes."""

    def run_each(self, sql: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement of the transaction once for each row of values."""
        self._connection.executemany(sql, rows)

    def now(self, within: object) -> float:
        """Give seconds since the machine started: whoever sets its clock back lengthens no lease.

        Every start of a machine has a stretch of its own, so that no lease from before it holds.
        """
        del within
        return _stretch() + time.clock_gettime(_CLOCK)

    def is_live(self, until: float, now: float) -> bool:
        """Tell whether a lease holds. One that would hold for longer than any is from before the machine started."""
        return now < until <= now + LONGEST_LEASE_S

    def chunks(self, blob: int, size: int) -> Iterator[bytes]:
        """Give the bytes of a row of `blobs`, `size` at a time."""
        with self._lock, self._told:
            opened = self._connection.blobopen("blobs", "data", blob, readonly=True)
        with opened:
            while True:
                with self._lock, self._told:
                    chunk = opened.read(size)
                if not chunk:
                    return
                yield chunk

    def backup(self, target: Path) -> None:
        """Copy the database as it stands while others go on writing."""
        with self._told:
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy, pages=2_000)
            finally:
                copy.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


class _Told:
    """Gives the driver's errors as ours: nothing raw reaches a user."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.IntegrityError):
            raise Taken(str(error)) from error
        if isinstance(error, sqlite3.Error):
            raise _fault(error, self._path) from error


def _fault(error: sqlite3.Error, path: str) -> StoreError:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # what is above says more than is of use
    fault, remedy = _FAULTS.get(code, (StoreFault.UNAVAILABLE, str(error)))
    return StoreError(fault, f"{path}: {remedy}")


def _make_private(path: str) -> None:
    """Make a file that only its owner may read, where there is none: conversations are nobody else's business."""
    if path != ":memory:":
        with suppress(OSError):  # the database says better what is wrong
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


@cache
def _guarded(insert: str, in_turn: bool) -> str:
    """Give an insert that fails where `hold` would: its first value is there only if the turn is.

    An insert from a SELECT would do the same, and keep a copy of each page that it changes.
    """
    held = "fence = ?" if in_turn else "(holder = '' OR held_until <= ? OR held_until > ?)"
    there = f"EXISTS (SELECT 1 FROM sessions WHERE key = ? AND {held})"
    return insert.replace("VALUES (?", f"VALUES (CASE WHEN {there} THEN ? END")


def _identity(path: str) -> tuple[int, int]:
    """Tell one file from another that has its name later. What is in memory has none."""
    try:
        found = os.stat(path) if path != ":memory:" else None
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino) if found is not None else (-1, -1)


@cache
def _stretch() -> float:
    """Give where the time of this start of the machine begins: 0.0 where the system has no name for it."""
    try:
        started = Path("/proc/sys/kernel/random/boot_id").read_text("ascii")
    except OSError:
        return 0.0
    return int(started[:4], 16) * STRETCH_S


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""

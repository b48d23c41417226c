"""SQLite: one file, no server. WAL, so that readers never wait; with `synchronous=FULL` one fsync for each transaction.

A step of an agent is one transaction, so it costs one fsync. `NORMAL` saves it: a crash of the process then loses
nothing, a power cut may lose the newest steps, and neither tears one.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from unabridged.errors import BadSetting, StoreError, StoreFault
from unabridged.store.database import Fenced, Row, Taken
from unabridged.store.migrations import migrate

BUSY_MS = 10_000
"""How long a writer waits for another process's transaction; those of this store take about a millisecond."""
LONGEST_LEASE_S = 3_600.0
SYNCHRONOUS = ("FULL", "NORMAL", "EXTRA")
_FAULTS = (
    ("disk is full", StoreFault.FULL, "the disk is full: free some space, and go on"),
    ("readonly", StoreFault.READ_ONLY, "the file cannot be written: look at its permissions, and those of its folder"),
    ("read-only", StoreFault.READ_ONLY, "the file system is mounted read-only"),
    ("locked", StoreFault.BUSY, "another process holds the file: try again"),
    ("malformed", StoreFault.DAMAGED, "the file is damaged: `unabridged doctor` says where, a backup brings it back"),
    ("not a database", StoreFault.DAMAGED, "the file is no SQLite database, or its first page is damaged"),
    ("disk i/o", StoreFault.UNAVAILABLE, "the disk gave an error"),
    ("unable to open", StoreFault.UNAVAILABLE, "the file cannot be opened: look at its path and its permissions"),
)


class SqliteDatabase:
    """One connection to one file, shared by the threads of a process; `:memory:` is a store of this process alone."""

    name = "sqlite"

    def __init__(self, path: str | Path, *, synchronous: str = "FULL") -> None:
        if synchronous not in SYNCHRONOUS:
            raise BadSetting("synchronous", synchronous, f"give one of {', '.join(SYNCHRONOUS)}")
        self.path = str(path)
        self._lock = threading.RLock()
        with self._told():
            self._connection = sqlite3.connect(
                self.path, isolation_level=None, check_same_thread=False, cached_statements=256
            )
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            self._connection.execute("PRAGMA foreign_keys = ON")
            self._prepare(synchronous)

    def _prepare(self, synchronous: str) -> None:
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute(f"PRAGMA synchronous = {synchronous}")
        if self._version() is not None and not migrate(self.name, self._version() or 0):
            return
        with self.transaction() as writing:  # several processes may start at once: only one finds work here
            for number, script in migrate(self.name, self._version() or 0):
                for statement in _statements(script):
                    writing.run(statement)
                writing.run(f"PRAGMA user_version = {number}")

    def _version(self) -> int | None:
        return int(self._connection.execute("PRAGMA user_version").fetchone()[0]) or None

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give the rows of a query."""
        with self._lock, self._told():
            return self._connection.execute(sql, values).fetchall()

    def each_row(self, sql: str, *values: Any) -> Iterator[Row]:
        """Give the rows of a query one by one."""
        with self._lock, self._told():
            yield from self._connection.execute(sql, values)

    @contextmanager
    def transaction(self) -> Generator[SqliteDatabase]:
        """Begin a transaction that will write: it waits for its turn now, and cannot lose it later."""
        with self._lock, self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def run(self, sql: str, *values: Any) -> int:
        """Run a statement of the transaction; give the number of rows it changed."""
        return self._connection.execute(sql, values).rowcount

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
        """Give seconds since the machine started: whoever sets its clock back lengthens no lease."""
        del within
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    def is_live(self, until: float, now: float) -> bool:
        """Tell whether a lease holds. One that would hold for longer than any is from before the machine started."""
        return now < until <= now + LONGEST_LEASE_S

    def chunks(self, blob: int, size: int) -> Iterator[bytes]:
        """Give the bytes of a row of `blobs`, `size` at a time."""
        with self._lock, self._told():
            opened = self._connection.blobopen("blobs", "data", blob, readonly=True)
        with opened:
            while True:
                with self._lock, self._told():
                    chunk = opened.read(size)
                if not chunk:
                    return
                yield chunk

    def backup(self, target: Path) -> None:
        """Copy the database as it stands while others go on writing."""
        with self._told():
            copy = sqlite3.connect(target)
            try:
                self._connection.backup(copy, pages=2_000)
            finally:
                copy.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _told(self) -> Generator[None]:
        """Give the driver's errors as ours: nothing raw reaches a user."""
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise Taken(str(error)) from error
        except sqlite3.Error as error:
            raise _fault(error, self.path) from error


def _fault(error: sqlite3.Error, path: str) -> StoreError:
    said = str(error).lower()
    for words, fault, remedy in _FAULTS:
        if words in said:
            return StoreError(fault, f"{path}: {remedy}")
    return StoreError(StoreFault.UNAVAILABLE, f"{path}: {error}")


def _statements(script: str) -> Iterator[str]:
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""

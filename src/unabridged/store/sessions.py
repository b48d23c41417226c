"""The store: projects, their sessions, and the turns of each.

store = open_store("sessions.db")                        # or "postgresql://host/database", or ":memory:"
session = store.project("home").create(title="Fix the build")
with session.turn():
    talk = Conversation(model="gpt-5", window=272_000, log=session.log)
    talk.user("Fix the failing test.")
"""

from __future__ import annotations

import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from unabridged.errors import BadInput, BadSetting, NotFound
from unabridged.log import utc_now
from unabridged.store.archive_rows import ArchiveRows
from unabridged.store.columns import FOREVER, NEWEST, archive_lock, ids_of, is_storable, shown_title, storable
from unabridged.store.database import Database, Row, Taken, Transaction
from unabridged.store.leases import LEASE_S, Lease
from unabridged.store.sqlite import SqliteDatabase
from unabridged.store.stored_log import StoredLog
from unabridged.tokens import default_counter

TRIES = 5
"""How often a session is erased that somebody works on at the same moment."""
PAGE = 200
"""Sessions that are listed together where all are asked for."""
_HEADS = (
    "SELECT sessions.id, sessions.title, sessions.created, newest.time, newest.seq + 1, sessions.owner"
    f" FROM sessions LEFT JOIN entries AS newest ON newest.id = {NEWEST}"
)


class Head(msgspec.Struct, frozen=True):
    """A session as a list shows it."""

    id: str
    title: str
    created: str
    updated: str
    entries: int
    owner: str = ""
    """The person that it was created for; "" for nobody in particular."""


class Session:
    """One session, opened. Opening reads where its log ends, not what is in it."""

    def __init__(
        self, database: Database, project: str, key: int, head: tuple[str, str, str], *, ahead: bool = True
    ) -> None:
        self.database = database
        self.key = key
        self.project = project
        self.id, self.title = head[0], head[1]
        self.log = StoredLog(database, project=project, session=(key, self.id), counter=head[2], ahead=ahead)

    @contextmanager
    def turn(self, *, wait_s: float = 30.0, lease_s: float = LEASE_S) -> Generator[Lease]:
        """Run a turn: no other of this session runs meanwhile, on any machine.

        Waits at most `wait_s` seconds for one that runs, in order, and raises `SessionBusy` after that. A worker that
        gives no sign of life for `lease_s` seconds loses its turn, and what it appends later raises `LeaseLost`. The
        log goes on from what is stored now: make the conversation inside the block. A turn within a turn of the same
        session waits for itself in vain: pass the session on instead.
        """
        lease = Lease(self.database, (self.key, self.id), lease_s=lease_s)
        lease.take(wait_s)
        try:
            self.log.reopen(lease.fence)
            with lease.kept_alive():
                yield lease
        finally:
            self.log.fence = None
            lease.give_back()


class Project:
    """The sessions of one project, and of no other: a session of another one is not found.

    With an `owner`, only those that were created for this person: all others are not found either.
    """

    def __init__(self, database: Database, name: str, owner: str | None = None) -> None:
        self.database = database
        self.name = storable("project", name)
        self.owner = storable("owner", owner) if owner is not None else None
        self.scope, self.scoped = ("sessions.project = ?", (self.name,))
        """What every query of sessions is limited to: a condition, and its values."""
        if self.owner is not None:
            self.scope, self.scoped = f"{self.scope} AND sessions.owner = ?", (self.name, self.owner)

    def create(
        self,
        *,
        title: str = "",
        id: str | None = None,
        counter: str | None = None,
        created: str | None = None,
        ahead: bool = True,
    ) -> Session:
        """Begin a session. Raises `BadInput` for an id that the project has already, or that no database takes.

        `counter` names the token counter that all of it is counted with: the default one, if none is given.
        """
        name = storable("session", id) if id is not None else uuid.uuid4().hex
        values = (self.name, name, shown_title(title), created or utc_now(), counter or default_counter().name)
        sql = "INSERT INTO sessions (project, id, title, created, counter, owner) VALUES (?, ?, ?, ?, ?, ?)"
        try:
            with self.database.transaction() as writing:
                writing.run(sql, *values, self.owner or "")
        except Taken:
            raise BadInput(
                f"session {name!r} is already in project {self.name!r}: open it, or give another id"
            ) from None
        return self.open(name, ahead=ahead)

    def open(self, id: str, *, ahead: bool = True) -> Session:
        """Open a session. Raises `NotFound`.

        Not `ahead`, nothing of its log is read yet: for whoever begins a turn next, which reads where the log ends.
        """
        key, title, counter = self._row("key, title, counter", id)
        return Session(self.database, self.name, key, (id, title, counter), ahead=ahead)

    def sessions(self, *, after: str | None = None, limit: int = 50, newest_first: bool = True) -> list[Head]:
        """List sessions by when they began, a page at a time; `after` is the last id of the page before.

        Raises `NotFound` for an `after` that the project does not have.
        """
        if limit < 0:
            raise BadSetting("limit", limit, "give the number of sessions of a page")
        order, beyond = ("DESC", "<") if newest_first else ("ASC", ">")
        values: list[Any] = [*self.scoped]
        where = f" WHERE {self.scope}"
        if after is not None:
            where += f" AND sessions.key {beyond} ?"
            values.append(self._key(after))
        rows = self.database.rows(
            f"{_HEADS}{where} ORDER BY sessions.key {order} LIMIT ?", *values, min(limit, FOREVER)
        )
        return [_head(row) for row in rows]

    def all(self) -> Iterator[Head]:
        """Give every session, the oldest first."""
        after: str | None = None
        while page := self.sessions(after=after, limit=PAGE, newest_first=False):
            yield from page
            after = page[-1].id

    def has(self, id: str) -> bool:
        """Tell whether the project has a session."""
        sql = f"SELECT 1 FROM sessions WHERE {self.scope} AND id = ?"
        return is_storable(id) and bool(self.database.rows(sql, *self.scoped, id))

    def head(self, id: str) -> Head:
        """Give one session as a list shows it. Raises `NotFound`."""
        rows = self.database.rows(f"{_HEADS} WHERE sessions.key = ?", self._key(id))
        if not rows:
            raise NotFound("session", id)
        return _head(rows[0])

    def rename(self, id: str, title: str) -> None:
        """Give a session another title. Raises `NotFound`."""
        key = self._key(id)
        with self.database.transaction() as writing:
            writing.run("UPDATE sessions SET title = ? WHERE key = ?", shown_title(title), key)

    def erase(self, id: str) -> None:
        """Erase a session with all that it has: entries, reports, media, what was found in it. For good.

        The one way in which anything is ever deleted. Raises `NotFound`.
        """
        key = self._key(id)
        for _ in range(TRIES - 1):
            with suppress(Taken):  # a turn of it was begun, or told something, at the same moment
                self._erase(key)
                return
        self._erase(key)

    def _erase(self, key: int) -> None:
        with self.database.transaction() as writing:
            # As an append does: the session first, then the blobs. The other way round they would wait for each other.
            writing.run("UPDATE sessions SET erasing = 1 WHERE key = ?", key)
            writing.lock(f"blobs of {self.name}", shared=False)
            writing.lock(archive_lock(key), shared=False)
            ArchiveRows(self.database, key).clear(writing)
            writing.lock(f"turns of {key}", shared=False)
            writing.run("DELETE FROM frames WHERE turn IN (SELECT key FROM turns WHERE session = ?)", key)
            for table in ("words", "indexed", "queue", "refused", "turns"):
                writing.run(f"DELETE FROM {table} WHERE session = ?", key)
            writing.run("DELETE FROM entries WHERE id >= ? AND id < ?", *ids_of(key))
            _erase_blobs(writing, self.name, key)
            writing.run("DELETE FROM sessions WHERE key = ?", key)

    def _key(self, id: str) -> int:
        return int(self._row("key", id)[0])

    def _row(self, columns: str, id: str) -> Row:
        sql = f"SELECT {columns} FROM sessions WHERE {self.scope} AND id = ?"
        rows = self.database.rows(sql, *self.scoped, id) if is_storable(id) else []
        if not rows:
            raise NotFound("session", id)
        return rows[0]


class Store:
    """Sessions in one database, by project."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def project(self, name: str, *, owner: str | None = None) -> Project:
        """Give a project, or what an owner has of it. It needs no making: it is there as soon as it has a session."""
        return Project(self.database, name, owner)

    def projects(self) -> list[str]:
        """Give the names of all projects that have a session."""
        return [row[0] for row in self.database.rows("SELECT DISTINCT project FROM sessions ORDER BY project")]

    def close(self) -> None:
        """Close the database. What was acknowledged is written."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_store(place: str | Path, *, synchronous: str = "FULL", wait_s: float = 10.0) -> Store:
    """Open a store: a file of SQLite, `:memory:`, or the URL of a PostgreSQL database (extra `postgres`).

    Makes it where there is none, and brings an older one up to date. `synchronous` is SQLite's: `FULL` (default) loses
    nothing in a power cut, `NORMAL` may lose the newest steps. `wait_s` is how many seconds a writer waits for another
    process's transaction on SQLite, and anybody for a connection to PostgreSQL. Raises `StoreError`, and `BadInput` for
    a place that is no store.
    """
    if str(place).startswith(("postgresql://", "postgres://")):
        from unabridged.store.postgres import PostgresDatabase

        return Store(PostgresDatabase(str(place), wait_s=wait_s))
    return Store(SqliteDatabase(place, synchronous=synchronous, wait_s=wait_s))


def _head(row: tuple[Any, ...]) -> Head:
    id, title, created, updated, entries, owner = row
    return Head(id, title, created, updated or created, entries or 0, owner)


def _erase_blobs(writing: Transaction, project: str, key: int) -> None:
    """Erase the blobs that only this session uses."""
    writing.run(
        "DELETE FROM blobs WHERE project = ? AND digest IN (SELECT digest FROM blob_uses WHERE session = ?)"
        " AND NOT EXISTS (SELECT 1 FROM blob_uses JOIN sessions ON sessions.key = blob_uses.session"
        " WHERE blob_uses.digest = blobs.digest AND sessions.project = blobs.project AND blob_uses.session <> ?)",
        project,
        key,
        key,
    )
    writing.run("DELETE FROM blob_uses WHERE session = ?", key)

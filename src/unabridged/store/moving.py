"""Copies sessions from one store into another, rows as they are: SQLite to PostgreSQL, and back.

What was begun and not ended goes on where it stopped. A session is done when its digests were worked out again from
what the other store holds, and are those of this one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, cast

import msgspec

from unabridged.errors import BadInput, StoreError, StoreFault
from unabridged.store.database import Row
from unabridged.store.sessions import Head, Project, Session, Store
from unabridged.store.sqlite import SqliteDatabase

AT_ONCE = 500
"""Rows that are written in one transaction."""
_COLUMNS = (
    "seq, branch, time, kind, name, payload, log_digest, transcript_digest, normal_digest, place, cost, upto,"
    " first_human, last_human, learned"
)
_MARKS = ", ".join("?" * (_COLUMNS.count(",") + 2))


class Moved(msgspec.Struct, frozen=True):
    """One session that lies in both stores now."""

    project: str
    session: str
    entries: int
    copied: int
    """Of these, how many were copied just now."""


def copy(source: Store, target: Store, *, project: str | None = None) -> Iterator[Moved]:
    """Copy every session, or those of one project; nothing is taken away from the source.

    Raises `BadInput` where the target has another session under the same id, and `StoreError` where what it holds is
    not what was copied.
    """
    for name in [project] if project is not None else source.projects():
        origin = source.project(name)
        for head in origin.all():
            yield _copy(origin, target.project(name), head)


def backup(store: Store, path: Path, *, done: Callable[[Moved], None] = lambda _: None) -> None:
    """Copy a whole store into a new file of SQLite while others go on writing. Raises `BadInput` for a file that is."""
    if path.exists():
        raise BadInput(f"{path} is there already: a backup goes into a new file")
    if isinstance(store.database, SqliteDatabase):
        store.database.backup(path)
        return
    with Store(SqliteDatabase(path)) as target:
        for moved in copy(store, target):
            done(moved)


def _copy(origin: Project, target: Project, head: Head) -> Moved:
    session = origin.open(head.id)
    there = _opened(target, session, head)
    start = there.log.next_seq
    if start and there.log.digest_at(start - 1) != session.log.digest_at(start - 1):
        raise BadInput(f"session {head.id!r} is in the target already, and is another: move it into another project")
    _blobs(origin, target, session, there)
    sql = f"SELECT {_COLUMNS} FROM entries WHERE session = ? AND seq >= ? ORDER BY seq"
    rows = origin.database.each_row(sql, session.key, start)
    copied = 0
    while some := list(islice(rows, AT_ONCE)):
        with target.database.transaction() as writing:
            writing.hold(there.key, None)
            insert = f"INSERT INTO entries (session, {_COLUMNS}) VALUES ({_MARKS})"
            writing.run_each(insert, [(there.key, *map(_plain, row)) for row in some])
        copied += len(some)
    _refused(origin, target, session, there)
    there = target.open(head.id)
    if there.log.damaged() or _end(there) != _end(session):
        raise StoreError(StoreFault.DAMAGED, f"session {head.id!r} did not arrive as it was: examine both stores")
    return Moved(origin.name, head.id, there.log.next_seq, copied)


def _opened(target: Project, session: Session, head: Head) -> Session:
    if not target.has(head.id):
        target.create(id=head.id, title=head.title, counter=session.log.counter, created=head.created)
    return target.open(head.id)


def _end(session: Session) -> tuple[int, str]:
    last = session.log.next_seq - 1
    return last, session.log.digest_at(last) if last >= 0 else ""


def _plain(value: Any) -> Any:
    return bytes(cast("memoryview[int]", value)) if isinstance(value, memoryview) else value


def _blobs(origin: Project, target: Project, session: Session, there: Session) -> None:
    for digest in session.log.media:
        if digest not in there.log.media:
            with target.database.transaction() as writing:
                there.log.blobs.write({bytes.fromhex(digest): session.log.media[digest]}, writing)


def _refused(origin: Project, target: Project, session: Session, there: Session) -> None:
    rows: list[Row] = origin.database.rows("SELECT seq, branch, refused_at FROM refused WHERE session = ?", session.key)
    with target.database.transaction() as writing:
        writing.run_each(
            "INSERT INTO refused VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING", [(there.key, *row) for row in rows]
        )

"""Copies sessions from one store into another, rows as they are: SQLite to PostgreSQL, and back.

What was begun and not ended goes on where it stopped. A session is done when its digests were worked out again from
what the other store holds, and are those of this one. Its archive comes along, so that what was found is found there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path

import msgspec

from unabridged.errors import BadInput, SessionBusy, StoreError, StoreFault
from unabridged.store.archive_rows import ArchiveRows, Changed, plain
from unabridged.store.columns import id_of, ids_of
from unabridged.store.database import Fenced, Row, Taken
from unabridged.store.rows import INSERT, KEPT
from unabridged.store.sessions import Head, Project, Session, Store
from unabridged.store.sqlite import SqliteDatabase

AT_ONCE = 500
"""Rows that are written in one transaction."""
TRIES = 5
"""How often a session is copied anew whose archive is written to meanwhile."""


class Moved(msgspec.Struct, frozen=True):
    """One session that lies in both stores now."""

    project: str
    session: str
    entries: int
    copied: int
    """Of these, how many were copied just now."""
    archived: int = 0
    """Messages that the archive of the other store holds of it now."""


def copy(source: Store, target: Store, *, project: str | None = None) -> Iterator[Moved]:
    """Copy every session, or those of one project; nothing is taken away from the source. Raises as `copy_session`."""
    for name in [project] if project is not None else source.projects():
        origin = source.project(name)
        for head in origin.all():
            yield copy_session(origin, target.project(name), head)


def copy_session(origin: Project, target: Project, head: Head) -> Moved:
    """Copy one session, as it stands now; what others append meanwhile, the next copy brings.

    Raises `BadInput` where the target has another session under the same id, `SessionBusy` where somebody is writing to
    it there, and `StoreError` where what the target holds is not what the source holds, or the source is damaged.
    """
    copied = 0
    for _ in range(TRIES):
        moved = _copied(origin, target, head)
        copied += moved.copied
        with suppress(Changed):
            archived = _archive(origin, target, moved)
            return Moved(origin.name, head.id, moved.entries, copied, archived)
    raise StoreError(StoreFault.BUSY, f"the archive of session {head.id!r} is being written: copy it again")


def _copied(origin: Project, target: Project, head: Head) -> Moved:
    session = origin.open(head.id)
    there, end = _opened(target, session, head), session.log.next_seq
    start = there.log.next_seq
    _refuse_another(session, there, min(start, end))
    try:
        _blobs(target, session, there)
        copied = _entries(origin, target, (session.key, there.key), range(start, end))
        _refused(origin, target, (session.key, there.key), end)
    except Fenced:
        raise SessionBusy(head.id, 0) from None
    except Taken:
        raise BadInput(f"session {head.id!r} is written to in the target: wait, and copy it again") from None
    _verify(session, target.open(head.id), end)
    return Moved(origin.name, head.id, end, copied)


def _archive(origin: Project, target: Project, moved: Moved) -> int:
    """Take the archive of a session along, and give how many messages are archived there.

    One that is there already stays where the copy went on by itself, and where this store has none.
    """
    here, there = origin.open(moved.session), target.open(moved.session)
    mine, theirs = ArchiveRows(origin.database, here.key), ArchiveRows(target.database, there.key)
    held = theirs.archived()
    try:
        archived = mine.archived()
        went_on = there.log.next_seq > moved.entries
        if not archived or (held and went_on) or (held == archived and mine.digest() == theirs.digest()):
            return len(held)
        sent = mine.copy_to(theirs, moved.entries)
    except Fenced:
        raise SessionBusy(moved.session, 0) from None
    except StoreError as error:
        if error.fault is not StoreFault.DAMAGED:
            raise
        return len(held)  # it is made from the log, which has arrived: the next fit there makes it again
    if theirs.digest() != sent:
        raise _damaged(moved.session, "its archive did not arrive as it was")
    return len(archived)


def backup(store: Store, path: Path, *, done: Callable[[Moved], None] = lambda _: None) -> None:
    """Copy a whole store into a new file of SQLite while others go on writing; the file is there once it is whole.

    Only its owner may read it. Raises `BadInput` for a file that is there already.
    """
    if path.exists():
        raise BadInput(f"{path} is there already: a backup goes into a new file")
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        os.close(os.open(part, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600))
        if isinstance(store.database, SqliteDatabase):
            store.database.backup(part)
        else:
            with Store(SqliteDatabase(part)) as target:
                for moved in copy(store, target):
                    done(moved)
        part.rename(path)
    finally:
        part.unlink(missing_ok=True)


def _opened(target: Project, session: Session, head: Head) -> Session:
    if not target.has(head.id):
        owned = Project(target.database, target.name, head.owner)
        owned.create(id=head.id, title=head.title, counter=session.log.counter, created=head.created)
    return target.open(head.id)


def _refuse_another(session: Session, there: Session, common: int) -> None:
    """Raise `BadInput` unless what both hold is the same as far as the shorter one goes."""
    same = there.log.counter == session.log.counter
    if common and same:
        same = there.log.digest_at(common - 1) == session.log.digest_at(common - 1)
    if not same:
        raise BadInput(
            f"session {session.id!r} is in the target already, and is another there: move it into another store"
        )


def _entries(origin: Project, target: Project, keys: tuple[int, int], missing: range) -> int:
    sql = f"SELECT {KEPT} FROM entries WHERE id >= ? AND id < ? ORDER BY id"
    rows = origin.database.each_row(sql, *ids_of(keys[0], missing.start, missing.stop))
    copied = 0
    while some := list(islice(rows, AT_ONCE)):
        with target.database.transaction() as writing:
            writing.hold(keys[1], None)
            writing.run_each(INSERT, [(keys[1], id_of(keys[1], row[0]), *map(plain, row)) for row in some])
        copied += len(some)
    return copied


def _blobs(target: Project, session: Session, there: Session) -> None:
    for digest in session.log.media:
        if digest in there.log.media:
            continue
        try:
            data = session.log.media[digest]
        except KeyError:
            raise _damaged(session.id, f"the bytes {digest} are missing") from None
        if sha256(data).hexdigest() != digest:
            raise _damaged(session.id, f"the bytes {digest} are not what was written")
        with target.database.transaction() as writing:
            there.log.blobs.write({bytes.fromhex(digest): data}, writing)


def _refused(origin: Project, target: Project, keys: tuple[int, int], end: int) -> None:
    sql = "SELECT seq, branch, refused_at FROM refused WHERE session = ? AND refused_at < ?"
    rows: list[Row] = origin.database.rows(sql, keys[0], end)
    with target.database.transaction() as writing:
        insert = "INSERT INTO refused VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
        writing.run_each(insert, [(keys[1], *row) for row in rows])


def _verify(session: Session, there: Session, end: int) -> None:
    """Work the digests out again from what arrived, bytes beside the log included."""
    wrong = there.log.damaged()
    if wrong:
        raise _damaged(session.id, f"entry {wrong[0]} is not what was written")
    if end and there.log.digest_at(end - 1) != session.log.digest_at(end - 1):
        raise _damaged(session.id, "it did not arrive as it was")
    for digest in there.log.media:
        if there.log.blobs.actual(digest) != digest:
            raise _damaged(session.id, f"the bytes {digest} did not arrive as they were")


def _damaged(session: str, why: str) -> StoreError:
    return StoreError(StoreFault.DAMAGED, f"session {session!r} is damaged ({why}): examine both stores")

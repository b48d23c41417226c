"""The archive of a session as rows: what a copy of the session takes along, as they are, under other numbers.

Vectors are not taken along: `Archive.catch_up` makes those of the embedder that is used there.

A segment is never changed: where the same ones are there before and after they are read, they are from one moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from typing import Any, Protocol, cast

from unabridged.store.columns import archive_lock, cells_of
from unabridged.store.database import Database, Row, Transaction

AT_ONCE = 500
"""Rows that are written together."""
_NUMBERS = "SELECT number, last FROM archive_segments WHERE session = ? ORDER BY number"
_ARCHIVED = "SELECT seq FROM archived WHERE session = ? ORDER BY seq"
_KEPT = "branch, first, last, chunks, own, near, places"
_SEGMENT = f"SELECT {_KEPT} FROM archive_segments WHERE number = ?"
_INSERT = f"INSERT INTO archive_segments (session, {_KEPT}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number"
_CELLS = "SELECT cell, postings FROM archive_postings WHERE cell >= ? AND cell < ? ORDER BY cell"


class Hash(Protocol):
    """What a digest is made by."""

    def update(self, data: bytes, /) -> None:
        """Take in more."""
        ...


class Changed(Exception):
    """The archive was written to while it was read, or holds what the copy of the log does not: copy once more."""


class ArchiveRows:
    """The archive of one session."""

    def __init__(self, database: Database, session: int) -> None:
        self._database = database
        self._session = session

    def archived(self) -> list[int]:
        """Give the positions of all entries that are archived, in order."""
        return [seq for (seq,) in self._database.rows(_ARCHIVED, self._session)]

    def digest(self) -> str:
        """Give a digest of all that it holds, the numbers of segments aside."""
        told = sha256()
        for number, _ in self._database.rows(_NUMBERS, self._session):
            for row in self._rows(number):
                _tell(told, row)
        _tell(told, self.archived())
        return told.hexdigest()

    def clear(self, writing: Transaction) -> None:
        """Take all of it away: it is made from the log, and can be made again."""
        for (number,) in writing.rows("SELECT number FROM archive_segments WHERE session = ?", self._session):
            writing.run("DELETE FROM archive_postings WHERE cell >= ? AND cell < ?", *cells_of(number))
        for table in ("archive_vectors", "archive_segments", "archived"):
            writing.run(f"DELETE FROM {table} WHERE session = ?", self._session)

    def copy_to(self, other: ArchiveRows, end: int) -> str:
        """Put all of it in the place of what the other one holds, in one transaction; give the digest of what was sent.

        Raises `Changed`, with nothing written, where it speaks of entries from `end` on, or was written to meanwhile.
        """
        numbers, archived = self._database.rows(_NUMBERS, self._session), self.archived()
        if any(seq >= end for seq in (*archived[-1:], *(last for _, last in numbers))):
            raise Changed
        told = sha256()
        with other._database.transaction() as writing:
            writing.hold(other._session, None)
            writing.lock(archive_lock(other._session), shared=False)
            other.clear(writing)
            for number, _ in numbers:
                other._take(_telling(told, self._rows(number)), writing)
            sql = "INSERT INTO archived (session, seq) VALUES (?, ?)"
            for start in range(0, len(archived), AT_ONCE):
                writing.run_each(sql, [(other._session, seq) for seq in archived[start : start + AT_ONCE]])
            if self._database.rows(_NUMBERS, self._session) != numbers:
                raise Changed
        _tell(told, archived)
        return told.hexdigest()

    def _rows(self, number: int) -> Iterator[Row]:
        """Give what is kept of a segment, then its cells, counted from 0."""
        segment = self._database.rows(_SEGMENT, number)
        if not segment:
            raise Changed
        yield tuple(map(plain, segment[0]))
        first, end = cells_of(number)
        for cell, postings in self._database.each_row(_CELLS, first, end):
            yield cell - first, plain(postings)

    def _take(self, rows: Iterator[Row], writing: Transaction) -> None:
        number = writing.rows(_INSERT, self._session, *next(rows))[0][0]
        first, _ = cells_of(number)
        while some := list(islice(rows, AT_ONCE)):
            sql = "INSERT INTO archive_postings (cell, postings) VALUES (?, ?)"
            writing.run_each(sql, [(first + cell, postings) for cell, postings in some])


def plain(value: Any) -> Any:
    """Give a value of a row as another database takes it."""
    return bytes(cast("memoryview[int]", value)) if isinstance(value, memoryview) else value


def _tell(told: Hash, values: Iterable[Any]) -> None:
    for value in values:
        data = value if isinstance(value, bytes) else str(value).encode()
        told.update(b"%d:%b" % (len(data), data))


def _telling(told: Hash, rows: Iterator[Row]) -> Iterator[Row]:
    for row in rows:
        _tell(told, row)
        yield row

"""The entries of a session as they are stored: read one by one, by pages, or without what they say."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from unabridged.entry import BranchEntry, Entry
from unabridged.errors import NotFound, StoreError, StoreFault
from unabridged.log import linked
from unabridged.store.columns import SEQS, id_of, ids_of
from unabridged.store.database import Database, Row
from unabridged.store.rows import COLUMNS, Filled, entry_of

PAGE = 200
"""Entries that are read together where all are read."""


class StoredEntries:
    """Reads the entries of one session."""

    def __init__(self, database: Database, session: int, fill: Filled) -> None:
        self._database = database
        self._session = session
        self._filled = fill

    def __len__(self) -> int:
        some = "SELECT count(*) FROM entries WHERE session = ? AND place IS"  # in the indexes that such rows have
        rows = self._database.rows(f"SELECT ({some} NULL) + ({some} NOT NULL)", self._session, self._session)
        return int(rows[0][0])

    def end(self) -> tuple[int, str]:
        """Give the position of the newest entry and its digest; -1 and nothing where there is none."""
        sql = "SELECT seq, log_digest FROM entries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 1"
        rows = self._database.rows(sql, *ids_of(self._session))
        return (rows[0][0], bytes(rows[0][1]).hex()) if rows else (-1, "")

    def branches(self) -> Iterator[BranchEntry]:
        """Give what opened each branch, oldest first."""
        sql = f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = 'branch' AND place IS NULL ORDER BY +seq"
        for row in self._database.rows(sql, self._session):
            payload = entry_of(row, self._filled).payload
            if isinstance(payload, BranchEntry):
                yield payload

    def each(self, seq: int) -> Iterator[Entry]:
        """Give entries from `seq` on, one by one."""
        for row in self._rows(seq):
            yield entry_of(row, self._filled)

    def entry(self, seq: int) -> Entry:
        """Give one entry. Raises `NotFound`."""
        rows = self._database.rows(f"SELECT {COLUMNS} FROM entries WHERE id = ?", id_of(self._session, seq))
        if not rows:
            raise NotFound("entry", str(seq))
        return entry_of(rows[0], self._filled)

    def seqs(self) -> Iterator[int]:
        """Give the positions of all entries, without reading them."""
        some = "SELECT id FROM entries WHERE session = ? AND place IS"  # an index has them, also of a damaged table
        both = f"{some} NULL UNION ALL {some} NOT NULL ORDER BY id"
        for (id,) in self._database.each_row(both, self._session, self._session):
            yield id % SEQS

    def digest_at(self, seq: int) -> str:
        """Give the stored digest of an entry, as it is. Raises `NotFound`."""
        rows = self._database.rows("SELECT log_digest FROM entries WHERE id = ?", id_of(self._session, seq))
        if not rows:
            raise NotFound("entry", str(seq))
        return bytes(rows[0][0]).hex()

    def damaged(self) -> tuple[int, ...]:
        """Give the seq of every entry that is not what was written: its digest does not follow from what it holds."""
        wrong: list[int] = []
        previous = ""
        for row in self._rows(0):
            seq, digest = int(row[0]), bytes(row[4]).hex()
            try:
                entry_of(row, self._filled)
                made = linked(previous, sha256(self._filled(bytes(row[3]))).digest())
            except StoreError as error:
                if error.fault is not StoreFault.DAMAGED:
                    raise
                made = ""
            wrong += [seq] if made != digest else []
            previous = digest
        return tuple(wrong)

    def _rows(self, seq: int) -> Iterator[Row]:
        """Give the rows of entries by pages: who reads slowly keeps nobody waiting."""
        sql = f"SELECT {COLUMNS} FROM entries WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        page = [(seq - 1,)]
        while page:
            yield from (page := self._database.rows(sql, *ids_of(self._session, page[-1][0] + 1), PAGE))

"""Segments in the database that holds the session: one backup, one erasure, one place to look after."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import overload
from zlib import crc32

import msgspec

from unabridged.archive.chunks import Place
from unabridged.archive.ranking import Lengths
from unabridged.archive.segment import Segment, merged, packed, unpacked
from unabridged.archive.shelf import Head, Read, head_of, to_merge
from unabridged.archive.stored_vectors import StoredVectors, move
from unabridged.archive.vectors import Moved
from unabridged.store.columns import ARCHIVE_CELLS, archive_lock, cells_of, column, text_in
from unabridged.store.database import Database, Row, Transaction

AT_ONCE = 500
"""Values of one statement."""
_HEADS = "SELECT number, branch, first, last, chunks, own, near FROM archive_segments WHERE session = ? ORDER BY number"
_ARCHIVED = "INSERT INTO archived (session, seq) VALUES (?, ?) ON CONFLICT DO NOTHING"
_CELLS = "cell >= ? AND cell < ?"
_POSTINGS: msgspec.msgpack.Decoder[dict[str, bytes]] = msgspec.msgpack.Decoder(dict[str, bytes])
_RAW: msgspec.msgpack.Decoder[list[msgspec.Raw]] = msgspec.msgpack.Decoder(list[msgspec.Raw])
_PLACE: msgspec.msgpack.Decoder[Place] = msgspec.msgpack.Decoder(Place)


class StoredShelf:
    """Keeps the segments of one stored session, by its key."""

    def __init__(self, database: Database, session: int) -> None:
        self.vectors = StoredVectors(database, session)
        self._database = database
        self._session = session

    def known(self, seqs: Sequence[int]) -> set[int]:
        """Give which of these entries are archived already."""
        found = set[int]()
        for start in range(0, len(seqs), AT_ONCE):
            some = seqs[start : start + AT_ONCE]
            sql = f"SELECT seq FROM archived WHERE session = ? AND seq IN ({_marks(len(some))})"
            found.update(row[0] for row in self._database.rows(sql, self._session, *some))
        return found

    def heads(self, limits: Mapping[str, float]) -> Mapping[int, Head]:
        """Give the segments of some branches."""
        sql = "SELECT number, branch, first, last, chunks FROM archive_segments WHERE session = ? ORDER BY number"
        heads = map(_head, self._database.rows(sql, self._session))
        return {head.number: head for head in heads if head.first <= limits.get(head.branch, -1)}

    def read(self, terms: Sequence[str], limits: Mapping[str, float]) -> Read:
        """Give what there is of some terms. Raises `Moved` where it was written meanwhile."""
        rows = self._database.rows(_HEADS, self._session)
        wanted = [row for row in rows if row[2] <= limits.get(text_in(row[1]), -1)]
        heads = {row[0]: _head(row) for row in wanted}
        postings = self._postings(terms, heads.values())
        sql = "SELECT count(*), max(number) FROM archive_segments WHERE session = ?"
        if self._database.rows(sql, self._session) != [(len(rows), rows[-1][0] if rows else None)]:
            raise Moved
        lengths = {row[0]: Lengths(unpacked("H", bytes(row[5])), unpacked("H", bytes(row[6]))) for row in wanted}
        return Read(heads, lengths, postings)

    def _postings(self, terms: Sequence[str], heads: Iterable[Head]) -> list[dict[int, array[int]]]:
        wanted: dict[int, list[int]] = {}
        for head in heads:
            for place, term in enumerate(terms):
                wanted.setdefault(cell_of(head.number, head.count, term), []).append(place)
        found: list[dict[int, array[int]]] = [{} for _ in terms]
        cells = sorted(wanted)
        for start in range(0, len(cells), AT_ONCE):
            some = cells[start : start + AT_ONCE]
            sql = f"SELECT cell, postings FROM archive_postings WHERE cell IN ({_marks(len(some))})"
            for cell, stored in self._database.rows(sql, *some):
                postings = _POSTINGS.decode(bytes(stored))
                for place in wanted[cell]:
                    if terms[place] in postings:
                        found[place][cell // ARCHIVE_CELLS] = unpacked("I", postings[terms[place]])
        return found

    def places(self, number: int) -> Sequence[Place]:
        """Give where the chunks of a segment come from. Raises `Moved`."""
        sql = "SELECT places FROM archive_segments WHERE session = ? AND number = ?"
        rows = self._database.rows(sql, self._session, number)
        if not rows:
            raise Moved
        return _Places(bytes(rows[0][0]))

    def put(self, segment: Segment) -> int:
        """Keep a segment, and give how many entries of it are new."""
        seqs = sorted({place.seq for place in segment.places})
        with self._database.transaction() as writing:
            writing.lock(archive_lock(self._session), shared=False)
            before = self._counted(writing)
            writing.run_each(_ARCHIVED, [(self._session, seq) for seq in seqs])
            new = self._counted(writing) - before
            if new:
                self._write(segment, writing)
                while old := to_merge([_head(row) for row in writing.rows(_HEADS, self._session)]):
                    self._merge(old, writing)
        return new

    def pass_over(self, seqs: Sequence[int]) -> None:
        """Take these entries as archived."""
        with self._database.transaction() as writing:
            writing.run_each(_ARCHIVED, [(self._session, seq) for seq in seqs])

    def _counted(self, writing: Transaction) -> int:
        return int(writing.rows("SELECT count(*) FROM archived WHERE session = ?", self._session)[0][0])

    def _write(self, segment: Segment, writing: Transaction) -> int:
        """Write a segment and give its number."""
        head = head_of(0, segment)
        sql = (
            "INSERT INTO archive_segments (session, branch, first, last, chunks, own, near, places)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING number"
        )
        values = (column(segment.branch), head.first, head.last, head.count, packed(segment.own), packed(segment.near))
        places = msgspec.msgpack.encode([_written(place) for place in segment.places])
        number = int(writing.rows(sql, self._session, *values, places)[0][0])
        cells: dict[int, dict[str, bytes]] = {}
        for term, postings in segment.postings.items():
            cells.setdefault(cell_of(number, head.count, term), {})[term] = packed(postings)
        rows = [(cell, msgspec.msgpack.encode(cells[cell])) for cell in sorted(cells)]
        writing.run_each("INSERT INTO archive_postings (cell, postings) VALUES (?, ?)", rows)
        return number

    def _merge(self, numbers: Sequence[int], writing: Transaction) -> None:
        parts = [self._segment(number, writing) for number in numbers]
        starts = accumulate((len(part.places) for part in parts), initial=0)
        for number in numbers:
            writing.run(f"DELETE FROM archive_postings WHERE {_CELLS}", *cells_of(number))
            writing.run("DELETE FROM archive_segments WHERE number = ?", number)
        into = self._write(merged(parts), writing)
        move(self._session, dict(zip(numbers, starts, strict=False)), into, writing)

    def _segment(self, number: int, writing: Transaction) -> Segment:
        sql = "SELECT branch, own, near, places FROM archive_segments WHERE number = ?"
        ((branch, own, near, places),) = writing.rows(sql, number)
        rows = writing.rows(f"SELECT postings FROM archive_postings WHERE {_CELLS} ORDER BY cell", *cells_of(number))
        return Segment(
            branch=text_in(branch),
            places=tuple(_Places(bytes(places))),
            own=unpacked("H", bytes(own)),
            near=unpacked("H", bytes(near)),
            postings={
                term: unpacked("I", postings)
                for (stored,) in rows
                for term, postings in _POSTINGS.decode(bytes(stored)).items()
            },
        )


def cell_of(number: int, chunks: int, term: str) -> int:
    """Give the row that holds a term of a segment: terms are spread over as many rows as it has chunks."""
    return cells_of(number)[0] + crc32(term.encode()) % min(chunks, ARCHIVE_CELLS)


def _head(row: Row) -> Head:
    number, branch, first, last, count, *_ = row
    return Head(number, text_in(branch), first, last, count)


def _written(place: Place) -> Place:
    """Write the texts of a place as any database takes them."""
    message, time, tool = column(place.message), column(place.time), column(place.tool)
    return msgspec.structs.replace(place, message=message, time=time, tool=tool)


class _Places(Sequence[Place]):
    """Places as they are stored: a search needs a few of thousands."""

    def __init__(self, stored: bytes) -> None:
        self._stored = _RAW.decode(stored)

    def __len__(self) -> int:
        return len(self._stored)

    @overload
    def __getitem__(self, at: int) -> Place: ...

    @overload
    def __getitem__(self, at: slice) -> list[Place]: ...

    def __getitem__(self, at: int | slice) -> Place | list[Place]:
        if isinstance(at, slice):
            return [_place(each) for each in self._stored[at]]
        return _place(self._stored[at])


def _place(stored: msgspec.Raw) -> Place:
    place = _PLACE.decode(stored)
    if b"\\" not in bytes(stored):
        return place
    message, time, tool = text_in(place.message), text_in(place.time), text_in(place.tool)
    return msgspec.structs.replace(place, message=message, time=time, tool=tool)


def _marks(count: int) -> str:
    return ", ".join("?" * count)

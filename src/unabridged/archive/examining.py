"""Looks whether the archive of a session is whole, and agrees with its log: reads everything, changes nothing."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import msgspec

from unabridged.archive.chunks import Place, chunks_of, tools_of
from unabridged.archive.segment import unpacked
from unabridged.archive.stored_shelf import cell_of
from unabridged.errors import StoreError, StoreFault, UnabridgedError
from unabridged.store.archive_rows import ArchiveRows, plain
from unabridged.store.columns import ARCHIVE_CELLS, cells_of, id_of, name_column, text_in
from unabridged.store.database import Database, Row
from unabridged.store.doctor import Damage, Finding
from unabridged.store.sessions import Project, Session, Store
from unabridged.transcript import Transcript

AT_ONCE = 500
"""Values of one statement."""
SHOWN = 5
"""Findings of one kind in one segment that are told; of more, how many."""
_PLACES: msgspec.msgpack.Decoder[list[Place]] = msgspec.msgpack.Decoder(list[Place])
_POSTINGS: msgspec.msgpack.Decoder[dict[str, bytes]] = msgspec.msgpack.Decoder(dict[str, bytes])
_FULL = 0xFF
"""A count in a posting goes no further."""
_LONG = 0xFFFF
_LEFT = {
    "archive_postings": "SELECT DISTINCT cell / {cells} FROM archive_postings WHERE cell / {cells} NOT IN"
    " (SELECT number FROM archive_segments) ORDER BY 1",
    "archive_segments": "SELECT number FROM archive_segments WHERE session NOT IN (SELECT key FROM sessions)",
    "archived": "SELECT DISTINCT session FROM archived WHERE session NOT IN (SELECT key FROM sessions)",
}
_GONE = {
    "archive_postings": "words of segment {number}, which is gone",
    "archive_segments": "segment {number} of a session that is gone",
    "archived": "what is archived of session {number}, which is gone",
}


def examine_archive(project: Project, id: str) -> tuple[Finding, ...]:
    """Examine the archive of one session. Nothing is found where it has none, or is gone by now."""
    if not project.has(id):
        return ()
    examined = _Examined(project.open(id))
    try:
        examined.all()
    except StoreError as error:
        if error.fault is not StoreFault.DAMAGED:
            raise
        examined.tell(str(error))
    return tuple(Finding(Damage.ARCHIVE, project.name, id, seq, detail) for seq, detail in examined.found)


def examine_left_over(store: Store) -> tuple[Finding, ...]:
    """Find what segments and sessions that are gone left in the archive's tables, whosever it was."""
    found: list[Finding] = []
    for table, sql in _LEFT.items():
        for (number,) in store.database.rows(sql.format(cells=ARCHIVE_CELLS)):
            found.append(Finding(Damage.ARCHIVE_LEFT, detail=_GONE[table].format(number=number)))
    return tuple(found)


class _Examined:
    """The archive of one session while it is gone through, a segment at a time."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._database: Database = session.database
        self._archived: set[int] = set()
        self._held: set[int] = set()
        """Entries that segments hold."""
        self.found: list[tuple[int | None, str]] = []

    def all(self) -> None:
        """Go through the segments, then through what is said to be archived."""
        self._archived = set(ArchiveRows(self._database, self._session.key).archived())
        sql = (
            "SELECT number, branch, first, last, chunks, own, near, places FROM archive_segments WHERE session = ?"
            " AND number > ? ORDER BY number LIMIT 1"
        )
        at = -1
        while rows := self._database.rows(sql, self._session.key, at):
            at = rows[0][0]
            self._examine_segment(rows[0])
        self._examine_archived()

    def tell(self, detail: str, seq: int | None = None) -> None:
        """Take in that something is wrong."""
        self.found.append((seq, detail))

    def _examine_segment(self, row: Row) -> None:
        number, branch, first, last, chunks, *stored = row
        try:
            own, near = (unpacked("H", plain(each)) for each in stored[:2])
            places = _PLACES.decode(plain(stored[2]))
        except (ValueError, TypeError, msgspec.DecodeError) as error:
            self.tell(f"segment {number} cannot be read: {error}")
            return
        if not len(own) == len(near) == len(places) == chunks:
            sizes = f"{len(places):,} places, {len(own):,} and {len(near):,} lengths"
            self.tell(f"segment {number} does not agree with itself: {chunks:,} chunks, {sizes}")
            return
        seqs = [place.seq for place in places]
        if not seqs or (min(seqs), max(seqs)) != (first, last):
            self.tell(f"segment {number} holds other entries than those from {first:,} to {last:,}")
        self._held.update(seqs)
        self._told(self._cells(number, own, near))
        self._told(self._places(number, text_in(branch), places))

    def _told(self, wrong: Iterator[tuple[int | None, str]]) -> None:
        """Take in what is wrong, of much of it the beginning and how much there is."""
        all_of_it = list(wrong)
        self.found += all_of_it[:SHOWN]
        if len(all_of_it) > SHOWN:
            self.tell(f"{len(all_of_it) - SHOWN:,} more like the last one")

    def _cells(self, number: int, own: array[int], near: array[int]) -> Iterator[tuple[int | None, str]]:
        """Go through the words of a segment: each belongs where it is, and together they are as long as is said."""
        counted = _Counted(len(own))
        sql = "SELECT cell, postings FROM archive_postings WHERE cell >= ? AND cell < ? ORDER BY cell"
        for cell, stored in self._database.each_row(sql, *cells_of(number)):
            try:
                postings = {term: unpacked("I", each) for term, each in _POSTINGS.decode(plain(stored)).items()}
            except (ValueError, TypeError, msgspec.DecodeError) as error:
                yield None, f"words of segment {number} cannot be read: {error}"
                return
            for term, found in postings.items():
                if cell_of(number, len(own), term) != cell:
                    yield None, f"a word of segment {number} lies where nobody looks for it"
                if not counted.add(found):
                    yield None, f"a word of segment {number} points beyond its {len(own):,} chunks"
        wrong = counted.wrong(own, near)
        if wrong:
            yield None, f"words of segment {number} are missing or are others: {wrong:,} of {len(own):,} chunks"

    def _places(self, number: int, branch: str, places: Sequence[Place]) -> Iterator[tuple[int | None, str]]:
        log = self._session.log
        if branch not in log.branches:
            yield None, f"segment {number} is of branch {branch!r}, which the log does not have"
            return
        named = {place.seq: text_in(place.message) for place in places}
        known = self._entries(sorted(named))
        for seq, message in sorted(named.items()):
            entry = known.get(seq)
            if entry is None or entry[2] is None:
                yield seq, f"segment {number} holds it, and the log has no such message"
            elif (text_in(entry[1]), entry[3]) != (branch, name_column(message)):
                yield seq, f"segment {number} holds it as message {message!r} of branch {branch!r}: it is another"
            elif seq not in self._archived:
                yield seq, f"segment {number} holds it, and it does not count as archived"

    def _entries(self, seqs: Sequence[int]) -> dict[int, Row]:
        """Give position, branch, place and name of those of these entries that the log has."""
        found: dict[int, Row] = {}
        for start in range(0, len(seqs), AT_ONCE):
            some = [id_of(self._session.key, seq) for seq in seqs[start : start + AT_ONCE]]
            sql = f"SELECT seq, branch, place, name FROM entries WHERE id IN ({', '.join('?' * len(some))})"
            found |= {row[0]: row for row in self._database.rows(sql, *some)}
        return found

    def _examine_archived(self) -> None:
        self._told(self._missing())

    def _missing(self) -> Iterator[tuple[int | None, str]]:
        """Find what counts as archived, is in no segment, and says something: no fit would archive it again."""
        rest = sorted(self._archived - self._held)
        known = self._entries(rest)
        transcripts: dict[str, Transcript] = {}
        for seq in rest:
            row = known.get(seq)
            if row is None or row[2] is None:
                yield seq, "it counts as archived, and the log has no such message"
                continue
            branch = text_in(row[1])
            if branch not in transcripts:
                transcripts[branch] = Transcript(self._session.log, branch=branch)
            if _says_something(transcripts[branch], row[2], seq):
                yield seq, "it counts as archived, and no segment holds it"


def _says_something(transcript: Transcript, place: int, seq: int) -> bool:
    try:
        records = transcript.records
        if not 0 <= place < len(records) or records[place].seq != seq:
            return False  # refused since
        chunks = chunks_of(records[place].message, seq, tools_of(records, place))
        return next(chunks, None) is not None
    except (UnabridgedError, ValueError):
        return False  # that it cannot be read is told with the entry


class _Counted:
    """How many terms of each chunk the postings of a segment name."""

    def __init__(self, chunks: int) -> None:
        self._own, self._near = [0] * chunks, [0] * chunks
        self._cut = [False] * chunks
        """Whether a count is larger than a posting can say."""

    def add(self, postings: array[int]) -> bool:
        """Take in the postings of a term; False where one of them points to no chunk."""
        for posting in postings:
            chunk, inside, around = posting >> 16, posting >> 8 & _FULL, posting & _FULL
            if chunk >= len(self._own):
                return False
            self._own[chunk] += inside
            self._near[chunk] += around
            self._cut[chunk] |= around == _FULL
        return True

    def wrong(self, own: array[int], near: array[int]) -> int:
        """Give of how many chunks the lengths are others."""
        return sum(
            min(mine, _LONG) > said if cut else min(mine, _LONG) != said
            for counted, lengths in ((self._own, own), (self._near, near))
            for mine, said, cut in zip(counted, lengths, self._cut, strict=True)
        )

"""One branch of a stored log, as queries: the parts of its ancestry, each up to where it counts.

An index over all messages would cost every append. One over some of them, the anchors, does not: no message lies
`REACH` entries or more behind an anchor of its branch, and places count up one by one from there to the next anchor.

`+id` says to a database's planner that this bound is no way to find the rows: by the key of the table it would read a
whole session in order to give its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from unabridged.checkpoint import Checkpoint
from unabridged.entry import CheckpointEntry, FrameEntry, MessageEntry, ReportEntry, UndoEntry
from unabridged.errors import StoreError, StoreFault
from unabridged.learned import Learned
from unabridged.report import Report
from unabridged.store.columns import FOREVER, column, id_of, ids_of, name_column, name_in
from unabridged.store.database import Database, Row
from unabridged.store.rows import (
    COLUMNS,
    DONE,
    REACH,
    RECORD,
    Filled,
    Tip,
    cost_from,
    entry_of,
    learned_from,
    record_of,
)
from unabridged.transcript import Record

REPORTS = 64
"""The newest reports of full fits. A back-off is the same behind any run of them that holds three failures."""
PAGE = 16
"""Checkpoints, or anchors, that are read together."""
_ANCHORS = "session = ? AND branch = ? AND anchor IS NOT NULL"


class Branch:
    """Reads one branch. What was refused on it, or on the part of an ancestor that counts, is not there."""

    def __init__(
        self, database: Database, session: int, parts: Sequence[tuple[str, int]], refused: frozenset[int], fill: Filled
    ) -> None:
        self._database = database
        self._session = session
        self._parts = parts
        self._refused = refused
        self._filled = fill

    def tip(self) -> Tip:
        """Give the end of the branch."""
        learned = self._learned()
        for branch, last in reversed(self._parts):
            sql = (
                "SELECT seq, place, transcript_digest, normal_digest, upto, first_human, last_human FROM entries"
                " WHERE id >= ? AND id < ? AND branch = ? AND place IS NOT NULL ORDER BY id DESC LIMIT ?"
            )
            for first, end in self._newest_runs(branch, last):
                for row in self._database.rows(sql, first, end, branch, len(self._refused) + 1):
                    if row[0] not in self._refused:
                        return _tip(row, learned)
        return Tip(learned=learned)

    def _newest_runs(self, branch: str, last: int) -> Iterator[tuple[int, int]]:
        """Give where the messages behind each anchor lie, as ids, the newest first."""
        sql = f"SELECT id FROM entries WHERE {_ANCHORS} AND id < ? ORDER BY id DESC LIMIT ?"
        _, end = ids_of(self._session, 0, last + 1)
        while anchors := self._database.rows(sql, self._session, branch, end, PAGE):
            for (first,) in anchors:
                yield first, min(first + REACH, end)
                end = first

    def _learned(self) -> Learned:
        newest: Row | None = None
        sql = (
            "SELECT seq, learned FROM entries WHERE session = ? AND branch = ? AND learned IS NOT NULL AND seq <= ?"
            " ORDER BY seq DESC LIMIT 1"
        )
        for branch, last in self._parts:
            for row in self._database.rows(sql, self._session, branch, last):
                newest = row if newest is None or row[0] > newest[0] else newest
        return learned_from(newest[1]) if newest is not None else Learned()

    def records(self, start: int, stop: int) -> list[Record]:
        """Give the records from a place up to another."""
        found: dict[int, Row] = {}
        anchored = f"SELECT id FROM entries WHERE {_ANCHORS} AND place > ? AND place < ? AND +id < ?"
        sql = f"SELECT {RECORD} FROM entries WHERE id >= ? AND id < ? AND branch = ? AND place >= ? AND place < ?"
        for branch, last in self._parts:
            _, end = ids_of(self._session, 0, last + 1)
            anchors = self._database.rows(anchored, self._session, branch, start - REACH, stop, end)
            for run in _runs(anchors, end):
                for row in self._database.rows(sql, *run, branch, start, stop):
                    if row[0] not in self._refused:
                        found[row[1]] = row
        missing = [place for place in range(start, stop) if place not in found]
        if missing:
            raise StoreError(
                StoreFault.DAMAGED,
                f"message {missing[0]} of this branch is missing: `unabridged doctor` says what else is",
            )
        return [record_of(found[place], self._filled) for place in range(start, stop)]

    def place_of(self, id: str) -> int | None:
        """Give the place of a message; for an id that came twice, the last."""
        return max((row[1] for row in self._named(id)), default=None)

    def seq_of(self, id: str) -> int | None:
        """Give the seq of a message."""
        return max((row[0] for row in self._named(id)), default=None)

    def digest_of(self, id: str) -> str | None:
        """Give where the transcript's chain stands at a message."""
        newest = max(self._named(id), default=None)
        return None if newest is None else bytes(newest[2]).hex()

    def _named(self, id: str) -> list[Row]:
        sql = (
            "SELECT seq, place, transcript_digest, branch FROM entries"
            " WHERE session = ? AND name = ? AND place IS NOT NULL"
        )
        limits = dict(self._parts)
        rows = self._database.rows(sql, self._session, name_column(id))
        return [row for row in rows if row[0] <= limits.get(row[3], -1) and row[0] not in self._refused]

    def ids(self) -> Iterator[str]:
        """Give the ids of all messages, in order."""
        anchored = f"SELECT id FROM entries WHERE {_ANCHORS} AND id < ?"
        sql = "SELECT seq, name FROM entries WHERE id >= ? AND id < ? AND branch = ? AND place IS NOT NULL ORDER BY id"
        for branch, last in self._parts:
            _, end = ids_of(self._session, 0, last + 1)
            for run in _runs(self._database.rows(anchored, self._session, branch, end), end):
                for seq, name in self._database.rows(sql, *run, branch):
                    if seq not in self._refused:
                        known = name_in(name)
                        yield known if known is not None else self._id_of(seq)

    def _id_of(self, seq: int) -> str:
        """Give the id of a message, of which only the digest is in its column."""
        sql = f"SELECT {COLUMNS} FROM entries WHERE id = ?"
        payload = entry_of(self._database.rows(sql, id_of(self._session, seq))[0], self._filled).payload
        return payload.message.id if isinstance(payload, MessageEntry) else ""

    def checkpoints(self) -> list[Checkpoint]:
        """Give the checkpoints from the newest full one that counts here on, oldest first; what is undone is not."""
        undone = self._undone()
        found: list[Checkpoint] = []
        before = FOREVER
        while True:
            page = [row for row in self._newest("checkpoint", PAGE, before=before) if row[0] > undone]
            for row in page:
                payload = entry_of(row, self._filled).payload
                if not isinstance(payload, CheckpointEntry):
                    continue
                found.append(payload.checkpoint)  # pages come newest first
                if not payload.checkpoint.step and self.digest_of(payload.checkpoint.reaches) == (
                    payload.checkpoint.digest
                ):
                    return found[::-1]
            if len(page) < PAGE:
                return found[::-1]
            before = page[-1][0]

    def _undone(self) -> int:
        """Give where all checkpoints were taken back last; -1 if nowhere. An undo of one that was gone does nothing."""
        undos: list[tuple[int, int]] = []
        before = FOREVER
        while rows := self._newest("undo", 1, before=before):
            before = rows[0][0]
            if undos and undos[-1][1] > before:
                break  # what it takes back was made after this one: no earlier undo has a say
            payload = entry_of(rows[0], self._filled).payload
            id = payload.checkpoint if isinstance(payload, UndoEntry) else ""
            made = self._newest("checkpoint", 1, before=before, name=id)
            undos.append((before, made[0][0] if made else -1))
        last = -1
        for seq, made_at in reversed(undos):
            last = seq if made_at > last else last
        return last

    def reports(self) -> list[Report]:
        """Give the newest reports of full fits, oldest first."""
        entries = [entry_of(row, self._filled).payload for row in self._newest(DONE, REPORTS)]
        return [payload.report for payload in reversed(entries) if isinstance(payload, ReportEntry)]

    def frame(self) -> str:
        """Give the digest of the newest frame that was noted."""
        for row in self._newest("frame", 1):
            payload = entry_of(row, self._filled).payload
            return payload.digest if isinstance(payload, FrameEntry) else ""
        return ""

    def _newest(self, kind: str, limit: int, *, before: int = FOREVER, name: str | None = None) -> list[Row]:
        """Give the newest entries of a kind, or those of one name, newest first, by their columns."""
        sql = (
            f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = ? AND branch = ? AND place IS NULL"
            f" AND seq <= ? AND seq < ?{'' if name is None else ' AND name = ?'} ORDER BY seq DESC LIMIT ?"
        )
        named = () if name is None else (name_column(name),)
        rows: list[Row] = []
        for branch, last in self._parts:
            rows += self._database.rows(sql, self._session, kind, branch, last, before, *named, limit)
        return sorted(rows, key=lambda row: -row[0])[:limit]


def branch_of(
    database: Database,
    session: int,
    ancestry: Sequence[tuple[str, int]],
    fill: Filled,
    pending: Sequence[tuple[int, str, int]] = (),
) -> Branch:
    """Give a branch by its ancestry: (branch, last seq that counts), -1 where there is no limit.

    `pending` are refusals that are not written yet, each as (seq of the message, branch, seq of the refusal).
    """
    parts = [(column(branch), FOREVER if last == -1 else min(last, FOREVER)) for branch, last in ancestry]
    limits = dict(parts)
    rows = database.rows("SELECT seq, branch, refused_at FROM refused WHERE session = ?", session)
    refused = [*rows, *((seq, column(branch), at) for seq, branch, at in pending)]
    gone = frozenset(seq for seq, branch, at in refused if at <= limits.get(branch, -1))
    return Branch(database, session, parts, gone, fill)


def _tip(row: Row, learned: Learned) -> Tip:
    _, place, transcript, normal, upto, first, last = row
    return Tip(
        messages=place + 1,
        transcript=bytes(transcript).hex(),
        normal=bytes(normal).hex(),
        total=cost_from(upto),
        humans=() if first is None else (first, last),
        learned=learned,
    )


def _runs(anchors: Sequence[Row], end: int) -> list[tuple[int, int]]:
    """Give where the messages behind anchors lie, as ids up to `end`; what is near to each other as one."""
    found: list[tuple[int, int]] = []
    firsts = sorted(first for (first,) in anchors)
    for first, following in pairwise([*firsts, end]):
        stop = min(first + REACH, following)
        if found and first - found[-1][1] <= REACH:
            found[-1] = (found[-1][0], stop)
        else:
            found.append((first, stop))
    return found

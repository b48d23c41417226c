"""One branch of a stored log, as queries: the parts of its ancestry, each up to where it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from unabridged.checkpoint import Checkpoint
from unabridged.entry import CheckpointEntry, ReportEntry
from unabridged.learned import Learned
from unabridged.report import Report
from unabridged.store.database import Database, Row
from unabridged.store.rows import COLUMNS, DONE, RECORD, Tip, cost_from, entry_of, learned_from, record_of
from unabridged.transcript import Record

FOREVER = 2**62
"""A seq that no log reaches: a part without a limit."""
REPORTS = 64
"""The newest reports of full fits. A back-off is the same behind any run of them that holds three failures."""
PAGE = 16
"""Checkpoints that are read together."""

Filled = Callable[[bytes], bytes]


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
                " WHERE session = ? AND branch = ? AND place IS NOT NULL AND seq <= ? ORDER BY place DESC, seq DESC"
                " LIMIT ?"
            )
            for row in self._database.rows(sql, self._session, branch, last, len(self._refused) + 1):
                if row[0] not in self._refused:
                    return _tip(row, learned)
        return Tip(learned=learned)

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
        sql = (
            f"SELECT {RECORD} FROM entries WHERE session = ? AND branch = ? AND place IS NOT NULL"
            " AND place >= ? AND place < ? AND seq <= ?"
        )
        for branch, last in self._parts:
            for row in self._database.rows(sql, self._session, branch, start, stop, last):
                if row[0] not in self._refused:
                    found[row[1]] = row
        return [record_of(found[place], self._filled) for place in sorted(found)]

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
        rows = self._database.rows(sql, self._session, id)
        return [row for row in rows if row[0] <= limits.get(row[3], -1) and row[0] not in self._refused]

    def ids(self) -> Iterator[str]:
        """Give the ids of all messages, in order."""
        sql = (
            "SELECT seq, name FROM entries WHERE session = ? AND branch = ? AND place IS NOT NULL AND seq <= ?"
            " ORDER BY place, seq"
        )
        for branch, last in self._parts:
            for seq, name in self._database.rows(sql, self._session, branch, last):
                if seq not in self._refused:
                    yield name

    def checkpoints(self) -> list[Checkpoint]:
        """Give the checkpoints from the newest full one that counts here on, oldest first; what is undone is not."""
        undone = max((row[0] for row in self._newest("undo", 1)), default=-1)
        found: list[tuple[int, Checkpoint]] = []
        before = FOREVER
        while True:
            page = [row for row in self._newest("checkpoint", PAGE, before=before) if row[0] > undone]
            for row in page:
                payload = entry_of(row, self._filled).payload
                if not isinstance(payload, CheckpointEntry):
                    continue
                found.append((row[0], payload.checkpoint))
                if not payload.checkpoint.step and self.digest_of(payload.checkpoint.reaches) == (
                    payload.checkpoint.digest
                ):
                    return [checkpoint for _, checkpoint in sorted(found, key=lambda each: each[0])]
            if len(page) < PAGE:
                return [checkpoint for _, checkpoint in sorted(found, key=lambda each: each[0])]
            before = page[-1][0]

    def reports(self) -> list[Report]:
        """Give the newest reports of full fits, oldest first."""
        entries = [entry_of(row, self._filled).payload for row in self._newest(DONE, REPORTS)]
        return [payload.report for payload in reversed(entries) if isinstance(payload, ReportEntry)]

    def _newest(self, kind: str, limit: int, *, before: int = FOREVER) -> list[Row]:
        """Give the newest entries of a kind, newest first, by their columns."""
        sql = (
            f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = ? AND branch = ? AND place IS NULL"
            " AND seq <= ? AND seq < ? ORDER BY seq DESC LIMIT ?"
        )
        rows: list[Row] = []
        for branch, last in self._parts:
            rows += self._database.rows(sql, self._session, kind, branch, last, before, limit)
        return sorted(rows, key=lambda row: -row[0])[:limit]


def branch_of(database: Database, session: int, ancestry: Sequence[tuple[str, int]], fill: Filled) -> Branch:
    """Give a branch by its ancestry: (branch, last seq that counts), -1 where there is no limit."""
    parts = [(branch, FOREVER if last == -1 else last) for branch, last in ancestry]
    limits = dict(parts)
    rows = database.rows("SELECT seq, branch, refused_at FROM refused WHERE session = ?", session)
    refused = frozenset(seq for seq, branch, at in rows if at <= limits.get(branch, -1))
    return Branch(database, session, parts, refused, fill)


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

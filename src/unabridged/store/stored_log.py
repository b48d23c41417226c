"""A session's log in a database: appended to by compare-and-append, read only where somebody looks.

A new one over the same rows goes on as this one does. What it keeps in memory is where the log ends.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

import msgspec

from unabridged.codec import payload_bytes
from unabridged.entry import BranchEntry, Entry, MessageEntry, Payload, RefusedEntry
from unabridged.errors import Conflict, LeaseLost, NotFound, SessionBusy, StoreError
from unabridged.log import MAIN, Log, linked, utc_now
from unabridged.normal import normal_bytes
from unabridged.store.database import Database, Fenced, Taken
from unabridged.store.large import filled, with_holes
from unabridged.store.media import StoredBlobs
from unabridged.store.past import StoredPositions, StoredRecords
from unabridged.store.rows import COLUMNS, INSERT, Tip, entry_of, row_of
from unabridged.store.scope import Branch, branch_of
from unabridged.tokens.price import Cost, Price
from unabridged.transcript import Past


class _Pending(msgspec.Struct):
    """Entries that are made and not written: those of one append, or of one step."""

    entries: list[Entry] = []
    rows: list[tuple[Any, ...]] = []
    blobs: dict[bytes, bytes] = {}
    refused: list[tuple[int, int, str, int]] = []


class StoredLog(Log):
    """A session's log in a database. `fence` names the turn that writes; None writes only where no turn runs."""

    def __init__(
        self,
        database: Database,
        *,
        project: str,
        session: tuple[int, str],
        counter: str = "",
        clock: Callable[[], str] = utc_now,
    ) -> None:
        self._key, name = session
        super().__init__(name, counter=counter, clock=clock)
        self._database = database
        self.blobs = StoredBlobs(database, project, self._key)
        self.media = self.blobs
        self.fence: int | None = None
        self._step: _Pending | None = None
        self._next = 0
        self._tips: dict[str, Tip] = {}
        self._places: dict[str, Branch] = {}
        self._refresh()

    def _refresh(self) -> None:
        """Read where the log ends, and which branches there are."""
        end = "SELECT seq, log_digest FROM entries WHERE session = ? ORDER BY seq DESC LIMIT 1"
        rows = self._database.rows(end, self._key)
        self._next, self._last_digest = (rows[0][0] + 1, bytes(rows[0][1]).hex()) if rows else (0, "")
        self._tips.clear()
        self._places.clear()
        self._branches = {}
        opened = f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = 'branch' ORDER BY seq"
        for row in self._database.rows(opened, self._key):
            payload = entry_of(row, self._filled).payload
            if isinstance(payload, BranchEntry):
                self._branches.setdefault(payload.branch, payload)

    def reopen(self, fence: int | None) -> None:
        """Go on from what is stored now, under the fence of a turn, or of none."""
        self.fence = fence
        self._step = None
        self._refresh()

    def __len__(self) -> int:
        rows = self._database.rows("SELECT count(*) FROM entries WHERE session = ?", self._key)
        return int(rows[0][0]) + (len(self._step.entries) if self._step is not None else 0)

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries, every branch: the whole session, for those who want to see all of it."""
        return tuple(self.since(0))

    def since(self, seq: int) -> list[Entry]:
        """Entries from `seq` on."""
        return list(self.each(seq))

    def each(self, seq: int = 0) -> Iterator[Entry]:
        """Give entries from `seq` on, one by one."""
        sql = f"SELECT {COLUMNS} FROM entries WHERE session = ? AND seq >= ? ORDER BY seq"
        for row in self._database.each_row(sql, self._key, seq):
            yield entry_of(row, self._filled)
        if self._step is not None:
            yield from (entry for entry in self._step.entries if entry.seq >= seq)

    @property
    def next_seq(self) -> int:
        """The position of the next entry."""
        return self._next

    def entries_of(self, ancestry: Sequence[tuple[str, int]]) -> list[Entry]:
        """Entries of a branch's parts, in order."""
        limits = dict(ancestry)
        return [
            entry
            for entry in self.each()
            if entry.branch in limits and (limits[entry.branch] == -1 or entry.seq <= limits[entry.branch])
        ]

    def damaged(self) -> tuple[int, ...]:
        """Give the seq of every entry whose stored digest does not follow from what stands before it."""
        wrong: list[int] = []
        previous = ""
        for entry in self.each():
            if entry.log_digest != linked(previous, sha256(payload_bytes(entry.payload)).digest()):
                wrong.append(entry.seq)
            previous = entry.log_digest
        return tuple(wrong)

    @contextmanager
    def step(self) -> Generator[None]:
        """Write all that is appended in this block together, or nothing of it: one transaction, one fsync.

        Where it cannot be written nothing was, and this log must be opened again.
        """
        if self._step is not None:
            yield
            return
        self._step = _Pending()
        try:
            yield
        except BaseException:
            self._step = None
            self._refresh()
            raise
        pending, self._step = self._step, None
        if pending.entries:
            self._write(pending)

    def append(
        self, *payloads: Payload, branch: str = MAIN, expected: int | None = None, costs: Sequence[Cost] = ()
    ) -> tuple[Entry, ...]:
        """Append entries at the end, all or none; durable when this returns, or with the `step` that it stands in.

        Raises `Conflict` when somebody else appended first, `LeaseLost` when another turn took over, `SessionBusy`
        when one runs and this is none, and `StoreError`. Nothing was written then.
        """
        if expected is not None and expected != self._next:
            raise Conflict(expected=expected, actual=self._next)
        if branch != MAIN and branch not in self._branches:
            raise NotFound("branch", branch)
        if not payloads:
            return ()
        if any(isinstance(payload, RefusedEntry) for payload in payloads):
            self._flush()
        pending = self._made(payloads, branch, costs)
        if self._step is None or pending.refused:
            self._write(pending)
        else:
            self._step.entries += pending.entries
            self._step.rows += pending.rows
            self._step.blobs |= pending.blobs
        if pending.refused:
            self._tips.clear()
            self._places.clear()
        return tuple(pending.entries)

    def _flush(self) -> None:
        if self._step is not None and self._step.entries:
            pending, self._step = self._step, _Pending()
            self._write(pending)

    def _made(self, payloads: Sequence[Payload], branch: str, costs: Sequence[Cost]) -> _Pending:
        pending, tip, now = _Pending(), self._tip(branch), self._clock()
        seq, previous = self._next, self._last_digest
        prices = iter(costs)
        for payload in payloads:
            stored, before = payload_bytes(payload), tip
            digest = sha256(stored).digest()
            transcript = normal = ""
            cost: Cost | None = None
            if isinstance(payload, MessageEntry):
                cost = next(prices, Cost(Price(0)))
                transcript = linked(tip.transcript, digest)
                normal = linked(tip.normal, sha256(normal_bytes(payload.message)).digest())
                tip = tip.after(payload.message, cost, transcript, normal)
            else:
                learned = tip.learned.after(payload)
                tip = tip if learned is tip.learned else msgspec.structs.replace(tip, learned=learned)
            previous = linked(previous, digest)
            entry = Entry(
                seq=seq,
                branch=branch,
                time=now,
                payload=payload,
                log_digest=previous,
                transcript_digest=transcript,
                normal_digest=normal,
            )
            left, large = with_holes(payload, stored)
            pending.blobs |= large
            pending.entries.append(entry)
            pending.rows.append(row_of(self._key, entry, left, cost, before, tip))
            if isinstance(payload, RefusedEntry):
                pending.refused += self._refused(payload, branch, seq)
            seq += 1
        self._tips[branch], self._next, self._last_digest = tip, seq, previous
        return pending

    def _refused(self, payload: RefusedEntry, branch: str, seq: int) -> list[tuple[int, int, str, int]]:
        scope = self._scope(branch)
        found = [scope.seq_of(id) for id in payload.messages]
        return [(self._key, at, branch, seq) for at in found if at is not None]

    def _write(self, pending: _Pending) -> None:
        media = self.blobs.take()
        blobs = {bytes.fromhex(digest): data for digest, data in media.items()} | pending.blobs
        try:
            with self._database.transaction() as writing:
                writing.hold(self._key, self.fence)
                self.blobs.write(blobs, writing)
                writing.run_each(INSERT, pending.rows)
                if pending.refused:
                    writing.run_each("INSERT INTO refused VALUES (?, ?, ?, ?)", pending.refused)
        except Taken:
            expected = pending.entries[0].seq
            self._refresh()
            raise Conflict(expected=expected, actual=self._next) from None
        except Fenced:
            self._refresh()
            raise (SessionBusy(self.session, 0) if self.fence is None else LeaseLost(self.session)) from None
        except BaseException:
            self._forget()
            raise
        self.blobs.written(media)

    def _forget(self) -> None:
        """Go back to what is stored; a database that is gone now is asked again at the next append."""
        try:
            self._refresh()
        except StoreError:
            self._next = -1
            self._tips.clear()

    def _open(self, row: BranchEntry) -> None:
        self._branches[row.branch] = row

    def _scope(self, branch: str) -> Branch:
        known = self._places.get(branch)
        if known is None:
            ancestry = self.ancestry(branch)
            known = self._places[branch] = branch_of(self._database, self._key, ancestry, self._filled)
        return known

    def _tip(self, branch: str) -> Tip:
        if self._next < 0:
            self._refresh()
        known = self._tips.get(branch)
        if known is None:
            known = self._tips[branch] = self._scope(branch).tip()
        return known

    def past(self, branch: str, counter: str) -> Past | None:
        """Give what is known of a branch; None where its prices are another counter's, and all is counted anew."""
        if self._step is not None:
            self._flush()
        if counter != self.counter:
            return None
        scope, tip = self._scope(branch), self._tip(branch)
        position = StoredPositions(tip.messages, scope.place_of, scope.ids)
        return Past(
            records=StoredRecords(tip.messages, scope.records),
            position=position,
            total=tip.total,
            humans=list(dict.fromkeys(tip.humans)),
            checkpoints=scope.checkpoints(),
            reports=scope.reports(),
            learned=tip.learned,
        )

    def _filled(self, stored: bytes) -> bytes:
        return filled(stored, self._large)

    def _large(self, digest: bytes) -> bytes:
        return self.blobs[digest.hex()]

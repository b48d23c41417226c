"""A session's log in a database: appended to by compare-and-append, read only where somebody looks.

A new one over the same rows goes on as this one does. What it keeps in memory is where the log ends.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256

from unabridged.codec import payload_bytes
from unabridged.entry import BranchEntry, Entry, MessageEntry, Payload, RefusedEntry
from unabridged.errors import Conflict, LeaseLost, NotFound, SessionBusy, UnabridgedError
from unabridged.hiding import hidden_among
from unabridged.log import MAIN, Log, linked, utc_now
from unabridged.normal import normal_bytes
from unabridged.store.columns import checked_branch, column, id_of
from unabridged.store.database import Broken, Database, Fenced, Taken
from unabridged.store.entries import StoredEntries
from unabridged.store.hidings import hidings
from unabridged.store.large import filled, with_holes
from unabridged.store.media import StoredBlobs
from unabridged.store.past import StoredPositions, StoredRecords
from unabridged.store.pending import Pending
from unabridged.store.rows import INSERT, Tip, row_of
from unabridged.store.scope import Branch, branch_of
from unabridged.tokens import TokenCounter, counter_named
from unabridged.tokens.price import Cost, price_message
from unabridged.transcript import Past


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
        ahead: bool = True,
    ) -> None:
        """Open it. Not `ahead`, where it ends is read only when somebody looks, or its turn begins."""
        self._key, name = session
        super().__init__(name, counter=counter, clock=clock)
        self._database = database
        self.blobs = StoredBlobs(database, project, self._key)
        self.media = self.blobs
        self.fence: int | None = None
        self._step: Pending | None = None
        self._next = -1
        self._believed: int | None = None
        """Where a writer believes the log to go on, who was told of entries that were not written in the end."""
        self._tips: dict[str, Tip] = {}
        self._places: dict[str, Branch] = {}
        self._stored = StoredEntries(database, self._key, self._filled)
        if ahead:
            self._know()

    @cached_property
    def _counter(self) -> TokenCounter | None:
        """The counter that the session began with; None where its package is not installed."""
        counter = counter_named(self.counter)
        return counter if counter.name == self.counter else None

    def _know(self) -> None:
        """Read where the log ends, and which branches there are, unless that is known."""
        if self._next >= 0:
            return
        last, digest = self._stored.end()
        self._branches = {}
        for row in self._stored.branches():
            self._branches.setdefault(row.branch, row)
        self._next, self._last_digest = last + 1, digest

    def _forget(self) -> None:
        """Go back to what is stored: it is read when it is needed, for the database may be gone now."""
        self._next = -1
        self._tips.clear()
        self._places.clear()

    def reopen(self, fence: int | None) -> bool:
        """Go on from what is stored now, under the fence of a turn, or of none; tell whether nobody wrote meanwhile.

        A transcript of this log is then still what is stored.
        """
        self.fence = fence
        self._step = self._believed = None
        if self._next >= 0 and self._stored.end() == (self._next - 1, self._last_digest):
            return True
        self._forget()
        self._know()
        return False

    def __len__(self) -> int:
        return len(self._stored) + (len(self._step.entries) if self._step is not None else 0)

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries, every branch: the whole session, for those who want to see all of it."""
        return tuple(self.since(0))

    def since(self, seq: int) -> list[Entry]:
        """Entries from `seq` on."""
        return list(self.each(seq))

    def each(self, seq: int = 0) -> Iterator[Entry]:
        """Give entries from `seq` on, one by one."""
        yield from self._stored.each(seq)
        if self._step is not None:
            yield from [entry for entry in self._step.entries if entry.seq >= seq]

    def entry(self, seq: int) -> Entry:
        """Give one entry. Raises `NotFound`."""
        return self._stored.entry(seq)

    def seqs(self) -> Iterator[int]:
        """Give the positions of all entries, without reading them."""
        return self._stored.seqs()

    def digest_at(self, seq: int) -> str:
        """Give the stored digest of an entry, as it is. Raises `NotFound`."""
        return self._stored.digest_at(seq)

    @property
    def next_seq(self) -> int:
        """The position of the next entry."""
        self._know()
        return self._next

    @property
    def branches(self) -> tuple[str, ...]:
        """Names of all branches, oldest first."""
        self._know()
        return super().branches

    def ancestry(self, branch: str) -> tuple[tuple[str, int], ...]:
        """Give the parts that a branch is made of: (branch, last seq of it that counts), itself last, without limit."""
        self._know()
        return super().ancestry(branch)

    def fork(self, branch: str, *, upto: int, why: str) -> str:
        """Open a branch that holds `branch` up to the entry `upto` (inclusive; -1: nothing of it). Returns its name."""
        self._know()
        return super().fork(branch, upto=upto, why=why)

    def damaged(self) -> tuple[int, ...]:
        """Give the seq of every entry that is not what was written: its digest does not follow from what it holds."""
        return self._stored.damaged()

    def hidden(self, branch: str | None = None) -> Mapping[int, str]:
        """Give the messages that are hidden on a branch, or, without one, wherever, as the newest word on each says.

        Read anew each time: who hides one, in whichever process, is obeyed at once.
        """
        said = hidings(self._database, self._key, self._step.entries if self._step is not None else ())
        return hidden_among(said, self.ancestry, branch) if said else {}

    @contextmanager
    def step(self) -> Generator[None]:
        """Write all that is appended in this block together, or nothing of it: one transaction, one fsync.

        Where the block raises, or it cannot be written, nothing was. Make the transcript again then: until somebody
        reads this log anew, an append of one who believes otherwise raises `Conflict`.
        """
        if self._step is not None:
            yield
            return
        pending = self._step = Pending()
        try:
            yield
            if pending.entries:
                self._write(pending)
        except BaseException as error:  # whatever ends the block, what it made is forgotten
            self._failed(pending, error)
            raise
        finally:
            self._step = None

    def _failed(self, pending: Pending, error: BaseException) -> None:
        if pending.entries and not isinstance(error, LeaseLost):
            self._believed = pending.entries[0].seq + pending.told
        self._forget()

    def append(
        self, *payloads: Payload, branch: str = MAIN, expected: int | None = None, costs: Sequence[Cost] = ()
    ) -> tuple[Entry, ...]:
        """Append entries at the end, all or none; durable when this returns, or with the `step` that it stands in.

        `costs` are by the session's counter; without them messages are priced here. Raises `Conflict` when somebody
        else appended first, `LeaseLost` when another turn took over, `SessionBusy` when one runs and this is none,
        and `StoreError`. Nothing was written then; only where the database was lost while it wrote, and did not come
        back, nobody knows: the next append raises `Conflict` if something was.
        """
        wanted = expected if expected is not None else self._believed
        if wanted is not None and wanted != self.next_seq:
            raise Conflict(expected=wanted, actual=self.next_seq)
        self._know()
        if branch != MAIN and branch not in self._branches:
            raise NotFound("branch", branch)
        if not payloads:
            return ()
        self._believed = None
        if self._step is not None:
            made = self._make(self._step, payloads, branch, costs)
            self._step.told = len(self._step.entries)
            return made
        pending = self._step = Pending()
        try:
            made = self._make(pending, payloads, branch, costs)
            self._write(pending)
        except BaseException as error:  # whatever ends it, what it made is forgotten
            self._failed(pending, error)
            raise
        finally:
            self._step = None
        return made

    def add(
        self, *payloads: Payload, branch: str = MAIN, expected: int | None = None, costs: Sequence[Cost] = ()
    ) -> Sequence[Entry]:
        """Append as `append` does: what is stored has its digests."""
        return self.append(*payloads, branch=branch, expected=expected, costs=costs)

    def _make(
        self, pending: Pending, payloads: Sequence[Payload], branch: str, costs: Sequence[Cost]
    ) -> tuple[Entry, ...]:
        """Make entries at the end of what is pending, all or none."""
        begun, before = len(pending.entries), (self._next, self._last_digest, len(self._branches))
        prices, where = iter(costs), (branch, self._clock())
        try:
            for payload in payloads:
                self._add(pending, payload, where, prices)
        except BaseException:  # whatever ends it, nothing of this append may stay
            pending.back_to(begun)
            self._next, self._last_digest, known = before
            self._branches = dict(list(self._branches.items())[:known])
            self._tips.clear()
            self._places.clear()
            raise
        return tuple(pending.entries[begun:] if begun else pending.entries)

    def _add(self, pending: Pending, payload: Payload, where: tuple[str, str], prices: Iterator[Cost]) -> None:
        branch, now = where
        stored, seq = payload_bytes(payload), self._next
        before, digest = self._tip(branch), sha256(stored).digest()
        transcript = normal = ""
        cost: Cost | None = None
        if isinstance(payload, MessageEntry):
            cost = self._cost(payload, prices)
            transcript = linked(before.transcript, digest)
            normal = linked(before.normal, sha256(normal_bytes(payload.message)).digest())
        entry = Entry(
            seq=seq,
            branch=branch,
            time=now,
            payload=payload,
            log_digest=linked(self._last_digest, digest),
            transcript_digest=transcript,
            normal_digest=normal,
        )
        left, large = with_holes(payload, stored)
        tip = before.followed(entry, cost, before.anchored(seq))
        if isinstance(payload, BranchEntry):
            self._open(payload)
        pending.add(entry, row_of(self._key, entry, left, cost, before, tip), cost, large)
        self._tips[branch], self._next, self._last_digest = tip, seq + 1, entry.log_digest
        if isinstance(payload, RefusedEntry):
            pending.refused += self._refused(pending, payload, branch, seq)
            self._tips.clear()
            self._places.clear()

    def _cost(self, payload: MessageEntry, prices: Iterator[Cost]) -> Cost | None:
        given = next(prices, None)
        if given is not None or self._counter is None:
            return given
        return price_message(payload.message, self._counter, self.media)

    def _refused(self, pending: Pending, payload: RefusedEntry, branch: str, at: int) -> Iterator[tuple[int, str, int]]:
        made = {
            entry.payload.message.id: entry.seq
            for entry, _ in pending.on(self.ancestry(branch))
            if isinstance(entry.payload, MessageEntry)
        }
        scope = self._scope(branch)
        for id in payload.messages:
            seq = made[id] if id in made else scope.seq_of(id)
            if seq is not None:
                yield seq, branch, at

    def _write(self, pending: Pending) -> None:
        media = self.blobs.new(pending.media()) if self.blobs.waiting else {}
        blobs = {bytes.fromhex(digest): data for digest, data in media.items()} | pending.large
        try:
            try:
                self._commit(pending, blobs)
            except Broken:
                if not self._is_written(pending):
                    self._commit(pending, blobs)
        except Taken:
            if not self._is_written(pending):
                self._forget()
                raise Conflict(expected=pending.entries[0].seq, actual=self.next_seq) from None
        except Fenced:
            raise self._fenced() from None
        if media:
            self.blobs.written(media)

    def _commit(self, pending: Pending, blobs: dict[bytes, bytes]) -> None:
        if not blobs and not pending.refused:
            self._database.append(self._key, self.fence, INSERT, pending.rows)
            return
        with self._database.transaction() as writing:
            writing.hold(self._key, self.fence)
            self.blobs.write(blobs, writing)
            writing.run_each(INSERT, pending.rows)
            if pending.refused:
                rows = [(self._key, seq, column(branch), at) for seq, branch, at in pending.refused]
                writing.run_each("INSERT INTO refused VALUES (?, ?, ?, ?)", rows)

    def _is_written(self, pending: Pending) -> bool:
        """Tell whether these very entries are stored: the answer that said so may have been lost with a connection."""
        last = pending.entries[-1]
        sql = "SELECT log_digest, time FROM entries WHERE id = ?"
        rows = self._database.rows(sql, id_of(self._key, last.seq))
        found = [(bytes(digest).hex(), time) for digest, time in rows]
        return found == [(last.log_digest, last.time)]

    def _fenced(self) -> UnabridgedError:
        if not self._database.rows("SELECT key FROM sessions WHERE key = ?", self._key):
            return NotFound("session", self.session)
        return SessionBusy(self.session, 0) if self.fence is None else LeaseLost(self.session)

    def _open(self, row: BranchEntry) -> None:
        self._branches.setdefault(checked_branch(row.branch), row)

    def _scope(self, branch: str) -> Branch:
        known = self._places.get(branch)
        if known is None:
            refused = self._step.refused if self._step is not None else ()
            known = branch_of(self._database, self._key, self.ancestry(branch), self._filled, refused)
            self._places[branch] = known
        return known

    def _tip(self, branch: str) -> Tip:
        known = self._tips.get(branch)
        if known is None and not self._next:
            return Tip()
        if known is None:
            known = self._scope(branch).tip()
            for entry, cost in self._step.on(self.ancestry(branch)) if self._step is not None else ():
                known = known.followed(entry, cost)
            self._tips[branch] = known
        return known

    def past(self, branch: str, counter: str) -> Past | None:
        """Give what is known of a branch; None where its prices are another counter's, and all is counted anew."""
        self._believed = None
        scope = self._scope(branch)
        made = [entry for entry, _ in self._step.on(self.ancestry(branch))] if self._step is not None else []
        tip = scope.tip() if made else self._tip(branch)
        if counter != self.counter or tip.total is None:
            return None
        return Past(
            records=StoredRecords(tip.messages, scope.records, lambda: self._step is None),
            position=StoredPositions(tip.messages, scope.place_of, scope.ids),
            total=tip.total,
            humans=list(dict.fromkeys(tip.humans)),
            checkpoints=scope.checkpoints(),
            reports=scope.reports(),
            learned=tip.learned,
            frame=scope.frame(),
            newer=tuple(entry for entry in made if not isinstance(entry.payload, RefusedEntry)),
        )

    def _filled(self, stored: bytes) -> bytes:
        return filled(stored, self._large)

    def _large(self, digest: bytes) -> bytes:
        return self.blobs[digest.hex()]

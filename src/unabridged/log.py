"""A session's log in memory: append-only, with branches and three chains of digests.

Rewind, edit, regenerate and fork are one append each: a branch row that says which part of which other
branches belongs to it. Nothing is ever changed or taken away. The digests follow from what was appended, and are
made once somebody looks: a step of a conversation needs none.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

import msgspec

from unabridged.codec import payload_bytes
from unabridged.entry import BranchEntry, Entry, HiddenEntry, MessageEntry, Payload, RefusedEntry
from unabridged.errors import Conflict, NotFound
from unabridged.hiding import carried, hidden_among, hidings_in
from unabridged.normal import normal_bytes

if TYPE_CHECKING:
    from unabridged.tokens.price import Cost
    from unabridged.transcript import Past

MAIN = "main"


def utc_now() -> str:
    """Give the time as RFC 3339 in UTC, to the millisecond."""
    return _written(time.time_ns() // 1_000_000)


@lru_cache(maxsize=1)  # what one step appends comes within a millisecond
def _written(milliseconds: int) -> str:
    second, millisecond = divmod(milliseconds, 1_000)
    return f"{_date_and_time(second)}.{millisecond:03}Z"


@lru_cache(maxsize=1)  # a date is slow to write, and many entries come within one second
def _date_and_time(second: int) -> str:
    return datetime.fromtimestamp(second, UTC).replace(tzinfo=None).isoformat()


class _Chain:
    """Where the chains of one branch stand after each of its messages, so that a refusal can step back."""

    def __init__(self) -> None:
        self.transcript = [""]
        self.normal = [""]

    def add(self, entry: Entry) -> None:
        """Take in a message."""
        self.transcript.append(entry.transcript_digest)
        self.normal.append(entry.normal_digest)

    def step_back(self, count: int) -> None:
        """Take the newest messages out again; in a log that lost some of them, as many as are there."""
        kept = max(1, len(self.transcript) - count)
        del self.transcript[kept:], self.normal[kept:]


class Log:
    """Every entry of one session, in order. `(session, seq)` is the key of an entry.

    `append` states the position it expects; whoever loses the race gets `Conflict` and nothing is written.
    """

    def __init__(self, session: str = "session", *, counter: str = "", clock: Callable[[], str] = utc_now) -> None:
        self.session = session
        self.counter = counter
        """Name of the token counter that the session began with."""
        self.media: MutableMapping[str, bytes] = {}
        self._clock = clock
        self._entries: list[Entry] = []
        self._waiting = deque[Entry]()
        """The newest, whose digests nobody asked for yet."""
        self._branches: dict[str, BranchEntry] = {}
        self._chains: dict[str, _Chain] = {MAIN: _Chain()}
        self._last_digest = ""
        self._hides = False
        """Whether any message was ever hidden."""

    @classmethod
    def restore(cls, session: str, entries: Iterable[Entry], *, counter: str = "", media: Mapping[str, bytes]) -> Log:
        """Rebuild a log from stored entries. Digests are taken as stored; `damaged` checks them."""
        log = cls(session, counter=counter)
        log.media.update(media)
        for entry in entries:
            log._take(entry)
        return log

    def __len__(self) -> int:
        return len(self._entries) + len(self._waiting)

    @property
    def entries(self) -> Sequence[Entry]:
        """All entries, every branch. A tuple: the log itself cannot be reached through it."""
        return tuple(self._sealed())

    def since(self, seq: int) -> list[Entry]:
        """Entries from `seq` on."""
        entries = self._sealed()
        return entries[bisect_left(entries, seq, key=lambda entry: entry.seq) :]

    def each(self, seq: int = 0) -> Iterator[Entry]:
        """Entries from `seq` on, one by one."""
        return iter(self.since(seq))

    @property
    def next_seq(self) -> int:
        """The position of the next entry. A log that lost a line goes on where it stopped; the gap stays a gap."""
        newest = self._waiting or self._entries
        return newest[-1].seq + 1 if newest else 0

    @property
    def branches(self) -> tuple[str, ...]:
        """Names of all branches, oldest first."""
        self._sealed()
        return (MAIN, *self._branches)

    @property
    def newest_branch(self) -> str:
        """The branch that was opened last: where a session goes on."""
        return self.branches[-1]

    def ancestry(self, branch: str) -> tuple[tuple[str, int], ...]:
        """Give the parts that a branch is made of: (branch, last seq of it that counts), itself last, without limit."""
        if branch == MAIN:
            return ((MAIN, -1),)
        self._sealed()
        row = self._branches.get(branch)
        if row is None:
            raise NotFound("branch", branch)
        return (*row.ancestry, (branch, -1))

    def past(self, branch: str, counter: str) -> Past | None:
        """Give what a store knows of a branch without going through its entries; None where that is all in memory."""
        del branch, counter
        return None

    def hidden(self, branch: str | None = None) -> Mapping[int, str]:
        """Give the messages that are hidden on a branch, by position, with their ids.

        Without a branch the newest word on a message counts, wherever it was said.
        """
        entries = self._sealed()
        return hidden_among(hidings_in(entries), self.ancestry, branch) if self._hides else {}

    @contextmanager
    def step(self) -> Generator[None]:
        """Write all that is appended in this block together, where it is written anywhere: a log in memory has it."""
        yield

    def append(
        self, *payloads: Payload, branch: str = MAIN, expected: int | None = None, costs: Sequence[Cost] = ()
    ) -> tuple[Entry, ...]:
        """Append entries at the end, all or none. `expected` is the seq that the writer believes to be next.

        `costs` are those of messages, one for each: a store keeps them, so that opening a session counts nothing.
        """
        made = self.add(*payloads, branch=branch, expected=expected, costs=costs)
        return tuple(self._sealed()[-len(made) :]) if made else ()

    def add(
        self, *payloads: Payload, branch: str = MAIN, expected: int | None = None, costs: Sequence[Cost] = ()
    ) -> Sequence[Entry]:
        """Append as `append` does. What it gives may be without digests: `transcript_digest_at` makes them."""
        del costs
        if expected is not None and expected != self.next_seq:
            raise Conflict(expected=expected, actual=self.next_seq)
        if branch not in self._chains:
            self._sealed()  # a branch may be among what was appended
            if branch not in self._chains:
                raise NotFound("branch", branch)
        now, seq = self._clock(), self.next_seq
        made = [Entry(seq=at, branch=branch, time=now, payload=payload) for at, payload in enumerate(payloads, seq)]
        self._waiting += made
        return made

    def transcript_digest_at(self, seq: int) -> str:
        """Give the digest that the transcript has at an entry. Raises `NotFound`."""
        found = next(iter(self.each(seq)), None)
        if found is None or found.seq != seq:
            raise NotFound("entry", str(seq))
        return found.transcript_digest

    def fork(self, branch: str, *, upto: int, why: str) -> str:
        """Open a branch that holds `branch` up to the entry `upto` (inclusive; -1: nothing of it). Returns its name.

        What is hidden on `branch` now is hidden on it too, also where it begins before that was said.
        """
        name = f"branch-{len(self.branches)}"
        kept = [(ancestor, last) for ancestor, last in self.ancestry(branch)[:-1] if last <= upto]
        cut = [(ancestor, upto) for ancestor, last in self.ancestry(branch) if last == -1 or last > upto]
        ancestry = (*kept, *cut[:1]) if upto >= 0 else ()
        self._open(BranchEntry(branch=name, ancestry=ancestry, why=why))
        hidden = carried(self.hidden(branch), self.hidden(name), upto)
        self.append(self._branches[name], *hidden, branch=name)
        return name

    def damaged(self) -> tuple[int, ...]:
        """Give the seq of every entry whose stored digest does not follow from what stands before it."""
        wrong: list[int] = []
        previous = ""
        for entry in self._sealed():
            if entry.log_digest != linked(previous, sha256(payload_bytes(entry.payload)).digest()):
                wrong.append(entry.seq)
            previous = entry.log_digest
        return tuple(wrong)

    def _sealed(self) -> list[Entry]:
        """Give all entries with their digests."""
        while self._waiting:
            self._take(self._digested(self._waiting[0]))
            self._waiting.popleft()
        return self._entries

    def _digested(self, entry: Entry) -> Entry:
        stored = sha256(payload_bytes(entry.payload)).digest()
        transcript = normal = ""
        if isinstance(entry.payload, MessageEntry):
            chain = self._chain_of(entry.branch)
            transcript = linked(chain.transcript[-1], stored)
            normal = linked(chain.normal[-1], sha256(normal_bytes(entry.payload.message)).digest())
        link = linked(self._last_digest, stored)
        return msgspec.structs.replace(entry, log_digest=link, transcript_digest=transcript, normal_digest=normal)

    def _take(self, entry: Entry) -> None:
        payload = entry.payload
        if isinstance(payload, MessageEntry):
            self._chain_of(entry.branch).add(entry)
        elif isinstance(payload, RefusedEntry):
            self._chain_of(entry.branch).step_back(len(payload.messages))
        elif isinstance(payload, BranchEntry) and payload.branch not in self._branches:
            self._open(payload)
        elif isinstance(payload, HiddenEntry):
            self._hides = True
        self._entries.append(entry)
        self._last_digest = entry.log_digest

    def _chain_of(self, branch: str) -> _Chain:
        chain = self._chains.get(branch)
        if chain is None:  # a stored branch whose row was lost: its messages still count
            chain = self._chains[branch] = _Chain()
        return chain

    def _open(self, row: BranchEntry) -> None:
        self._branches[row.branch] = row
        chain = self._chains[row.branch] = _Chain()
        for entry in self.entries_of(row.ancestry):
            if isinstance(entry.payload, MessageEntry):
                chain.add(entry)
            elif isinstance(entry.payload, RefusedEntry):
                chain.step_back(len(entry.payload.messages))

    def entries_of(self, ancestry: Sequence[tuple[str, int]]) -> list[Entry]:
        """Entries of a branch's parts, in order."""
        limits = dict(ancestry)
        return [
            entry
            for entry in self.each()
            if entry.branch in limits and (limits[entry.branch] == -1 or entry.seq <= limits[entry.branch])
        ]


def linked(previous: str, stored: bytes) -> str:
    """Give the next link of a digest chain: SHA-256 over the link before and the SHA-256 of what is new."""
    return sha256(previous.encode() + stored).hexdigest()

"""Turn leases: one running turn for each session. Whoever waits is served in order; a dead worker's lease runs out.

One that died on this machine is seen to be dead at once (`holders`).

Each turn has a fence, a number that only grows. Entries are written under it: a worker that was taken for dead and
comes back writes nothing (M. Kleppmann, "How to do distributed locking", 2016, calls it a fencing token).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress

from unabridged.errors import BadSetting, NotFound, SessionBusy, StoreError, StoreFault
from unabridged.store.database import LONGEST_LEASE_S, Database, Transaction
from unabridged.store.holders import holder_here, is_gone

LEASE_S = 30.0
"""Seconds without a sign of life after which a worker counts as dead."""
POLL_S = 0.05
"""Seconds between two looks of somebody who waits. A look reads one row."""
ASK_S = 1.0
"""Seconds after which somebody who waits asks again in any case: that keeps his place, and finds who is dead."""
SEEN_S = 10.0
"""Seconds that a place in the queue is kept for somebody who does not ask again."""
_FIRST = "(SELECT holder FROM queue WHERE queue.session = sessions.key ORDER BY ticket LIMIT 1)"
_LOOK = f"SELECT holder, {_FIRST} FROM sessions WHERE key = ?"
_STATE = f"SELECT fence, holder, held_until, {_FIRST} FROM sessions WHERE key = ?"
_PASSING = (StoreFault.UNAVAILABLE, StoreFault.BUSY)
"""Faults that may be over the next time."""


class Lease:
    """The right to write to a session: renewed in the background while its block runs.

    It is the right of one block, and no other block is let in beside it, in this thread or elsewhere: a turn inside a
    turn of the same session would wait for itself, and gets `SessionBusy`. Pass the session on instead.
    """

    def __init__(self, database: Database, session: tuple[int, str], *, lease_s: float = LEASE_S) -> None:
        if not 0 < lease_s <= LONGEST_LEASE_S:
            raise BadSetting("lease_s", lease_s, f"give seconds, more than 0 and at most {LONGEST_LEASE_S:g}")
        self._database = database
        self._key, self._name = session
        self._lease_s = lease_s
        self._holder = holder_here()
        self._ask_in = ASK_S
        self.fence: int | None = None
        self.taken_over = False
        """The turn before this one never ended: its worker died, or was too slow to show that it lives."""
        self.is_lost = False
        """This turn was taken over by another: what it appends from now on raises `LeaseLost`."""

    def take(self, wait_s: float) -> None:
        """Wait for the turn, at most `wait_s` seconds, in order. A database that is away meanwhile is asked again.

        Raises `SessionBusy` when the time is over, `NotFound` where the session is erased, and `StoreError`.
        """
        ends = time.monotonic() + wait_s
        try:
            while not self._began(ends):
                if time.monotonic() >= ends:
                    raise SessionBusy(self._name, wait_s)
        finally:
            if self.fence is None:
                self.give_back()

    def ask(self) -> float | None:
        """Ask for the turn once, without waiting. None: it began. Else in how many seconds to ask again, at the latest.

        Whoever asks keeps a place in the queue until `give_back`. Raises `NotFound` and `StoreError`.
        """
        self.fence = self._ask()
        return None if self.fence is not None else self._ask_in

    def may_begin(self) -> bool:
        """Tell whether the turn looks free, and this is who waits for longest: a good moment to ask. Reads one row."""
        return self._database.rows(_LOOK, self._key) in ([], [("", self._holder)])

    def _began(self, ends: float) -> bool:
        """Ask for the turn, and wait a while for a good moment to ask again; tell whether it began."""
        try:
            wait_s = self.ask()
            if wait_s is not None:
                self._wait(min(ends, time.monotonic() + wait_s))
        except StoreError as error:
            if error.fault not in _PASSING or time.monotonic() + POLL_S >= ends:
                raise
            time.sleep(POLL_S)
        return self.fence is not None

    def _ask(self) -> int | None:
        """Begin the turn and give its fence, or take a place in the queue, or keep it."""
        with self._database.transaction() as writing:
            writing.lock(f"turn of {self._key}", shared=False)
            found = writing.rows(_STATE, self._key)
            if not found:
                raise NotFound("session", self._name)
            fence, holder, until, first = found[0]
            now = self._database.now(writing)
            mine = holder == self._holder  # this turn began before, and the answer that said so was lost
            live = bool(holder) and not mine and self._database.is_live(until, now) and not is_gone(holder)
            if live or (not mine and first is not None and self._is_behind(writing, now)):
                self._queue(writing, now)
                self._ask_in = min(ASK_S, until - now + POLL_S) if live else ASK_S
                return None
            sql = "UPDATE sessions SET fence = ?, holder = ?, held_until = ? WHERE key = ?"
            writing.run(sql, fence + 1, self._holder, now + self._lease_s, self._key)
            writing.run("DELETE FROM queue WHERE session = ? AND holder = ?", self._key, self._holder)
        self.taken_over = bool(holder) and not mine
        return int(fence) + 1

    def _is_behind(self, writing: Transaction, now: float) -> bool:
        """Tell whether somebody else waits for longer. Who was not seen for long does not count, nor who will be."""
        sql = "DELETE FROM queue WHERE session = ? AND (seen_until < ? OR seen_until > ?)"
        writing.run(sql, self._key, now, now + 2 * SEEN_S)
        first = writing.rows("SELECT holder FROM queue WHERE session = ? ORDER BY ticket LIMIT 1", self._key)
        return bool(first) and first[0][0] != self._holder

    def _queue(self, writing: Transaction, now: float) -> None:
        sql = "UPDATE queue SET seen_until = ? WHERE session = ? AND holder = ? RETURNING ticket"
        if not writing.rows(sql, now + SEEN_S, self._key, self._holder):
            sql = "INSERT INTO queue (session, holder, seen_until) VALUES (?, ?, ?)"
            writing.run(sql, self._key, self._holder, now + SEEN_S)

    def _wait(self, until: float) -> None:
        """Wait until the turn looks free and this is who waits for longest, or for as long as a place is kept."""
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(POLL_S, left))
            if self.may_begin():
                return

    def renew(self) -> bool:
        """Show a sign of life; False when another turn has taken over."""
        with self._database.transaction() as writing:
            return self.renew_within(writing)

    def renew_within(self, writing: Transaction) -> bool:
        """Show a sign of life in a transaction that does so for several."""
        now = self._database.now(writing)
        sql = "UPDATE sessions SET held_until = ? WHERE key = ? AND fence = ? AND holder = ? RETURNING fence"
        return bool(writing.rows(sql, now + self._lease_s, self._key, self.fence, self._holder))

    def give_back(self) -> None:
        """End the turn, or leave the queue. Where another turn took over there is nothing to end.

        Raises nothing where the database is away: the lease then runs out, and the error that ended the block is seen.
        """
        with suppress(StoreError), self._database.transaction() as writing:
            ended = "UPDATE sessions SET holder = '', held_until = 0 WHERE key = ? AND holder = ?"
            writing.run(ended, self._key, self._holder)
            writing.run("DELETE FROM queue WHERE session = ? AND holder = ?", self._key, self._holder)

    @contextmanager
    def kept_alive(self) -> Generator[None]:
        """Renew in the background while the block runs."""
        stop = threading.Event()
        thread = threading.Thread(target=self._keep, args=(stop,), name=f"lease of {self._name}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _keep(self, stop: threading.Event) -> None:
        pause = self._lease_s / 3
        while not stop.wait(pause):
            try:
                self.is_lost = not self.renew()
                pause = self._lease_s / 3
            except StoreError:
                pause = self._lease_s / 30  # the database is away: the lease may still hold when it is back
            if self.is_lost:
                return

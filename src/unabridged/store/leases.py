"""Turn leases: one running turn for each session. Whoever waits is served in order; a dead worker's lease runs out.

Each turn has a fence, a number that only grows. Entries are written under it: a worker that was taken for dead and
comes back writes nothing (M. Kleppmann, "How to do distributed locking", 2016, calls it a fencing token).
"""

from __future__ import annotations

import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Generator
from contextlib import contextmanager

from unabridged.errors import SessionBusy, UnabridgedError
from unabridged.store.database import Database, Transaction

LEASE_S = 30.0
"""Seconds without a sign of life after which a worker counts as dead."""
POLL_S = 0.05
SEEN_S = 10.0
"""Seconds that a place in the queue is kept for somebody who does not ask again."""


class Lease:
    """The right to write to a session: renewed in the background while its block runs."""

    def __init__(self, database: Database, session: tuple[int, str], *, lease_s: float = LEASE_S) -> None:
        self._database = database
        self._key, self._name = session
        self._lease_s = lease_s
        self._holder = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:12]}"
        self.fence: int | None = None
        self.taken_over = False
        """The turn before this one never ended: its worker died, or was too slow to show that it lives."""

    def take(self, wait_s: float) -> None:
        """Wait for the turn, at most `wait_s` seconds, in order. Raises `SessionBusy` when the time is over."""
        began, ticket = time.monotonic(), None
        try:
            while True:
                ticket = self._ask(ticket)
                if self.fence is not None:
                    return
                if time.monotonic() - began >= wait_s:
                    raise SessionBusy(self._name, wait_s)
                time.sleep(min(POLL_S, max(0.001, wait_s - (time.monotonic() - began))))
        finally:
            if self.fence is None and ticket is not None:
                with self._database.transaction() as writing:
                    writing.run("DELETE FROM queue WHERE ticket = ?", ticket)

    def _ask(self, ticket: int | None) -> int | None:
        with self._database.transaction() as writing:
            now = self._database.now(writing)
            writing.lock(f"turn of {self._key}", shared=False)
            row = writing.rows("SELECT fence, holder, held_until FROM sessions WHERE key = ?", self._key)[0]
            writing.run(
                "DELETE FROM queue WHERE session = ? AND (seen_until < ? OR seen_until > ?)",
                self._key,
                now,
                now + 10 * SEEN_S,
            )
            first = writing.rows("SELECT ticket FROM queue WHERE session = ? ORDER BY ticket LIMIT 1", self._key)
            free = not row[1] or not self._database.is_live(row[2], now)
            if free and (not first or first[0][0] == ticket):
                self.taken_over = bool(row[1])
                self._hold(writing, row[0] + 1, now)
                if ticket is not None:
                    writing.run("DELETE FROM queue WHERE ticket = ?", ticket)
                return None
            return self._wait(writing, ticket, now)

    def _hold(self, writing: Transaction, fence: int, now: float) -> None:
        sql = "UPDATE sessions SET fence = ?, holder = ?, held_until = ? WHERE key = ?"
        writing.run(sql, fence, self._holder, now + self._lease_s, self._key)
        self.fence = fence

    def _wait(self, writing: Transaction, ticket: int | None, now: float) -> int:
        if ticket is not None and writing.run("UPDATE queue SET seen_until = ? WHERE ticket = ?", now + SEEN_S, ticket):
            return ticket
        sql = "INSERT INTO queue (session, holder, seen_until) VALUES (?, ?, ?) RETURNING ticket"
        return int(writing.rows(sql, self._key, self._holder, now + SEEN_S)[0][0])

    def renew(self) -> bool:
        """Show a sign of life; False when another turn has taken over."""
        with self._database.transaction() as writing:
            now = self._database.now(writing)
            sql = "UPDATE sessions SET held_until = ? WHERE key = ? AND fence = ? AND holder = ?"
            return writing.run(sql, now + self._lease_s, self._key, self.fence, self._holder) == 1

    def give_back(self) -> None:
        """End the turn. Where another one took over there is nothing to end."""
        with self._database.transaction() as writing:
            sql = "UPDATE sessions SET holder = '', held_until = 0 WHERE key = ? AND fence = ? AND holder = ?"
            writing.run(sql, self._key, self.fence, self._holder)

    @contextmanager
    def kept_alive(self) -> Generator[None]:
        """Renew in the background while the block runs."""
        stop = threading.Event()
        thread = threading.Thread(target=self._renewing, args=(stop.wait,), name=f"lease of {self._name}", daemon=True)
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()

    def _renewing(self, stopped: Callable[[float], bool]) -> None:
        while not stopped(self._lease_s / 3):
            try:
                if not self.renew():
                    return
            except UnabridgedError:
                continue  # the database is away: the next append says so, and the lease may still hold when it is back

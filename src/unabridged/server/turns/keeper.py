"""What goes on beside the turns, in one thread of the process: frames are stored, leases renewed, dead turns adopted.

All that came up since the last time goes into one transaction, whatever the number of turns.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from unabridged.errors import StoreError
from unabridged.server.turns.live import Live
from unabridged.server.turns.rows import TurnRow, TurnRows, write_ends, write_frames
from unabridged.store.database import Database, Taken
from unabridged.store.holders import is_gone
from unabridged.store.leases import LEASE_S, Lease

LOG = logging.getLogger("unabridged.server")
TICK_S = 0.2
"""How often frames are stored: whoever watches from another process sees them so much later."""
LIVE_S = 3.0
LOOK_S = 1.0
"""How often turns of dead workers are looked for, and turns that somebody wants stopped."""
CLEAN_S = 60.0


class Keeper:
    """Keeps the turns of one process."""

    def __init__(
        self,
        database: Database,
        rows: TurnRows,
        *,
        adopt: Callable[[TurnRow], None],
        frame_s: float,
        sweep: Callable[[float], object],
        flush: Callable[[], None],
    ) -> None:
        self._database = database
        self._rows = rows
        self._adopt = adopt
        self._frame_s = frame_s
        self._sweep = sweep
        """Removes uploads that have waited for too long at a time, in seconds since 1970."""
        self._flush = flush
        """Stores what was counted and is not stored yet."""
        self._lives: dict[int, Live] = {}
        self._leases: set[Lease] = set()
        self._changing = threading.Lock()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="keeper of turns", daemon=True)
        self._due = {self._renew: 0.0, self._look: 0.0, self._clean: time.monotonic() + CLEAN_S}
        self._seen = 0.0

    def start(self) -> None:
        """Begin. Raises `StoreError` where the database cannot be written."""
        with self._database.transaction() as writing:
            self._rows.live(writing)
        self._thread.start()

    def close(self) -> None:
        """Store what is left, and end."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._tick(self.store)
        self._tick(self._flush)
        self._tick(self._rows.leave)

    def add(self, live: Live) -> None:
        """Keep a turn from now on."""
        with self._changing:
            self._lives[live.key] = live

    def find(self, key: int) -> Live | None:
        """Give a turn that runs here, or ended so lately that it is not stored yet."""
        return self._lives.get(key)

    @property
    def lives(self) -> list[Live]:
        """Give the turns that run here."""
        with self._changing:
            return list(self._lives.values())

    def over(self) -> frozenset[int]:
        """Give the keys of the turns that ended here so lately that it is not stored yet."""
        return frozenset(live.key for live in self.lives if live.outcome is not None)

    def hold(self, lease: Lease) -> None:
        """Renew a lease from now on."""
        with self._changing:
            self._leases.add(lease)

    def release(self, lease: Lease) -> None:
        """Renew it no longer."""
        with self._changing:
            self._leases.discard(lease)

    def store(self) -> None:
        """Store what the turns have sent since the last time, and those that ended."""
        lives = self.lives
        pieces = [(live, piece) for live in lives if (piece := live.unstored()) is not None]
        over = [live for live in lives if live.is_over]
        alive = time.monotonic() - self._seen > LIVE_S
        if not (pieces or over or alive):
            return
        with self._database.transaction() as writing:
            write_frames(writing, [(live.key, *piece) for live, piece in pieces])
            ends = [(live.key, live.outcome) for live in over if live.outcome is not None]
            if ends:
                write_ends(writing, self._rows.holder, ends)
            if alive:
                self._rows.live(writing)
        self._seen = time.monotonic() if alive else self._seen
        for live, (_, last, _) in pieces:
            live.keep(last)
        with self._changing:
            for live in over:
                if live.unstored() is None:
                    self._lives.pop(live.key, None)

    def _run(self) -> None:
        while not self._stop.wait(TICK_S):
            self._tick(self.store)
            self._tick(self._flush)
            now = time.monotonic()
            for work, due in list(self._due.items()):
                if now >= due:
                    self._due[work] = now + _EVERY[work.__name__]
                    self._tick(work)

    def _tick(self, work: Callable[[], None]) -> None:
        try:
            work()
        except StoreError as error:  # it is done again with the next tick
            LOG.warning("the database cannot be written now (%s): turns go on, and are stored later", error.fault)
        except Taken:  # a session was erased at this moment, with its turns: the next tick finds none of them
            LOG.debug("a session was erased while its turns were stored")
        except Exception:  # this thread must outlive whatever it meets: without it every lease would run out
            LOG.exception("a fault while turns were kept")

    def _renew(self) -> None:
        with self._changing:
            leases = list(self._leases)
        if not leases:
            return
        with self._database.transaction() as writing:
            lost = [lease for lease in leases if not lease.renew_within(writing)]
        for lease in lost:
            lease.is_lost = True
            self.release(lease)

    def _look(self) -> None:
        for key in self._rows.stopped():
            live = self.find(key)
            if live is not None and live.future is not None:
                live.future.cancel()
        others = self._rows.others()
        if not others:
            return
        with self._database.transaction() as writing:
            now = self._database.now(writing)
        for key, holder, seen_until in others:
            if not holder or seen_until < now or is_gone(holder):
                row = self._rows.adopt(key, holder)
                if row is not None:
                    LOG.info("turn %d of session %s goes on here: its worker is gone", row.number, row.stored.session)
                    self._adopt(row)

    def _clean(self) -> None:
        self._rows.clean(self._frame_s)
        self._sweep(time.time())


_EVERY = {"_renew": LEASE_S / 3, "_look": LOOK_S, "_clean": CLEAN_S}

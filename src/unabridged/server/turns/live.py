"""A turn that runs in this process: its frames, held until they are stored and everybody here has them."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from itertools import islice

from unabridged.server.frames import EndFrame, Frame, event_of
from unabridged.server.turns.rows import Outcome, TurnRow

ATTEMPT = 1_000_000
"""By so much the numbers of frames rise with each worker: a dead one may have sent some that were never stored."""


class Watcher:
    """Somebody who follows a turn in an event loop of this process."""

    def __init__(self, after: int) -> None:
        self.after = after
        """The number of the last frame that he has."""
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[None] | None = None

    async def wait(self, seconds: float) -> bool:
        """Wait until there is more, at most so long; tell whether there is."""
        waiting = self._waiting
        if waiting is not None:
            await asyncio.wait([waiting], timeout=seconds)
        return waiting is None or waiting.done()

    def expect(self) -> None:
        """Say that the next frame is waited for. The turn's lock is held."""
        if self._waiting is None or self._waiting.done():
            self._waiting = self._loop.create_future()

    def wake(self) -> None:
        """Say that there is more, from whichever thread. The turn's lock is held."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            self._loop.call_soon_threadsafe(_done, waiting)


def _done(waiting: asyncio.Future[None]) -> None:
    if not waiting.done():
        waiting.set_result(None)


class Live:
    """One turn that runs here."""

    def __init__(self, row: TurnRow, measure: Callable[[Frame], None]) -> None:
        self.row = row
        self._measure = measure
        self.future: Future[None] | None = None
        """Of the task that runs it."""
        self.handed_over = False
        """It goes on elsewhere: this process ends."""
        self.stops_alone = False
        """It is stopped when nobody watches it any more."""
        self.outcome: Outcome | None = None
        self.last = (row.attempt - 1) * ATTEMPT
        """The number of the newest frame."""
        self.stored = self.last
        """The number of the newest frame that is stored."""
        self._first = self.last + 1
        self._events: deque[bytes] = deque()
        self._watchers: set[Watcher] = set()
        self._lock = threading.Lock()

    @property
    def key(self) -> int:
        """Of its row."""
        return self.row.key

    @property
    def watched(self) -> int:
        """How many watch it here."""
        return len(self._watchers)

    def publish(self, frame: Frame) -> None:
        """Send a frame to all who watch."""
        self._measure(frame)
        with self._lock:
            self.last += 1
            self._events.append(event_of(frame, f"{self.row.number}.{self.last}"))
            if isinstance(frame, EndFrame):
                self.outcome = Outcome(frame, self.last)
            for watcher in self._watchers:
                watcher.wake()

    def leave(self) -> None:
        """Wake all who watch: nothing more comes from here."""
        with self._lock:
            self.handed_over = True
            for watcher in self._watchers:
                watcher.wake()

    def watch(self, after: int) -> Watcher:
        """Begin to watch."""
        watcher = Watcher(after)
        with self._lock:
            self._watchers.add(watcher)
        return watcher

    def unwatch(self, watcher: Watcher) -> None:
        """Watch no longer."""
        with self._lock:
            self._watchers.discard(watcher)

    def take(self, watcher: Watcher) -> bytes | int:
        """Give what a watcher does not have yet; empty where that is all so far.

        A number says that frames before it lie in the store only: read them, and `skip` to it.
        """
        with self._lock:
            if watcher.after + 1 < self._first:
                return self._first
            skipped = watcher.after + 1 - self._first
            if skipped >= len(self._events):
                watcher.expect()
                return b""
            watcher.after = self.last
            return b"".join(islice(self._events, skipped, None))

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes from here."""
        return self.outcome is not None or self.handed_over

    def unstored(self) -> tuple[int, int, bytes] | None:
        """Give the frames that are not stored yet: first, last, events."""
        with self._lock:
            count = self.last - self.stored
            if not count:
                return None
            return self.stored + 1, self.last, b"".join(islice(self._events, len(self._events) - count, None))

    def keep(self, upto: int) -> None:
        """Note that frames are stored, and let go of those that everybody here has."""
        with self._lock:
            self.stored = max(self.stored, upto)
            seen = min([self.stored, *(watcher.after for watcher in self._watchers)])
            while self._events and self._first <= seen:
                self._events.popleft()
                self._first += 1

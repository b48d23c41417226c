"""Event loops in threads of their own: whatever a turn waits for there, no request of others waits with it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from typing import Any


class Loops:
    """Some event loops. All that belongs to one session runs in one of them, one after the other."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._loops: list[asyncio.AbstractEventLoop] = []
        self._threads: list[threading.Thread] = []
        self._turns: dict[int, tuple[asyncio.Lock, int]] = {}

    def start(self) -> None:
        """Begin. Without threads of their own, turns run in the loop that this is called in."""
        if not self._count:
            self._loops.append(asyncio.get_running_loop())
        for number in range(self._count):
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=_run, args=(loop,), name=f"turns {number}", daemon=True)
            self._loops.append(loop)
            self._threads.append(thread)
            thread.start()

    def run(self, session: int, work: Callable[[], Awaitable[None]]) -> Future[None]:
        """Run something of a session, after all that was given for it before."""
        return asyncio.run_coroutine_threadsafe(
            self._after_others(session, work), self._loops[session % len(self._loops)]
        )

    def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what still runs, wait for it, do a last thing in each loop, and end."""
        for loop in self._loops:
            asyncio.run_coroutine_threadsafe(_cancel_all(), loop).result()
            asyncio.run_coroutine_threadsafe(last(), loop).result()
            loop.call_soon_threadsafe(loop.stop)
        for thread in self._threads:
            thread.join()
        for loop in self._loops:
            loop.close()

    async def _after_others(self, session: int, work: Callable[[], Awaitable[None]]) -> None:
        lock, waiting = self._turns.get(session, (None, 0))
        lock = lock or asyncio.Lock()
        self._turns[session] = (lock, waiting + 1)
        try:
            async with lock:
                await work()
        finally:
            lock, waiting = self._turns[session]
            if waiting == 1:
                del self._turns[session]
            else:
                self._turns[session] = (lock, waiting - 1)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


async def _cancel_all() -> None:
    """Cancel all other tasks of this loop, and wait for them."""
    own: asyncio.Task[Any] | None = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not own]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)

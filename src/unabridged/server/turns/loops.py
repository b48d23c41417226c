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
        self._tasks: set[asyncio.Task[Any]] = set()
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

    async def close(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Cancel what still runs, wait for it, do a last thing in each loop, and end."""
        for loop in self._loops:
            await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._end(last), loop))
        for loop, thread in zip(self._loops, self._threads, strict=False):
            loop.call_soon_threadsafe(loop.stop)
            await asyncio.to_thread(thread.join)
            loop.close()

    async def _end(self, last: Callable[[], Coroutine[Any, Any, None]]) -> None:
        here = asyncio.get_running_loop()
        tasks = [task for task in self._tasks if task.get_loop() is here]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await last()

    async def _after_others(self, session: int, work: Callable[[], Awaitable[None]]) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
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

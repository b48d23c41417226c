"""Work on files, off the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")


async def aside(work: Callable[[], _T]) -> _T:
    """Do work in a thread. Cancelled, it is waited for all the same: nothing changes behind the caller's back."""
    running = asyncio.ensure_future(asyncio.to_thread(work))
    stopped: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            stopped = error
    if stopped is not None:
        running.exception()  # looked at, or it is reported as forgotten
        raise stopped
    return running.result()

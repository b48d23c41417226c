"""HTTP clients, one for each event loop: their connections belong to the loop in which they were opened.

A script with an `asyncio.run` for each turn has several loops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class PerLoop(Generic[_T]):
    """One client for each event loop. The first is made at once, so that what is wrong with it is known at once."""

    def __init__(self, make: Callable[[], _T]) -> None:
        self._make = make
        self._first: _T | None = make()
        self._made: dict[asyncio.AbstractEventLoop, _T] = {}

    @property
    def made(self) -> bool:
        """Tell whether there is one to close in the running loop."""
        return self._first is not None or asyncio.get_running_loop() in self._made

    def get(self) -> _T:
        """Give the client of the running loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            self._made = {one: client for one, client in self._made.items() if not one.is_closed()}
            self._made[loop] = self._make() if self._first is None else self._first
            self._first = None
        return self._made[loop]

    def take(self) -> _T:
        """Give the client of the running loop for the last time, to be closed. A later `get` makes another."""
        client = self.get()
        del self._made[asyncio.get_running_loop()]
        return client

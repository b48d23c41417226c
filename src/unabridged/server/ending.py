"""How a process ends: asked once, it lets its turns come to their end; asked again, it hands them over at once."""

from __future__ import annotations

import asyncio

from unabridged.server.turns.turns import Turns


class Ending:
    """Of one process. `begin` and `hurry` may be called by a signal."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns
        # No events of `threading`: those have a lock, and a signal may come while it is held.
        self._is_begun = self._is_hurried = False
        self._task: asyncio.Task[None] | None = None

    @property
    def is_begun(self) -> bool:
        """Whether this process is about to end: it takes no more turns."""
        return self._is_begun

    def begin(self) -> None:
        """Say that this process is about to end."""
        self._is_begun = True
        self._turns.refuse()

    def hurry(self) -> None:
        """Have turns that still run handed over now."""
        self._is_hurried = True

    async def turns_down(self) -> None:
        """Let the turns come to their end, for as long as they have; again it waits for the same."""
        self.begin()
        if self._task is None:
            self._task = asyncio.ensure_future(self._turns.close(lambda: self._is_hurried))
        await asyncio.shield(self._task)

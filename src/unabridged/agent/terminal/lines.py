"""A terminal that only takes lines (`TERM=dumb`): nothing is live, everything is printed once."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Mapping, Sequence

from rich.console import Console, RenderableType

from unabridged.agent.terminal.cards import menu
from unabridged.agent.terminal.ink import ink_of
from unabridged.agent.terminal.screen import Typist


class LineScreen:
    """Implements `Screen` with plain lines."""

    def __init__(self) -> None:
        self._console = Console(highlight=False, no_color=True)
        self._waiting: asyncio.Future[str] | None = None
        self._left = asyncio.Event()
        self._typist: Typist | None = None

    @property
    def console(self) -> Console:
        """Where it is printed."""
        return self._console

    async def run(self, typist: Typist) -> None:
        """Take lines until somebody leaves."""
        self._typist = typist
        loop = asyncio.get_running_loop()
        loop.add_reader(sys.stdin.fileno(), self._read)
        loop.add_signal_handler(signal.SIGINT, self._stopped)
        self._prompt()
        try:
            await self._left.wait()
        finally:
            loop.remove_reader(sys.stdin.fileno())
            loop.remove_signal_handler(signal.SIGINT)

    def show(self, *what: RenderableType) -> None:
        """Print."""
        for each in what:
            self._console.print(each)

    def refresh(self) -> None:
        """Nothing is live."""

    async def choose(self, shown: Sequence[RenderableType], keys: Mapping[str, str], none: str) -> str:
        """Ask for a key, and for Enter behind it."""
        self.show(*shown, menu(list(keys.items()), ink_of(self._console)))
        while True:
            typed = (await self.line("?")).lower()[:1]
            if not typed or typed in keys:
                return typed or none

    async def line(self, label: str) -> str:
        """Ask for a line."""
        self._console.print(f"{label} ", end="")
        self._waiting = asyncio.get_running_loop().create_future()
        try:
            return (await self._waiting).strip()
        finally:
            self._waiting = None

    def prefill(self, text: str) -> None:
        """Print a text to be typed anew."""
        self._console.print(text, markup=False)

    def leave(self) -> None:
        """End."""
        self._left.set()

    def _read(self) -> None:
        line = sys.stdin.readline()
        if not line:
            self.leave()
        elif self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(line)
        else:
            if line.strip() and self._typist is not None:
                self._typist.submit(line.rstrip("\n"))
            self._prompt()

    def _stopped(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result("")
        elif self._typist is None or not self._typist.interrupt():
            self.leave()

    def _prompt(self) -> None:
        self._console.print("> ", end="")

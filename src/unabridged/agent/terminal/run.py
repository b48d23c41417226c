"""Runs the agent in a terminal: the prompt first, then all that takes a while to open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from unabridged.agent.settings import Settings
from unabridged.agent.terminal.front import Front
from unabridged.agent.terminal.ink import DIM
from unabridged.agent.terminal.obeying import meanings, obey
from unabridged.agent.terminal.screen import Screen

if TYPE_CHECKING:
    from unabridged.agent.assembly import Assembling


class Opening(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be opened."""

    settings: Settings
    folder: Path
    store: str | None = None
    text: str = ""
    """What is done first."""
    goes_on: bool = False
    resume: str | None = None
    """The beginning of an id; "" lists the sessions to choose from."""
    assemble: Assembling | None = None
    """Puts other tools together than the usual ones."""


def run(opening: Opening) -> int:
    """Run until the person leaves, and give the exit code."""
    return asyncio.run(_Run(opening).code())


class _Run:
    def __init__(self, opening: Opening) -> None:
        self._opening = opening
        self._left = asyncio.Event()
        self._failed: BaseException | None = None
        self._session = ""

    async def code(self) -> int:
        screen = _screen(self._opening)
        front = Front(screen, self._opening.folder.expanduser().resolve(), obey)
        with contextlib.suppress(NotImplementedError, ValueError):  # no such signals here
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, screen.leave)
        if self._opening.text and not self._opening.goes_on and self._opening.resume is None:
            front.submit(self._opening.text)
        keeping = asyncio.ensure_future(self._keep_open(front))
        try:
            await screen.run(front)
        finally:
            self._left.set()
            await asyncio.gather(keeping, return_exceptions=True)
        if self._failed is not None:
            raise self._failed
        if self._session:
            front.say(f"go on with: unabridged agent --resume {self._session[:12]}", DIM)
        return 0

    async def _keep_open(self, front: Front) -> None:
        """Open everything, and close it when the person has left. What cannot be opened ends it."""
        try:
            # The engine takes half a second to import: the prompt is up meanwhile.
            await asyncio.to_thread(__import__, "unabridged.agent.opening")
            from unabridged.agent.opening import Wanted, opened
            from unabridged.agent.watching import Watcher

            asked = self._opening
            wanted = Wanted(settings=asked.settings, folder=asked.folder, store=asked.store)
            if asked.assemble is not None:
                wanted = msgspec.structs.replace(wanted, assemble=asked.assemble)
            async with opened(wanted, front.ask) as office:
                desk = office.desk(Watcher(tell=front.tell))
                front.say(f"{office.chosen.says}. /help lists commands", DIM)
                front.opened(office, desk)
                try:
                    await self._begin(front)
                    await self._left.wait()
                finally:
                    await front.ended()
                    self._session = desk.session
        except BaseException as error:  # whatever it is, `code` raises it when the terminal is whole again
            self._failed = error
            front.screen.leave()

    async def _begin(self, front: Front) -> None:
        """Open the session that was asked for."""
        from unabridged.agent.terminal.about_session import show_resumed

        asked = self._opening
        if asked.resume == "":
            front.submit("/resume")
        elif asked.resume is not None or asked.goes_on:
            resumed = front.desk.resume(asked.resume)
            show_resumed(front, resumed)
            if asked.goes_on and resumed.is_interrupted and not asked.text:
                front.work(front.turn(None))
        if asked.text and (asked.goes_on or asked.resume is not None):
            front.submit(asked.text)


def _screen(opening: Opening) -> Screen:
    if os.environ.get("TERM", "dumb") in ("dumb", "unknown", ""):
        from unabridged.agent.terminal.lines import LineScreen

        return LineScreen()
    from unabridged.agent.terminal.full import FullScreen
    from unabridged.agent.terminal.recall import recall

    return FullScreen(meanings(), opening.folder, recall())

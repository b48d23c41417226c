"""What typed words come to: a turn, a command, a line for the shell, or a place in the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import RenderableType
from rich.text import Text

from unabridged.agent.events import Event
from unabridged.agent.permissions.questions import Answer, Choice, Mode, Question
from unabridged.agent.terminal.cards import choices, question
from unabridged.agent.terminal.expanding import expanded
from unabridged.agent.terminal.ink import BAD, DIM, OWN, ink_of, one_line, plain
from unabridged.agent.terminal.meter import Status, status_line
from unabridged.agent.terminal.screen import Screen
from unabridged.agent.terminal.telling import Telling
from unabridged.agent.unforeseen import unforeseen
from unabridged.errors import UnabridgedError

if TYPE_CHECKING:
    from unabridged.agent.desk import Desk
    from unabridged.agent.opening import Office

Obeying = Callable[["Front", str], Awaitable[None]]
"""Carries out a line that begins with a slash."""


class Front:
    """Stands between a person and the desk. One thing runs at a time; what is typed meanwhile waits."""

    def __init__(self, screen: Screen, root: Path, obeying: Obeying) -> None:
        self.screen = screen
        self.telling = Telling(screen)
        self.notes: list[str] = []
        """What the model is told with the next message: what a person ran in between."""
        self._root = root
        self._branch = _branch(root)
        self._obeying = obeying
        self._office: Office | None = None
        self._desk: Desk | None = None
        self._queue: list[str] = []
        self._running: asyncio.Task[None] | None = None

    # What the screen asks for.

    @property
    def is_busy(self) -> bool:
        """Something runs."""
        return self._running is not None and not self._running.done()

    def live(self, width: int) -> Sequence[RenderableType]:
        """Give what is still coming."""
        made = list(self.telling.live(width))
        if self._desk is None and self._queue:
            made.append(plain("opening the session", DIM))
        return [*made, *(plain(f"  queued: {one_line(text)[: max(width - 12, 8)]}", DIM) for text in self._queue)]

    def status(self, width: int) -> list[tuple[str, str]]:
        """Give the line below the input."""
        office = self._office
        status = Status(
            meter=self.telling.meter,
            mode=office.mode.value if office is not None else "",
            model=office.shop.model.name if office is not None else "opening",
            folder=self._root.name or str(self._root),
            branch=self._branch,
            sandbox=office.parts.level if office is not None else "",
            queued=len(self._queue),
        )
        return status_line(status, ink_of(self.screen.console), width)

    def submit(self, text: str) -> None:
        """Take a text that was sent."""
        self.screen.show(_echo(text, self.screen))
        if text.startswith("/") and self._desk is not None:
            self._begin_beside(self._obeying(self, text.strip()))
        elif self.is_busy or self._desk is None:
            self._queue.append(text)
        else:
            self._begin(self._taken(text))
        self.screen.refresh()

    def interrupt(self) -> bool:
        """Stop what runs; what waits behind it is left out too."""
        if self._running is None or self._running.done():
            return False
        self._queue.clear()
        self._running.cancel()
        return True

    def cycle_mode(self) -> None:
        """Go to the next mode."""
        if self._office is not None:
            modes = list(Mode)
            self._office.switch_mode(modes[(modes.index(self._office.mode) + 1) % len(modes)])

    # What commands work with.

    @property
    def desk(self) -> Desk:
        """Give the desk, which is open."""
        assert self._desk is not None
        return self._desk

    @property
    def office(self) -> Office:
        """Give what is open."""
        assert self._office is not None
        return self._office

    def say(self, words: str, style: str = "") -> None:
        """Print a line."""
        self.screen.show(plain(words, style))

    def fail(self, error: BaseException) -> None:
        """Print what went wrong, in one line."""
        self.say(one_line(str(error)) or type(error).__name__, BAD)

    def opened(self, office: Office, desk: Desk) -> None:
        """Take what was opened, and begin with what waits."""
        self._office, self._desk = office, desk
        self.screen.refresh()
        self.next()

    def next(self) -> None:
        """Go on with what waits."""
        if self._queue and not self.is_busy and self._desk is not None:
            text = self._queue.pop(0)
            if text.startswith("/"):
                self._begin_beside(self._obeying(self, text.strip()))
            else:
                self._begin(self._taken(text))

    def work(self, working: Coroutine[Any, Any, object]) -> None:
        """Run something that can be interrupted."""
        self._begin(working)

    async def turn(self, text: str | None) -> None:
        """Take a turn; how it ended was told."""
        await self.desk.turn(text)

    async def ask(self, asked: Question) -> Answer:
        """Ask a person about a call."""
        ink = ink_of(self.screen.console)
        key = await self.screen.choose(question(asked, ink), choices(asked), "n")
        if key != "n":
            return Answer({"y": Choice.ONCE, "s": Choice.SESSION, "a": Choice.ALWAYS}[key])
        return Answer(Choice.REJECT, await self.screen.line("no: what instead? (Enter: nothing)"))

    async def _taken(self, text: str) -> None:
        if text.startswith("!"):
            await self._shell(text[1:].strip())
            return
        found = expanded(text, self.office.shop.workspace)
        for note in found.notes:
            self.say(note, DIM)
        notes, self.notes = self.notes, []
        await self.turn("\n\n".join((*notes, found.text)))

    async def _shell(self, command: str) -> None:
        from unabridged.agent.terminal.shelling import shelled

        tool = self.office.shell
        if tool is None:
            self.say("there is no shell here: no tool of this session runs commands", BAD)
        elif command:
            self.notes.append(await shelled(tool, command, self.telling.tell))

    def _begin(self, working: Coroutine[Any, Any, object]) -> None:
        if self.is_busy:
            working.close()
            self.say("something runs: Esc interrupts it", BAD)
            return
        self.telling.is_busy = True
        self._running = asyncio.ensure_future(self._guarded(working))
        self._running.add_done_callback(self._over)

    def _begin_beside(self, working: Awaitable[None]) -> None:
        """Carry out a command, which may begin something that runs."""

        async def obeyed() -> None:
            try:
                await working
            except (UnabridgedError, OSError) as error:
                self.fail(error)
            except Exception as error:  # as below
                self.say(unforeseen(error), BAD)
            self.screen.refresh()

        self._beside = asyncio.ensure_future(obeyed())

    async def _guarded(self, working: Coroutine[Any, Any, object]) -> None:
        try:
            await working
        except asyncio.CancelledError:
            return  # what was interrupted has said so
        except (UnabridgedError, OSError) as error:
            self.fail(error)
        except Exception as error:  # a fault of ours must not take the terminal, and what was typed, with it
            self.say(unforeseen(error), BAD)

    def _over(self, _: object) -> None:
        self.telling.clear()
        self.telling.is_busy = False
        self.screen.refresh()
        self.next()

    def tell(self, event: Event) -> None:
        """Show an event."""
        self.telling.tell(event)

    async def ended(self) -> None:
        """Stop what runs, and wait until its session is whole."""
        self.interrupt()
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)


def _echo(text: str, screen: Screen) -> Text:
    made = Text("\n").append(f"{ink_of(screen.console).prompt} ", OWN)
    return made.append_text(plain(text.replace("\n", "\n  "), "bold"))


def _branch(root: Path) -> str:
    """Give the branch of git that is checked out; "" where there is none."""
    for folder in (root, *root.parents):
        try:
            said = (folder / ".git" / "HEAD").read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            continue
        return said.removeprefix("ref: refs/heads/")[: 100 if said.startswith("ref:") else 8]
    return ""

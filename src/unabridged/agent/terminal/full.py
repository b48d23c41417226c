"""A terminal with a live part: what is whole is printed above, what is still coming is drawn above the input."""

from __future__ import annotations

import asyncio
import io
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, AnyFormattedText, to_formatted_text
from prompt_toolkit.formatted_text.base import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.styles import Style
from rich.console import Console, RenderableType

from unabridged.agent.terminal.cards import menu
from unabridged.agent.terminal.completing import Completing
from unabridged.agent.terminal.ink import ink_of
from unabridged.agent.terminal.keys import bindings
from unabridged.agent.terminal.screen import Typist

TICK_S = 0.25
"""How often what is live is drawn anew while something runs."""
TWICE_S = 2.0
"""Within how many seconds a second Ctrl-C leaves."""
STYLE = Style.from_dict(
    {
        "bottom-toolbar": "noreverse",
        "bottom-toolbar.text": "noreverse",
        "prompt": "ansicyan bold",
        "meter.calm": "ansigreen",
        "meter.warn": "ansiyellow",
        "meter.full": "ansired bold",
        "mode": "ansicyan",
        "model": "bold",
        "queued": "ansiyellow",
        "gap": "ansibrightblack",
        "place": "ansibrightblack",
        "sandbox": "ansibrightblack",
    }
)


class _Question:
    def __init__(self, shown: Sequence[RenderableType], keys: Mapping[str, str], none: str) -> None:
        self.shown = shown
        self.keys = keys
        self.none = none
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()


class FullScreen:
    """Implements `Screen` with prompt_toolkit and rich."""

    def __init__(self, commands: Mapping[str, str], root: Path, history: History) -> None:
        self._printed = Console(highlight=False)
        self._pending: list[RenderableType] = []
        self._draining: asyncio.Task[None] | None = None
        self._ink = ink_of(self._printed)
        self._question: _Question | None = None
        self._line: tuple[str, asyncio.Future[str], Document] | None = None
        self._typist: Typist | None = None
        self._stopped = -TWICE_S
        """When Ctrl-C was pressed last."""
        self._session: PromptSession[str] = PromptSession(
            message=self._message,
            multiline=True,
            history=history,
            completer=Completing(commands, root),
            complete_while_typing=Condition(self._completes),
            complete_in_thread=True,
            enable_history_search=False,
            key_bindings=bindings(self),
            bottom_toolbar=self._toolbar,
            prompt_continuation="  ",
            style=STYLE,
            mouse_support=False,
        )
        app = self._session.app
        app.ttimeoutlen, app.timeoutlen, app.min_redraw_interval = 0.05, 0.3, 0.04

    @property
    def console(self) -> Console:
        """Where it is printed."""
        return self._printed

    async def run(self, typist: Typist) -> None:
        """Take what is typed until somebody leaves."""
        self._typist = typist
        ticking = asyncio.ensure_future(self._tick())
        # While something is printed the terminal is in its usual mode, where Ctrl-C is a signal and no key.
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self.control_c)
        try:
            await self._session.prompt_async(handle_sigint=False)
        except (EOFError, KeyboardInterrupt):
            pass
        finally:
            ticking.cancel()
            self._flush()

    def show(self, *what: RenderableType) -> None:
        """Print above the input, in order."""
        self._pending += what
        if not self._session.app.is_running:
            self._flush()
        elif self._draining is None or self._draining.done():
            self._draining = asyncio.ensure_future(self._drain())

    def refresh(self) -> None:
        """Draw the live part anew."""
        self._session.app.invalidate()

    async def choose(self, shown: Sequence[RenderableType], keys: Mapping[str, str], none: str) -> str:
        """Ask for a key."""
        self._question = _Question(shown, keys, none)
        self.refresh()
        try:
            return await self._question.answer
        finally:
            self._question = None
            self.refresh()

    async def line(self, label: str) -> str:
        """Ask for a line; what was being typed comes back afterwards."""
        buffer = self._session.default_buffer
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._line = (label, answer, buffer.document)
        buffer.reset()
        self.refresh()
        try:
            return await answer
        finally:
            self._said("", only=answer)  # whoever asked may have been stopped

    def prefill(self, text: str) -> None:
        """Put a text into the input."""
        self._session.default_buffer.document = Document(text)
        self.refresh()

    def leave(self) -> None:
        """End."""
        app = self._session.app
        if app.is_running and not app.is_done:
            app.exit(result="")

    # What keys do: `keys.py` says which.

    @property
    def is_asking(self) -> bool:
        """A key is waited for."""
        return self._question is not None

    @property
    def is_busy(self) -> bool:
        """Something runs that can be interrupted, or an answer is waited for that can be left out."""
        return self._line is not None or (self._typist is not None and self._typist.is_busy)

    def answer(self, key: str) -> None:
        """Take a key that was waited for; others do nothing."""
        asked = self._question
        if asked is not None and key in asked.keys and not asked.answer.done():
            asked.answer.set_result(key)

    def escape(self) -> None:
        """Leave a question out, or stop what runs."""
        if self._question is not None:
            if not self._question.answer.done():
                self._question.answer.set_result(self._question.none)
        elif self._line is not None:
            self._said("")
        elif self._typist is not None:
            self._typist.interrupt()

    def control_c(self) -> None:
        """Stop what runs, or forget what was typed; twice, leave."""
        again = time.monotonic() - self._stopped < TWICE_S
        self._stopped = time.monotonic()
        stopped = self._typist is not None and self._typist.interrupt()
        if again:
            self.leave()
        elif not stopped:
            self.escape()
            self._session.default_buffer.reset()

    def enter(self) -> None:
        """Send what was typed."""
        buffer = self._session.default_buffer
        text = buffer.text
        if self._line is not None:
            self._said(text.strip())
        elif text.strip() and self._typist is not None:
            buffer.reset(append_to_history=True)
            self._typist.submit(text)

    def _said(self, text: str, *, only: asyncio.Future[str] | None = None) -> None:
        """Give a line that was asked for. What was being typed before is back at once, ahead of the next key."""
        if self._line is not None and only in (None, self._line[1]):
            _, answer, before = self._line
            self._line = None
            self._session.default_buffer.document = before
            if not answer.done():
                answer.set_result(text)

    def cycle_mode(self) -> None:
        """Go to the next mode."""
        if self._typist is not None:
            self._typist.cycle_mode()
            self.refresh()

    def _completes(self) -> bool:
        before = self._session.default_buffer.document.text_before_cursor
        word = before.rpartition(" ")[2]
        return self._line is None and (word.startswith("@") or (before.startswith("/") and " " not in before))

    def _message(self) -> StyleAndTextTuples:
        width = self._printed.width
        label = f"{self._ink.prompt} " if self._line is None else f"{self._line[0]} {self._ink.prompt} "
        drawn: list[RenderableType] = []
        if self._question is not None:
            drawn = [*self._question.shown, menu(list(self._question.keys.items()), self._ink)]
        elif self._typist is not None:
            drawn = list(self._typist.live(width))
        lines = self._drawn(drawn, width, whole=self._question is not None)
        above: AnyFormattedText = ANSI("".join(f"{line}\n" for line in lines)) if lines else ""
        return [*to_formatted_text(above), ("class:prompt", label)]

    def _drawn(self, what: Sequence[RenderableType], width: int, *, whole: bool) -> list[str]:
        if not what:
            return []
        rows = self._printed.height
        most = max(rows - 5, 4) if whole else max(min(14, rows // 2), 3)
        console = Console(
            file=io.StringIO(),
            force_terminal=self._printed.is_terminal,
            width=width,
            color_system=self._printed.color_system,  # type: ignore[arg-type]  # rich gives its name as a plain str
            no_color=self._printed.no_color,
            highlight=False,
        )
        with console.capture() as captured:
            console.print(*what, sep="\n")
        lines = captured.get().rstrip("\n").split("\n")
        # Of a question the end must be seen, where it says what can be answered; of an answer, what came last.
        return lines if len(lines) <= most else [f"({len(lines) - most} lines above)", *lines[-most:]]

    def _toolbar(self) -> StyleAndTextTuples:
        return [*self._typist.status(self._printed.width)] if self._typist is not None else []

    async def _drain(self) -> None:
        while self._pending:
            await run_in_terminal(self._flush)

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        for each in pending:
            self._printed.print(each)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            if self.is_busy:
                self.refresh()

"""Shows what happens: what is whole is printed, what is still coming stays live."""

from __future__ import annotations

import time
from collections.abc import Sequence

from rich.console import RenderableType
from rich.markdown import Markdown
from rich.text import Text

from unabridged.agent import events
from unabridged.agent.events import Ending, Event, Move
from unabridged.agent.terminal.blocks import Blocks
from unabridged.agent.terminal.cards import card
from unabridged.agent.terminal.fits import divider
from unabridged.agent.terminal.ink import BAD, DIM, WARN, ink_of, one_line, plain
from unabridged.agent.terminal.meter import Meter
from unabridged.agent.terminal.running import Shown
from unabridged.agent.terminal.screen import Screen
from unabridged.models.model import CallStarted, Completed, ReasoningDelta, Restarted, TextDelta, ToolRan
from unabridged.models.model import Event as ModelEvent
from unabridged.report import Phase, Report

_MOVES = {
    Move.RECOVERED: "calls of an interrupted turn were answered with what is known of them",
    Move.CONTINUES: "the answer was cut off at its output limit: going on",
    Move.SAID_NOTHING: "the answer was empty: asking again",
    Move.GATE: "what was asked for is not shown yet: reminding the model once",
}


class Telling:
    """Takes the events of turns. What is live is asked for by the screen."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._ink = ink_of(screen.console)
        self._blocks = Blocks()
        self._calls: dict[str, Shown] = {}
        self._doing = ""
        self._compacting: float | None = None
        self._warned = False
        self.meter = Meter()
        self.is_busy = False

    def tell(self, event: Event) -> None:
        """Show an event."""
        match event:
            case events.StepStarted():
                self._doing = "thinking"
            case events.Streamed(event=heard):
                self._stream(heard)
            case events.Fitted(report=report):
                self._fitted(report)
            case events.Spent():
                self._spent(event)
            case events.Moved(move=move):
                words = _MOVES.get(move, "")
                if words:
                    self.note(words)
            case events.Ended():
                self._ended(event)
            case _:
                self._call(event)
        self._screen.refresh()

    def note(self, words: str, style: str = DIM) -> None:
        """Print a line about how it goes."""
        self._screen.show(plain(words, style))

    def live(self, width: int) -> Sequence[RenderableType]:
        """Give what is still coming."""
        made: list[RenderableType] = []
        if self._blocks.rest:
            made.append(Markdown(self._blocks.rest))
        for shown in self._calls.values():
            made += shown.lines(self._ink, width)
        if self._compacting is not None:
            seconds = time.monotonic() - self._compacting
            made.append(plain(f"compacting{self._ink.more} {seconds:.0f} s (Esc cancels; the history stays)", WARN))
        elif self.is_busy and not made and self._doing:
            made.append(plain(f"{self._doing}{self._ink.more} (Esc interrupts)", DIM))
        return made

    def _stream(self, heard: ModelEvent) -> None:
        match heard:
            case TextDelta(text=text):
                for block in self._blocks.feed(text):
                    self._print(block, first=self._blocks.given == 1)
            case ReasoningDelta():
                self._doing = "thinking"
            case CallStarted(name=name):
                self._doing = f"writing a call of {name}"
            case ToolRan(name=name):
                self.note(f"the provider ran {name}")
            case Restarted():
                self._void(heard)
            case Completed():
                self._flush()
            case _:
                pass

    def _void(self, restarted: Restarted) -> None:
        """Say that what was shown of an answer does not count: it comes again."""
        shown = self._blocks.given > 0
        self._blocks.finish()
        wait = f" in {restarted.wait_s:.0f} s" if restarted.wait_s >= 1 else ""
        why = one_line(restarted.why.quote)[:80] or restarted.why.kind.value.replace("_", " ")
        void = "; what stands above of this answer is void" if shown else ""
        self.note(f"the answer broke off ({why}): asking again{wait}{void}", WARN)

    def _flush(self) -> None:
        first = self._blocks.given == 0
        rest = self._blocks.finish()
        if rest.strip():
            self._print(rest, first=first)

    def _print(self, block: str, *, first: bool) -> None:
        del first  # each block is set off by an empty line, the first one from what stands before it
        self._screen.show(Text(), Markdown(plain(block).plain))

    def _fitted(self, report: Report) -> None:
        if report.phase is Phase.COMPACTING:
            self._compacting = time.monotonic()
            return
        self._compacting = None
        self._warned = False
        self.meter = Meter(tokens=report.tokens_after, budget=report.budget, window=report.window)
        shown = divider(report, self._ink, self._screen.console.width)
        if shown is not None:
            self._screen.show(shown)

    def _spent(self, spent: events.Spent) -> None:
        self._flush()
        output = spent.usage.output if spent.usage is not None else 0
        self.meter = Meter(tokens=spent.tokens + output, budget=spent.budget, window=spent.window)
        if self.meter.level != "calm" and not self._warned:
            self._warned = True
            self.note(
                f"{self.meter.words} is used, and it is compacted soon: /compact does it now, /new begins anew", WARN
            )

    def _call(self, event: Event) -> None:
        match event:
            case events.CallWaits(call_id=id, tool=tool, title=title):
                self._calls[id] = Shown(tool, title)
            case events.CallRuns(call_id=id) if id in self._calls:
                self._calls[id].began = time.monotonic()
            case events.CallSays(call_id=id, text=text) if id in self._calls:
                self._calls[id].says(text)
            case events.CallEnded():
                shown = self._calls.pop(event.call_id, None)
                title = shown.title if shown is not None else ""
                self._screen.show(*card(event, title, self._ink, self._screen.console.width))
            case _:
                pass

    def clear(self) -> None:
        """Forget what is live: the turn is over."""
        self._flush()
        self._calls.clear()
        self._compacting = None

    def _ended(self, ended: events.Ended) -> None:
        self.clear()
        if ended.ending is Ending.INTERRUPTED:
            self.note("interrupted: what was done so far is kept", WARN)
        elif ended.ending is not Ending.COMPLETED:
            style = WARN if ended.ending is Ending.UNVERIFIED else BAD
            self.note(f"{ended.ending.value.replace('_', ' ')}: {one_line(ended.detail)}", style)
        if ended.steps > 1 or ended.seconds >= 10:
            used = f", {ended.spent.input + ended.spent.output:,} tokens" if ended.spent is not None else ""
            self.note(f"{ended.steps} steps, {ended.seconds:.0f} s{used}")

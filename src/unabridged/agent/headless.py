"""The agent without a terminal: one turn, an answer on standard output, an exit code.

Interrupted by a signal, it leaves the session whole: what was heard is kept, and open calls are answered with what is
known of them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Literal, TextIO

import msgspec

from unabridged.agent import events
from unabridged.agent.desk import Desk, Resumed
from unabridged.agent.events import Ended, Ending, Event
from unabridged.agent.opening import Wanted, opened
from unabridged.agent.settings import Settings
from unabridged.agent.unforeseen import unforeseen
from unabridged.agent.watching import Watcher
from unabridged.errors import BadInput, UnabridgedError
from unabridged.report import Phase, Report, Usage

COMPLETED, FAILED, UNVERIFIED, LIMIT = 0, 1, 3, 4
CODES = {
    Ending.COMPLETED: COMPLETED,
    Ending.UNVERIFIED: UNVERIFIED,
    Ending.GATE_BLOCKED: UNVERIFIED,
    Ending.MAX_STEPS: LIMIT,
    Ending.TOKEN_BUDGET: LIMIT,
    Ending.LOOP: LIMIT,
    Ending.CANNOT_FIT: FAILED,
    Ending.MODEL_ERROR: FAILED,
    Ending.RECOVERY_FAILED: FAILED,
    Ending.TOOL_FAILURE: FAILED,
    Ending.INTERRUPTED: 128 + signal.SIGINT,
}
"""What each ending exits with."""


class Headless(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be done."""

    settings: Settings
    folder: Path
    store: str | None = None
    text: str = ""
    goes_on: bool = False
    session: str = ""
    """Its id, or the beginning of it, where one is opened again."""
    how: Literal["text", "json", "stream"] = "text"


class Result(msgspec.Struct, frozen=True, kw_only=True, tag="result"):
    """What a turn came to: the object that `--json` prints, and the last line of `--stream-json`."""

    status: str
    """`completed`, `completed_unverified`, `max_steps`, ...: the ending; `failed` where there was no turn."""
    text: str = ""
    detail: str = ""
    session: str = ""
    steps: int = 0
    usage: Usage | None = None
    seconds: float = 0.0
    model: str = ""
    window: int = 0
    reports: tuple[Report, ...] = ()
    """Of the fits of this turn."""
    open_calls: tuple[tuple[str, str], ...] = ()
    """Calls of the turn that was gone on with, by what they call, and how far each had come."""


def run(asked: Headless) -> int:
    """Take a turn, say what came of it, and give the exit code."""
    return asyncio.run(_Run(asked).code())


class _Run:
    def __init__(self, asked: Headless) -> None:
        self._asked = asked
        self._voice = _Voice(asked.how)
        self._reports: list[Report] = []
        self._ended: Ended | None = None
        self._signal = 0

    async def code(self) -> int:
        turn = asyncio.ensure_future(self._turn())
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stopped, number, turn)
        try:
            result = await turn
        except asyncio.CancelledError:
            result = Result(status=Ending.INTERRUPTED.value)
        except (UnabridgedError, OSError) as error:
            result = Result(status="failed", detail=" ".join(str(error).split()))
        except Exception as error:  # a fault of ours: who reads the output gets an object all the same
            result = Result(status="failed", detail=unforeseen(error))
        self._voice.result(result)
        if self._signal:
            return 128 + self._signal
        return CODES[Ending(result.status)] if result.status != "failed" else FAILED

    def _stopped(self, number: int, turn: asyncio.Future[Result]) -> None:
        self._signal = number
        turn.cancel()

    async def _turn(self) -> Result:
        asked = self._asked
        async with opened(Wanted(settings=asked.settings, folder=asked.folder, store=asked.store)) as office:
            desk = office.desk(Watcher(tell=self._tell))
            self._voice.aside(f"model: {office.chosen.says}")
            resumed = self._resumed(desk)
            text = asked.text or None
            if text is None and not (resumed is not None and resumed.is_interrupted):
                raise BadInput("no turn of this session was interrupted: say what is to be done")
            try:
                await desk.turn(text)
            except asyncio.CancelledError:
                if self._ended is None:
                    raise
            assert self._ended is not None
            return self._result(self._ended, desk, office.shop.model.name, resumed)

    def _resumed(self, desk: Desk) -> Resumed | None:
        if not self._asked.goes_on and not self._asked.session:
            return None
        resumed = desk.resume(self._asked.session or None)
        if resumed.is_interrupted:
            self._voice.aside(f"session {resumed.id}: its last turn did not come to its end")
        for name, state in resumed.open_calls:
            self._voice.aside(f"call of {name}: {state.value.replace('_', ' ')}")
        return resumed

    def _result(self, ended: Ended, desk: Desk, model: str, resumed: Resumed | None) -> Result:
        return Result(
            status=ended.ending.value,
            text=ended.text,
            detail=ended.detail,
            session=desk.session,
            steps=ended.steps,
            usage=ended.spent,
            seconds=round(ended.seconds, 3),
            model=model,
            window=desk.window,
            reports=tuple(self._reports),
            open_calls=tuple((name, state.value) for name, state in resumed.open_calls) if resumed is not None else (),
        )

    def _tell(self, event: Event) -> None:
        if isinstance(event, events.Fitted) and event.report.phase is not Phase.COMPACTING:
            self._reports.append(event.report)
        if isinstance(event, Ended):
            self._ended = event
        self._voice.event(event)


class _Voice:
    """Says what happens, in one of three ways. Nobody reading on ends it in silence."""

    def __init__(self, how: str) -> None:
        self._how = how
        self._calls: dict[str, str] = {}

    def event(self, event: Event) -> None:
        """Say what happened."""
        if self._how == "stream":
            self._line(msgspec.json.encode(event))
        elif isinstance(event, events.CallWaits):
            self._calls[event.call_id] = f"{event.tool} {event.title}".strip()
        elif isinstance(event, events.CallEnded):
            named = self._calls.pop(event.call_id, event.tool)
            outcome = event.headline or ("failed" if event.is_error else "done")
            self.aside(f"{named}: {outcome} ({event.seconds:.1f} s)")
        elif isinstance(event, events.Fitted) and event.report.phase is Phase.COMPACTING:
            self.aside("compacting the conversation ...")

    def aside(self, words: str) -> None:
        """Say how it goes, to a person only."""
        if self._how == "text" and sys.stderr.isatty():
            _write(sys.stderr, f"{' '.join(words.split())}\n")

    def result(self, result: Result) -> None:
        """Say what came of it."""
        if self._how != "text":
            self._line(msgspec.json.encode(result))
        elif result.text:
            _write(sys.stdout, result.text if result.text.endswith("\n") else f"{result.text}\n")
        if result.detail and result.status != Ending.COMPLETED.value and self._how == "text":
            _write(sys.stderr, f"{result.status.replace('_', ' ')}: {result.detail}\n")

    def _line(self, data: bytes) -> None:
        try:
            sys.stdout.flush()
            sys.stdout.buffer.write(data + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            _nobody_reads()


def _write(stream: TextIO, words: str) -> None:
    try:
        stream.write(words.encode("utf-8", "backslashreplace").decode("utf-8") if stream.encoding else words)
        stream.flush()
    except UnicodeEncodeError:
        stream.write(words.encode("ascii", "backslashreplace").decode("ascii"))
        stream.flush()
    except BrokenPipeError:
        _nobody_reads()


def _nobody_reads() -> None:
    """Let the turn go on where the reader left: the session is what counts."""
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # for as long as the process lives

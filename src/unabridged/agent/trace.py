"""The trace of a session: one JSON line for each step and each fit, with sizes, tokens, times and what it cost.

It says what happened and not what was said: texts of people, models and tools stand in the transcript alone, and no
secret can leak from here. It lies in the user's data folder, for its owner alone.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from unabridged.agent.events import CallEnded, Ended, Event, Fitted, Moved, Spent, StepStarted
from unabridged.folders import data_folder
from unabridged.log import utc_now
from unabridged.report import Report, Usage

FOLDER = "traces"


class Called(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One call of a step."""

    tool: str
    characters: int
    """Of what it gave back."""
    seconds: float
    is_error: bool = False
    is_denied: bool = False


class StepTrace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="step"):
    """One step of a turn, or (`tag` `turn`) how the turn ended."""

    time: str
    """When it ended."""
    step: int
    tokens: int = 0
    """Of the request, by our count."""
    budget: int = 0
    window: int = 0
    usage: Usage | None = None
    cost: float | None = None
    """In US dollars, by the price list; None where it does not know the model."""
    answer_s: float = 0.0
    fit_s: float = 0.0
    """From the beginning of the step to the newest report of a fit."""
    fits: tuple[Report, ...] = ()
    calls: tuple[Called, ...] = ()
    move: str = ""


class TurnTrace(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="turn"):
    """How a turn ended."""

    time: str
    ending: str
    steps: int
    seconds: float
    usage: Usage | None = None
    cost: float | None = None


Line = StepTrace | TurnTrace
Pricing = Callable[[Usage], float | None]


class Tracer:
    """Takes events, and gives a line for each step and each turn."""

    def __init__(self, write: Callable[[Line], None], price: Pricing = lambda _: None) -> None:
        self._write = write
        self._price = price
        self._cost: float | None = None
        self._step: StepTrace | None = None
        self._began = 0.0

    def take(self, event: Event) -> None:
        """Take in what happened."""
        match event:
            case StepStarted(step):
                self._flush()
                self._step, self._began = StepTrace(time="", step=step), time.monotonic()
            case Fitted(report) if self._step is not None:
                passed = time.monotonic() - self._began
                self._change(fits=(*self._step.fits, report), fit_s=round(passed, 3))
            case Spent():
                cost = self._price(event.usage) if event.usage is not None else None
                self._cost = _sum(self._cost, cost)
                self._change(
                    tokens=event.tokens,
                    budget=event.budget,
                    window=event.window,
                    usage=event.usage,
                    cost=cost,
                    answer_s=round(event.seconds, 3),
                )
            case CallEnded() if self._step is not None:
                self._change(calls=(*self._step.calls, _called(event)))
            case Moved(move):
                self._change(move=move.value)
            case Ended():
                self._end(event)
            case _:
                pass

    def _end(self, event: Ended) -> None:
        self._flush()
        self._write(
            TurnTrace(
                time=utc_now(),
                ending=event.ending.value,
                steps=event.steps,
                seconds=round(event.seconds, 3),
                usage=event.spent,
                cost=self._cost,
            )
        )
        self._cost = None

    def _change(self, **changed: object) -> None:
        if self._step is not None:
            self._step = msgspec.structs.replace(self._step, **changed)

    def _flush(self) -> None:
        if self._step is not None:
            self._write(msgspec.structs.replace(self._step, time=utc_now()))
        self._step = None


def _called(event: CallEnded) -> Called:
    return Called(
        tool=event.tool,
        characters=len(event.text),
        seconds=round(event.seconds, 3),
        is_error=event.is_error,
        is_denied=event.is_denied,
    )


def _sum(one: float | None, other: float | None) -> float | None:
    return other if one is None else one + (other or 0.0)


def trace_of(session: str, folder: Path | None = None) -> Path:
    """Give where the trace of a session lies; `session` is an id of ours."""
    return (folder or data_folder() / FOLDER) / f"{session}.jsonl"


def append_to(path: Path, line: Line) -> None:
    """Append a line. A disk that is full, or a folder that cannot be written, loses the trace and nothing else."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    except OSError:
        return
    with os.fdopen(descriptor, "ab", closefd=True) as file:
        try:
            file.write(msgspec.json.encode(line) + b"\n")
        except OSError:
            return


def read_trace(path: Path) -> list[Line]:
    """Read a trace; what is torn or unknown is passed over. Empty where there is none."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError:
        return []
    found: list[Line] = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=StepTrace | TurnTrace))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return found

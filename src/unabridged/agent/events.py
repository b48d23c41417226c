"""What an agent tells whoever watches: a terminal, a JSON stream, a trace. Each says when it comes."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from unabridged.models.model import Event as ModelEvent
from unabridged.report import Report, Usage


class Move(StrEnum):
    """Why the loop goes on as it does."""

    TASK = "task"
    RECOVERED = "recovered"
    ANSWER = "answer"
    CALLS = "calls"
    RESULTS = "results"
    CONTINUES = "continues"
    SAID_NOTHING = "said_nothing"
    GATE = "gate"


class Ending(StrEnum):
    """Why a turn ended."""

    COMPLETED = "completed"
    UNVERIFIED = "completed_unverified"
    GATE_BLOCKED = "gate_blocked"
    MAX_STEPS = "max_steps"
    TOKEN_BUDGET = "token_budget"
    CANNOT_FIT = "cannot_fit"
    MODEL_ERROR = "model_error"
    RECOVERY_FAILED = "model_recovery_failed"
    INTERRUPTED = "interrupted"
    TOOL_FAILURE = "tool_failure"
    LOOP = "loop"


class StepStarted(msgspec.Struct, frozen=True, tag="step"):
    """A request is about to be made. First of a step."""

    step: int
    """Of this turn, from 1."""


class Streamed(msgspec.Struct, frozen=True, tag="streamed"):
    """Something of the answer came in. After `Restarted` in it, what came before is void."""

    event: ModelEvent


class Fitted(msgspec.Struct, frozen=True, tag="context"):
    """A fit: `compacting` comes before its summary is made and is followed by exactly one `done`."""

    report: Report


class Spent(msgspec.Struct, frozen=True, tag="usage", kw_only=True):
    """An answer is complete. After all that was streamed of it."""

    step: int
    usage: Usage | None
    tokens: int
    """Of the request, by our count."""
    budget: int
    window: int
    seconds: float


class CallWaits(msgspec.Struct, frozen=True, tag="call_waits", kw_only=True):
    """A call is known and looked at; it may be asked about. Each is followed by `CallEnded`."""

    call_id: str
    tool: str
    title: str


class CallRuns(msgspec.Struct, frozen=True, tag="call_runs"):
    """A call was allowed and begins."""

    call_id: str


class CallSays(msgspec.Struct, frozen=True, tag="call_says"):
    """A running call has some more output."""

    call_id: str
    text: str


class CallEnded(msgspec.Struct, frozen=True, tag="call_ended", kw_only=True):
    """A call came to its end: done, failed, or not allowed."""

    call_id: str
    tool: str
    headline: str
    text: str
    is_error: bool = False
    is_denied: bool = False
    diff: str = ""
    seconds: float = 0.0


class Moved(msgspec.Struct, frozen=True, tag="moved"):
    """The loop goes on, and why."""

    move: Move
    detail: str = ""


class Ended(msgspec.Struct, frozen=True, tag="ended", kw_only=True):
    """The turn is over. Always the last event of a turn."""

    ending: Ending
    text: str = ""
    """The answer, or what is left of it."""
    detail: str = ""
    """For the person: what is missing, what failed, what to do."""
    steps: int = 0
    spent: Usage | None = None
    """All of the turn together."""
    seconds: float = 0.0


Event = StepStarted | Streamed | Fitted | Spent | CallWaits | CallRuns | CallSays | CallEnded | Moved | Ended

"""Frames: what a turn sends while it runs, in this order.

    context(compacting)? ─▶ context(done)? ─▶ session ─▶ (delta | tool frames | context(step) | message)* ─▶ end

A frame has an id, `turn.n`, that only grows within its turn: whoever was cut off says the last one that he saw
(`Last-Event-ID`), and misses nothing. On the wire a frame is one Server-Sent Event whose name is its type.
"""

from __future__ import annotations

from typing import Any

import msgspec

from unabridged.report import Report, Usage


class ContextFrame(msgspec.Struct, frozen=True, tag="context"):
    """What a fit did, or is about to do: the report's fields, beside `type`."""

    report: Report


class SessionFrame(msgspec.Struct, frozen=True, tag="session", kw_only=True, omit_defaults=True):
    """The turn has begun: the first request is fitted and goes to the model now."""

    session_id: str
    turn: int
    branch: str
    message_id: str | None = None
    """Of what the user said in this turn, as stored."""
    model: str = ""


class DeltaFrame(msgspec.Struct, frozen=True, tag="delta"):
    """Some more of the answer."""

    text: str


class ReasoningFrame(msgspec.Struct, frozen=True, tag="reasoning"):
    """Some more of the model's thoughts, where the project shows them."""

    text: str


class ToolCallFrame(msgspec.Struct, frozen=True, tag="tool_call", kw_only=True):
    """The model asks for a call. `runs`: `server`, or `client`, whose result is awaited with a next request."""

    call_id: str
    name: str
    arguments: str
    """JSON text, as the model wrote it."""
    runs: str


class ToolOutputFrame(msgspec.Struct, frozen=True, tag="tool_output"):
    """Some more of what a running call prints."""

    call_id: str
    text: str


class ToolResultFrame(msgspec.Struct, frozen=True, tag="tool_result", kw_only=True):
    """A call has ended; `text` is the beginning of what the model is told, `characters` how long all of it is."""

    call_id: str
    name: str
    is_error: bool
    text: str
    characters: int


class ApprovalFrame(msgspec.Struct, frozen=True, tag="approval", kw_only=True):
    """A call may run only if the user allows it: say so with a next request."""

    call_id: str
    name: str
    arguments: str
    says: str
    """What it would do, in a line."""


class MessageFrame(msgspec.Struct, frozen=True, tag="message", kw_only=True, omit_defaults=True):
    """An answer of the model is stored, whole, under this id. What was streamed of it is that."""

    message_id: str
    text: str
    calls: int = 0


class ResetFrame(msgspec.Struct, frozen=True, tag="reset", kw_only=True):
    """What was streamed since the last `message` frame is void: throw it away.

    `reason`: `model_restarted` (the line to the model broke), `worker_lost` (the worker that ran the turn is gone).
    """

    reason: str


class ErrorFrame(msgspec.Struct, frozen=True, tag="error", kw_only=True):
    """The turn could not go on. `code` is one of those that the API's errors have."""

    code: str
    message: str
    retryable: bool = False


class EndFrame(msgspec.Struct, frozen=True, tag="end", kw_only=True, omit_defaults=True):
    """The turn has ended; always the last frame.

    `status`: `completed`, `awaiting_tools`, `awaiting_approval`, `stopped`, `failed`, `limit` (steps or spend).
    """

    status: str
    session_id: str
    turn: int
    message_id: str | None = None
    """Of the last answer that is stored."""
    text: str = ""
    """The answer of the turn, whole."""
    steps: int = 0
    usage: Usage | None = None
    cost: float | None = None
    """US dollars, where prices are known."""
    awaiting: tuple[str, ...] = ()
    """Ids of calls whose result, or whose approval, is awaited."""
    error: ErrorFrame | None = None


Frame = (
    ContextFrame
    | SessionFrame
    | DeltaFrame
    | ReasoningFrame
    | ToolCallFrame
    | ToolOutputFrame
    | ToolResultFrame
    | ApprovalFrame
    | MessageFrame
    | ResetFrame
    | ErrorFrame
    | EndFrame
)
_ENCODER = msgspec.json.Encoder()
HEARTBEAT = b": heartbeat\n\n"
"""A comment of an event stream: it keeps lines open that gateways would close."""


def kind_of(frame: Frame) -> str:
    """Give the type of a frame, which is the name of its event."""
    return str(type(frame).__struct_config__.tag)


def data_of(frame: Frame) -> bytes:
    """Give a frame as one line of JSON."""
    if isinstance(frame, ContextFrame):
        # Flat, as reports are everywhere else; `type` first, so that a reader of either form finds it.
        return b'{"type":"context",' + _ENCODER.encode(frame.report)[1:]
    return _ENCODER.encode(frame)


def event_of(frame: Frame, id: str) -> bytes:
    """Give a frame as a Server-Sent Event."""
    return b"event: %b\nid: %b\ndata: %b\n\n" % (kind_of(frame).encode(), id.encode(), data_of(frame))


def json_of(frame: Frame) -> dict[str, Any]:
    """Give a frame as plain values."""
    return msgspec.json.decode(data_of(frame))

"""A conversation: everything an agent loop needs around one transcript.

talk = Conversation(model="gpt-5", system="You are careful.", tools=[...], window=400_000)
talk.user("Fix the failing test.")
fitted = talk.fit()                                       # bounded and valid, whatever came before
answer = client.chat.completions.create(**fitted.request())
talk.add(answer.choices[0].message.model_dump(exclude_none=True))
talk.answered(answer.usage.model_dump())
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from unabridged.budget import LEAST_WINDOW
from unabridged.engine import Engine, Overflow
from unabridged.entry import RefusedEntry
from unabridged.errors import BadInput, CannotFit
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.log import Log
from unabridged.message import Message, Origin, Role, Text, ToolResult
from unabridged.policy import Policy
from unabridged.report import Usage
from unabridged.transcript import Transcript
from unabridged.wire import wire

_COUNT = itertools.count(int.from_bytes(os.urandom(7), "big"))


class Conversation:
    """One conversation with a model, in the dialect of its provider.

    `dialect` is `openai_chat` or `anthropic`. `system`, `tools` and `parameters` are what the provider's API takes
    under these names. Pass a `log` to go on with an earlier session.
    """

    def __init__(
        self,
        *,
        dialect: str = "openai_chat",
        frame: Frame | None = None,
        policy: Policy | None = None,
        window: int | None = None,
        log: Log | None = None,
        **request: Any,
    ) -> None:
        self.frame = frame if frame is not None else frame_of(dialect, **request)
        self.policy = policy or Policy()
        self.window = window
        self.transcript = Transcript(log)
        self._engine = Engine(self.transcript, dialect=self.frame.dialect)
        self._wire = wire(self.frame.dialect)
        self._model = _model_of(self.frame)
        self._newest: Fitted | None = None
        self._pending: list[str] = []
        self._carried = 0

    def user(self, text: str) -> Message:
        """Append what a person wrote."""
        return self._append(Message(id=new_id(), role=Role.USER, parts=(Text(text),)))

    def result(self, call_id: str, output: str, *, is_error: bool = False) -> Message:
        """Append what a tool gave back for a call."""
        part = ToolResult(call_id, (Text(output),), is_error)
        return self._append(Message(id=new_id(), role=Role.TOOL, parts=(part,), origin=Origin.TOOL_FEEDBACK))

    def add(self, message: Message | Mapping[str, Any] | str, *, origin: Origin | None = None) -> Message:
        """Append a message in the provider's own form: a dict, JSON text, or a `Message`. Nothing of it is lost."""
        if isinstance(message, Message):
            return self._append(message)
        text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
        read, media = self._wire.read_message(text, id=new_id(), origin=origin)
        return self._append(read, media)

    def fit(self) -> Fitted:
        """Give the next request: bounded, valid, and the same bytes as long as nothing had to go.

        Raises `CannotFit` before any call when it can never fit; what was appended since the last request is then
        taken out of the branch (and stays in the log), so that a smaller message works.
        """
        return self._fit(None)

    def overflowed(self, limit: int | None = None) -> Fitted:
        """Give a smaller request after the provider refused the last one as too long; `limit` as it named it."""
        named = limit if limit is not None and limit >= LEAST_WINDOW else None  # a limit of 0 is no limit
        if named is not None:
            cap = self.policy.max_context_tokens
            if cap is not None and cap > named:
                self.policy = msgspec.structs.replace(self.policy, max_context_tokens=named)
            self.window = named if self.window is None else min(named, self.window)
        return self._fit(Overflow(named))

    def answered(self, usage: Usage | Mapping[str, Any]) -> None:
        """Append what the provider reported for the last request; the counting learns from it."""
        if self._newest is None:
            raise BadInput("usage without a request: call `fit` first")
        reported = usage if isinstance(usage, Usage) else self._wire.usage({"usage": usage})
        if reported is not None:
            self._engine.report_usage(self._newest, reported)

    def _fit(self, overflow: Overflow | None) -> Fitted:
        try:
            fitted = self._engine.fit(self.frame, self.policy, window=self.window, model=self._model, overflow=overflow)
        except CannotFit as refusal:
            # What a request has carried already is refused only where that very request was.
            new = self._pending[self._carried :] if overflow is None else self._pending[:]
            if new:
                self.transcript.record(RefusedEntry(tuple(new), str(refusal)))
                del self._pending[-len(new) :]
            raise
        self._newest = self._engine.commit(fitted)
        self._carried = len(self._pending)
        return fitted

    def _append(self, message: Message, media: Mapping[str, bytes] | None = None) -> Message:
        self.transcript.append(message, media=media)
        if message.role is Role.ASSISTANT:
            self._carried = 0
            self._pending.clear()  # answered: what the model itself said is never taken back
        else:
            self._pending.append(message.id)
        return message


def frame_of(
    dialect: str,
    *,
    model: str = "",
    system: str | None = None,
    tools: Sequence[Mapping[str, Any]] = (),
    **parameters: Any,
) -> Frame:
    """Make a frame from what the provider's API takes: model, system text, tool schemas, other parameters."""
    body: dict[str, Any] = {"model": model} if model else {}
    body.update(parameters)
    if tools:
        body["tools"] = list(tools)
    messages: list[dict[str, Any]] = []
    if system is not None and dialect == "anthropic":
        body["system"] = system
    elif system is not None:
        messages.append({"role": "system", "content": system})
    body["messages"] = messages
    frame, _, _ = wire(dialect).read_request(json.dumps(body, ensure_ascii=False).encode(), id_prefix="frame")
    return frame


def new_id() -> str:
    """Give an id that sorts by time: milliseconds, and a count that begins at random in every process, in hex."""
    return f"{time.time_ns() // 1_000_000:012x}{next(_COUNT):016x}"


def _model_of(frame: Frame) -> str:
    for name, value in frame.fields:
        if name == "model":
            decoded = json.loads(value)
            return decoded if isinstance(decoded, str) else ""
    return ""

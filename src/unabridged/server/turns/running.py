"""One turn, from its beginning to its end: fit ─▶ stream ─▶ append ─▶ act ─▶ append, each step told in frames."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable

import msgspec

from unabridged.entry import InterruptionEntry, ReportEntry
from unabridged.message import Message, Role, Text
from unabridged.models.answering import Answered, Answering
from unabridged.models.model import Event, Model, ReasoningDelta, Restarted, TextDelta
from unabridged.models.prices.spending import pricing_of
from unabridged.report import Fallback, Phase, Report, ResolvedBy, Usage
from unabridged.server.frames import (
    ContextFrame,
    DeltaFrame,
    EndFrame,
    ErrorFrame,
    MessageFrame,
    ReasoningFrame,
    ResetFrame,
    SessionFrame,
    ToolCallFrame,
)
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.server.turns.asked import Asked
from unabridged.server.turns.calls import Calls, Waiting, open_calls
from unabridged.server.turns.live import Live
from unabridged.server.turns.talking import Talk
from unabridged.store.recovery import recover

STOPPED = "the user stopped this turn"


class Running:
    """A turn that is being run, under the session's lease."""

    def __init__(
        self,
        live: Live,
        tenant: Tenant,
        talk: Talk,
        *,
        on_window: Callable[[int], None],
        limited: Callable[[], ApiError | None],
    ) -> None:
        self._live = live
        self._settings = tenant.settings
        self._limited = limited
        self._talk = talk.conversation
        self._calls = Calls(live, talk)
        self._tools = talk.tools
        self._asked = live.row.stored.asked
        self._answering = Answering(
            self._talk,
            _Announced(talk.served.model, self._announce),
            on_event=self._heard,
            on_report=self._reported,
            on_window=on_window,
        )
        self._price = pricing_of(talk.served.model.name)
        self._is_announced = False
        self._human: str | None = None
        self._said: list[str] = []
        """Of an answer that is not stored yet."""
        self._texts: list[str] = []
        self._newest: str | None = None
        self._steps = 0
        self._usage = Usage(input=0)
        self._cost: float | None = 0.0
        self._compacting: tuple[Report, float] | None = None

    async def run(self) -> EndFrame:
        """Run it, and give how it ended. Cancelled, it leaves the conversation whole; `stopped` says how it ended."""
        waiting = await self._begin()
        if waiting is not None:
            self._announce()
            return self._end(waiting.status, waiting.calls)
        while not self._is_answered():
            if self._steps >= self._settings.max_steps:
                return self._end("limit")
            reached = self._limited()
            if reached is not None:
                self._announce()
                error = ErrorFrame(code=reached.code, message=str(reached), retryable=True)
                self._live.publish(error)
                return msgspec.structs.replace(self._end("limit"), error=error)
            answered = await self._answering.answer()
            self._took(answered)
            waiting = await self._calls.carry_out() if answered.calls else None
            if waiting is not None:
                return self._end(waiting.status, waiting.calls)
            if not answered.messages:
                break
        self._announce()
        return self._end("completed")

    async def _begin(self) -> Waiting | None:
        """Append what was given, and carry out what is left open of the answer before."""
        stored, talk = self._live.row.stored, self._talk
        self._calls.give(self._asked, stored.id)
        if not (self._asked.text or self._asked.media):
            if open_calls(talk):
                self._announce()
                return await self._calls.carry_out(self._asked.approvals)
            return None
        self._human = stored.id
        if stored.id not in talk.transcript.position:
            recover(talk, "the user went on without it")
            talk.add(human_message(self._asked, stored.id))
            return None
        return await self._calls.carry_out() if open_calls(talk) else None

    def _is_answered(self) -> bool:
        """Tell whether the model has nothing to answer: a worker before this one may have come to the end."""
        records = self._talk.transcript.records
        if not records or records[-1].message.role is not Role.ASSISTANT:
            return False
        self._newest = self._newest or records[-1].message.id
        if not self._texts:
            self._texts = [records[-1].message.text]
        return True

    def _took(self, answered: Answered) -> None:
        """Tell of an answer that is stored now."""
        self._said.clear()
        self._steps += 1
        usage = answered.completed.usage
        if usage is not None:
            self._usage += usage
            cost = self._price(usage)
            self._cost = self._cost + cost if self._cost is not None and cost is not None else None
        for message in answered.messages:
            self._newest = message.id
            self._texts += [message.text] if message.text else []
            self._live.publish(MessageFrame(message_id=message.id, text=message.text, calls=len(message.calls)))
            for call in message.calls:
                runs = "client" if call.name in self._tools.client else "server"
                self._live.publish(ToolCallFrame(call_id=call.id, name=call.name, arguments=call.arguments, runs=runs))

    def _announce(self) -> None:
        """Say that the turn has begun: what its first fit came to was said before."""
        if self._is_announced:
            return
        self._is_announced = True
        self._live.publish(
            SessionFrame(
                session_id=self._live.row.stored.session,
                turn=self._live.row.number,
                branch=self._talk.transcript.branch,
                message_id=self._human,
                model=self._answering.model.name,
            )
        )

    def _heard(self, event: Event) -> None:
        match event:
            case TextDelta(text):
                self._said.append(text)
                self._live.publish(DeltaFrame(text))
            case ReasoningDelta(text) if self._settings.show_reasoning:
                self._live.publish(ReasoningFrame(text))
            case Restarted():
                self._said.clear()
                self._live.publish(ResetFrame(reason="model_restarted"))
            case _:
                pass

    def _reported(self, report: Report) -> None:
        self._compacting = (report, time.monotonic()) if report.phase is Phase.COMPACTING else None
        self._live.publish(ContextFrame(report))

    def stopped(self) -> EndFrame:
        """Leave the conversation whole after the turn was cancelled, and give how it ended."""
        log, branch = self._talk.transcript.log, self._talk.transcript.branch
        if self._compacting is not None:
            report, began = self._compacting
            ended = _stopped(report, round((time.monotonic() - began) * 1_000))
            log.append(ReportEntry(ended), branch=branch)
            self._reported(ended)
        text = "".join(self._said)
        if text.strip():
            message = Message(id=f"{self._live.row.stored.id}.s", role=Role.ASSISTANT, parts=(Text(text),))
            self._talk.add(message)
            self._newest = message.id
            self._texts.append(text)
            self._live.publish(MessageFrame(message_id=message.id, text=text))
        if not recover(self._talk, STOPPED):
            log.append(InterruptionEntry(STOPPED), branch=branch)
        self._announce()
        return self._end("stopped")

    def _end(self, status: str, awaiting: tuple[str, ...] = ()) -> EndFrame:
        return EndFrame(
            status=status,
            session_id=self._live.row.stored.session,
            turn=self._live.row.number,
            message_id=self._newest,
            text="\n\n".join(self._texts),
            steps=self._steps,
            usage=self._usage if self._steps else None,
            cost=self._cost if self._steps else None,
            awaiting=awaiting,
        )


def human_message(asked: Asked, id: str) -> Message:
    """Give what the user said in this turn as a message."""
    return Message(id=id, role=Role.USER, parts=(*asked.media, Text(asked.text)) if asked.text else asked.media)


def _stopped(report: Report, ms: int) -> Report:
    """Give the end of a compaction that was stopped: nothing was decided."""
    return msgspec.structs.replace(
        report,
        phase=Phase.DONE,
        resolved_by=ResolvedBy.NONE,
        fallback=Fallback.SUMMARIZER_FAILED,
        cause="stopped",
        summarizer_ms=ms,
    )


class _Announced:
    """A model that says when it is about to be asked: by then the request is fitted."""

    def __init__(self, model: Model, before: Callable[[], None]) -> None:
        self._model = model
        self._before = before

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def dialect(self) -> str:
        return self._model.dialect

    @property
    def endpoint(self) -> str:
        return self._model.endpoint

    @property
    def window(self) -> int | None:
        return self._model.window

    @property
    def counts_at_once(self) -> bool:
        return self._model.counts_at_once

    def stream(self, body: bytes) -> AsyncGenerator[Event, None]:
        self._before()
        return self._model.stream(body)

    async def count(self, body: bytes) -> int | None:
        return await self._model.count(body)

    async def close(self) -> None:
        await self._model.close()

"""Carries out the calls of an answer: one after the other, those that only look beside each other.

Before a call does anything the log says that it begins, and its result is appended as soon as it is there: whatever
happens in between, the next process knows what ran, what may have run, and what did not.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from unabridged.agent.access import Asked, Permissions
from unabridged.agent.events import CallEnded, CallRuns, CallSays, CallWaits, Event
from unabridged.agent.tool import Output, Running, Tool, ToolError
from unabridged.agent.toolbox import Toolbox
from unabridged.conversation import Conversation
from unabridged.message import Message, ToolCall
from unabridged.store.recovery import started

NOTHING = "(no output)"


class _Job(msgspec.Struct, frozen=True):
    """One call that is to be carried out."""

    message: str
    call: ToolCall
    tool: Tool | None = None
    arguments: Any = None
    refusal: str = ""
    """Why it cannot even begin."""

    @property
    def only_looks(self) -> bool:
        return self.tool is not None and self.tool.reads_only


class Done(msgspec.Struct, frozen=True):
    """What came of the calls of one answer."""

    sign: str
    """The same for the same calls with the same results."""
    broke: bool
    """Every call broke down in the tool itself: it is not the model that has to do something else."""


class _Result(msgspec.Struct, frozen=True):
    output: Output
    broke: bool = False
    denied: bool = False
    seconds: float = 0.0


class Hands:
    """Carries out calls, as far as they are allowed."""

    def __init__(
        self, toolbox: Toolbox, permissions: Permissions, tell: Callable[[Event], None], *, at_once: int = 4
    ) -> None:
        self.toolbox = toolbox
        self._permissions = permissions
        self._tell = tell
        self._at_once = at_once

    async def carry_out(self, talk: Conversation, messages: Sequence[Message]) -> Done:
        """Carry out every call, and append what each came to, in the order in which the model made them."""
        jobs = [self._read(message.id, call) for message in messages for call in message.calls]
        results: list[_Result] = []
        while len(results) < len(jobs):
            group = self._group(jobs[len(results) :])
            done = await self._together(talk, group)
            for job, result in zip(group, done, strict=True):
                talk.result(job.call.id, result.output.text or NOTHING, is_error=result.output.is_error)
                self._tell(_ended(job, result))
            results += done
        digest = hashlib.sha256()
        for job, result in zip(jobs, results, strict=True):
            for text in (job.call.name, job.call.arguments, result.output.text):
                digest.update(text.encode("utf-8", "backslashreplace") + b"\0")
        return Done(digest.hexdigest(), broke=all(result.broke for result in results))

    def _read(self, message: str, call: ToolCall) -> _Job:
        try:
            tool, arguments = self.toolbox.read(call)
        except ToolError as wrong:
            return _Job(message, call, refusal=str(wrong))
        return _Job(message, call, tool, arguments)

    def _group(self, jobs: Sequence[_Job]) -> Sequence[_Job]:
        """Give the calls that run together: those that only look, as long as nothing else stands between them."""
        count = next((nth for nth, job in enumerate(jobs) if not job.only_looks), len(jobs))
        return jobs[: min(max(count, 1), self._at_once)]

    async def _together(self, talk: Conversation, jobs: Sequence[_Job]) -> list[_Result]:
        """Carry out calls beside each other. Each is judged first: people are asked one question at a time."""
        judged = [await self._judge(job) for job in jobs]
        running = [
            asyncio.ensure_future(self._run(talk, job)) if refused is None else _known(refused)
            for job, refused in zip(jobs, judged, strict=True)
        ]
        try:
            return list(await asyncio.gather(*running))
        except BaseException:  # whatever ends the turn, a cancellation above all
            for each in running:
                each.cancel()
            await asyncio.gather(*running, return_exceptions=True)  # what they started is stopped before we go on
            raise

    async def _judge(self, job: _Job) -> _Result | None:
        """Give the result of a call that may not run; None for one that may."""
        try:
            title = job.tool.title(job.arguments) if job.tool is not None else ""
            self._tell(CallWaits(call_id=job.call.id, tool=job.call.name, title=title))
            if job.tool is None:
                return _Result(Output(text=job.refusal, is_error=True, headline="not understood"))
            asked = Asked(
                tool=job.tool.name,
                title=title,
                touches=tuple(job.tool.touches(job.arguments)),
                preview=job.tool.preview(job.arguments),
                reads_only=job.tool.reads_only,
            )
        except ToolError as wrong:
            return _Result(Output(text=str(wrong), is_error=True, headline="failed"))
        except Exception as error:  # a fault of the tool's own must not end the session
            return _fault(job.call.name, error)
        verdict = await self._permissions.allow(asked)
        if verdict.allowed:
            return None
        text = f"Call declined by the user or by the rules: {verdict.why or 'do something else, or ask.'}"
        return _Result(Output(text=text, is_error=True, headline="not allowed"), denied=True)

    async def _run(self, talk: Conversation, job: _Job) -> _Result:
        assert job.tool is not None
        self._tell(CallRuns(job.call.id))
        started(talk.transcript.log, job.message, job.call.id, branch=talk.transcript.branch)
        began = time.monotonic()
        running = Running(job.call.id, lambda text: self._tell(CallSays(job.call.id, text)))
        try:
            output = await job.tool.run(job.arguments, running)
        except ToolError as wrong:
            output = Output(text=str(wrong), is_error=True, headline="failed")
        except Exception as error:  # a fault of the tool's own must not end the session
            return msgspec.structs.replace(_fault(job.call.name, error), seconds=time.monotonic() - began)
        return _Result(output, seconds=time.monotonic() - began)


def _known(result: _Result) -> asyncio.Future[_Result]:
    future = asyncio.get_running_loop().create_future()
    future.set_result(result)
    return future


def _fault(name: str, error: Exception) -> _Result:
    """Give the result of a call whose tool broke down."""
    text = (
        f"`{name}` broke down ({type(error).__name__}: {error}): the fault is in the tool, not in the call. "
        "Look whether it did anything, and use another way."
    )
    return _Result(Output(text=text, is_error=True, headline=f"broke: {error}"[:200]), broke=True)


def _ended(job: _Job, result: _Result) -> CallEnded:
    output = result.output
    return CallEnded(
        call_id=job.call.id,
        tool=job.call.name,
        headline=output.headline,
        text=output.text,
        is_error=output.is_error,
        is_denied=result.denied,
        diff=output.diff,
        seconds=result.seconds,
    )

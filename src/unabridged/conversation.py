"""A conversation: everything an agent loop needs around one transcript.

talk = Conversation(model="gpt-5", system="You are careful.", tools=[...], window=272_000)
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
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from unabridged.budget import LEAST_WINDOW
from unabridged.engine import Compact, Engine, Outcome, Overflow
from unabridged.entry import RefusedEntry, ReportEntry
from unabridged.errors import BadInput, CannotFit
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.framing import LISTED, frame_of, model_of
from unabridged.leaving import Archiver, archive
from unabridged.log import Log
from unabridged.message import Message, Origin, Role, Text, ToolResult
from unabridged.policy import Policy
from unabridged.report import Report, Usage
from unabridged.summarizer import Summarizer, back_off, summarize_within
from unabridged.transcript import Transcript
from unabridged.wire import wire

_COUNT = itertools.count(int.from_bytes(os.urandom(7), "big"))


class Conversation:
    """One conversation with a model, in the dialect of its provider.

    `dialect` is `openai_chat`, `openai_responses`, `anthropic` or `gemini`. `system` is text, `tools` and `parameters`
    are what the provider's API takes under these names. Pass a `log` to go on with an earlier session, or a
    `Transcript` of it, for another branch than the newest.
    """

    def __init__(
        self,
        *,
        dialect: str = "openai_chat",
        frame: Frame | None = None,
        policy: Policy | None = None,
        window: int | None = None,
        log: Log | Transcript | None = None,
        **request: Any,
    ) -> None:
        self.frame = frame if frame is not None else frame_of(dialect, **request)
        self.policy = policy or Policy()
        self.window = window
        self.transcript = log if isinstance(log, Transcript) else Transcript(log)
        self.summarizer: Summarizer | None = None
        """Asked by `fit_async` under the strategy `summarize`; without one summaries are made by rules."""
        self.archive: Archiver | None = None
        """Takes what leaves the view where the policy wants it; `unabridged.archive` has tools that search it."""
        self.renew: Callable[[], Frame] | None = None
        """Gives the frame anew wherever a fit changes what was sent before, and only there: what it says of the session
        may have changed, and the provider's cache is lost at that moment anyway."""
        self._engine = Engine(self.transcript, dialect=self.frame.dialect)
        self._wire = wire(self.frame.dialect)
        self._model = model_of(self.frame)
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

    def add_all(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]:
        """Append several messages in the provider's own form, such as all items of one answer (`openai_responses`).

        Items that belong together become one message: reasoning, and what the model wrote upon it.
        """
        body = json.dumps({LISTED.get(self.frame.dialect, "messages"): list(messages)}, ensure_ascii=False)
        frame, read, media = self._wire.read_request(body.encode("utf-8", "backslashreplace"), id_prefix="")
        named = [msgspec.structs.replace(message, id=new_id()) for message in (*frame.system, *read)]
        return [self._append(message, media) for message in named]

    def fit(self) -> Fitted:
        """Give the next request: bounded, valid, and the same bytes as long as nothing had to go.

        Raises `CannotFit` before any call when it can never fit; what was appended since the last request is then
        taken out of the branch (and stays in the log), so that a smaller message works. Under `summarize` the summary
        is made by rules; `fit_async` asks the summarizer.
        """
        return self._fit(None)

    async def fit_async(
        self, *, overflow: Overflow | None = None, on_report: Callable[[Report], None] | None = None
    ) -> Fitted:
        """Give the next request as `fit` does; under `summarize` ask the summarizer for what leaves the view.

        `overflow` says that the provider refused the last request as too long. `on_report` is told before the
        summarizer is asked (`compacting`), and what the fit came to. A summary that does not come about in
        `summarizerTimeoutS` costs no turn: the request is trimmed, and the report says why.
        """
        overflow = self._refusal(overflow.limit) if overflow is not None else None
        return await self._fit_async(self.policy, overflow, on_report)

    async def _fit_async(
        self, policy: Policy, overflow: Overflow | Compact | None, on_report: Callable[[Report], None] | None
    ) -> Fitted:
        outcome = await self._summary(policy, overflow, on_report)
        fitted = self._fit(overflow, outcome, policy)
        if on_report is not None and fitted.report is not None:
            on_report(fitted.report)
        return fitted

    async def compact(self, focus: str = "", *, on_report: Callable[[Report], None] | None = None) -> Fitted:
        """Sum up what is old although the request fits, and give the next request; `undo` takes it back.

        `focus` says what the summary should keep above all. The newest messages stay, and so does what a fit protects.
        Works under any policy. Where nothing can go the request stays as it is, and the report says so.
        """
        policy = msgspec.structs.replace(self.policy, strategy="summarize", fold_in_turn=True)
        return await self._fit_async(policy, Compact(focus), on_report)

    def preview(self, policy: Policy | None = None, *, compact: str | None = None) -> Fitted:
        """Give what the next request would be, under this policy or another. Nothing is kept: a dry run.

        With `compact`, a focus or "", what `compact` would give, its summary made by rules.
        """
        chosen, asked = policy or self.policy, None
        if compact is not None:
            chosen, asked = msgspec.structs.replace(chosen, strategy="summarize", fold_in_turn=True), Compact(compact)
        return self._planned(self.frame, asked, None, chosen)

    def undo(self, policy: Policy | None = None) -> Fitted:
        """Take back what was decided, and give the next request planned anew from the originals.

        It shows the whole transcript where that fits; else the policy, this one or another for this once, decides.
        """
        chosen = policy or self.policy
        return self._sent(self._engine.replan(self.frame, chosen, window=self.window, model=self._model))

    def overflowed(self, limit: int | None = None) -> Fitted:
        """Give a smaller request after the provider refused the last one as too long; `limit` as it named it."""
        return self._fit(self._refusal(limit))

    def answered(self, usage: Usage | Mapping[str, Any]) -> None:
        """Append what the provider reported for the last request; the counting learns from it."""
        if self._newest is None:
            raise BadInput("usage without a request: call `fit` first")
        reported = usage if isinstance(usage, Usage) else self._wire.usage({"usage": usage})
        if reported is not None:
            self._engine.report_usage(self._newest, reported)

    def counted(self, fitted: Fitted, tokens: int) -> None:
        """Append how many tokens the provider counts for a request before it is sent, such as that of a `preview`.

        Its count is known from then on, and that of the next requests is measured from it.
        """
        self._engine.report_usage(fitted, Usage(input=tokens), counted=True)

    def learn_window(self, tokens: int) -> bool:
        """Take in that the window is no larger than this, and tell whether that is news. Less than 1,000 is no window.

        A refusal says so, or what a server reports while it cuts requests without a word.
        """
        if tokens < LEAST_WINDOW or (self.window is not None and self.window <= tokens):
            return False
        cap = self.policy.max_context_tokens
        if cap is not None and cap > tokens:
            self.policy = msgspec.structs.replace(self.policy, max_context_tokens=tokens)
        self.window = tokens
        return True

    def take_back(self, why: str) -> tuple[str, ...]:
        """Take what was appended since the last answer out of the branch, and give the ids; it stays in the log.

        For a request that its provider will never take: the next one is no larger, and the conversation goes on.
        """
        refused = tuple(self._pending or self._unanswered())  # a process that has just begun appended nothing
        if refused:
            self.transcript.record(RefusedEntry(refused, why))
        self._pending.clear()
        self._carried = 0
        return refused

    def hide(self, *messages: str) -> tuple[str, ...]:
        """Have no search find these messages from now on, by id, and give those that were found until now.

        They stay in the log and in exports, and what the model sees of them stays as it is; `show` takes it back.
        Raises `NotFound`.
        """
        return self.transcript.hide(*messages)

    def show(self, *messages: str) -> tuple[str, ...]:
        """Have these messages found again, by id, and give those that were hidden. Raises `NotFound`."""
        return self.transcript.hide(*messages, shown=True)

    def _unanswered(self) -> list[str]:
        records = self.transcript.records
        start = len(records)
        while start and records[start - 1].message.role is not Role.ASSISTANT:
            start -= 1
        return [record.message.id for record in records[start:]]

    def _refusal(self, limit: int | None) -> Overflow:
        """Take in what a refusal teaches of the window."""
        named = limit if limit is not None and limit >= LEAST_WINDOW else None  # a limit of 0 is no limit
        if named is not None:
            self.learn_window(named)
        return Overflow(named)

    async def _summary(
        self, policy: Policy, overflow: Overflow | Compact | None, on_report: Callable[[Report], None] | None
    ) -> Outcome | None:
        if self.summarizer is None:
            return None
        try:
            span = self._engine.span(
                self.frame,
                policy,
                window=self.window,
                model=self._model,
                overflow=overflow,
                summary_window=getattr(self.summarizer, "window", None),
            )
        except CannotFit:
            return None  # the fit refuses as well, and takes back what it was refused for
        if span is None or (back_off(self.transcript.reports).is_on and not isinstance(overflow, Compact)):
            return None
        self.transcript.record(ReportEntry(span.report))
        if on_report is not None:
            on_report(span.report)
        started = time.monotonic()
        result = await summarize_within(self.summarizer, span.request, policy.summarizer_timeout_s)
        return Outcome(
            span=span,
            result=result,
            ms=round((time.monotonic() - started) * 1_000),
            timeout_s=policy.summarizer_timeout_s,
            model=result.model or getattr(self.summarizer, "model", "") or span.report.summary_model or "",
        )

    def _fit(
        self, overflow: Overflow | Compact | None, outcome: Outcome | None = None, policy: Policy | None = None
    ) -> Fitted:
        chosen = policy or self.policy
        try:
            fitted = self._planned(self.frame, overflow, outcome, chosen)
        except CannotFit as refusal:
            # What a request has carried already is refused only where that very request was.
            new = self._pending[self._carried :] if overflow is None else self._pending[:]
            if new:
                self.transcript.record(RefusedEntry(tuple(new), str(refusal)))
                del self._pending[-len(new) :]
            raise
        return self._sent(self._renewed(fitted, overflow, outcome, chosen))

    def _planned(
        self, frame: Frame, overflow: Overflow | Compact | None, outcome: Outcome | None, policy: Policy
    ) -> Fitted:
        return self._engine.fit(
            frame, policy, window=self.window, model=self._model, overflow=overflow, outcome=outcome
        )

    def _renewed(
        self, fitted: Fitted, overflow: Overflow | Compact | None, outcome: Outcome | None, policy: Policy
    ) -> Fitted:
        """Plan once more with the frame as it would be now, where the prefix changes anyway."""
        if self.renew is None or fitted.checkpoint is None or fitted.checkpoint.step:
            return fitted
        frame = self.renew()
        if frame == self.frame:
            return fitted
        try:
            again = self._planned(frame, overflow, outcome, policy)
        except CannotFit:
            return fitted
        if again.checkpoint is None or again.checkpoint.step:
            return fitted
        self.frame = frame
        return again

    def _sent(self, fitted: Fitted) -> Fitted:
        self._newest = self._engine.commit(fitted, report=self._archived(fitted))
        self._carried = len(self._pending)
        return self._newest

    def _archived(self, fitted: Fitted) -> Report | None:
        """Archive what leaves with a fit, and report it. Whatever fails there fails no turn."""
        if self.archive is None or fitted.checkpoint is None or not self.policy.archive_to_memory:
            return None
        report = fitted.report
        assert report is not None
        try:
            count = archive(self.archive, self.transcript, fitted.checkpoint, self.transcript.in_force()[0])
        except Exception as error:  # whatever an archive is made of
            warning = f"what left the view could not be archived ({type(error).__name__}): the next fit tries again"
            return msgspec.structs.replace(report, warnings=(*report.warnings, warning))
        return msgspec.structs.replace(report, archived=count)

    def _append(self, message: Message, media: Mapping[str, bytes] | None = None) -> Message:
        self.transcript.append(message, media=media)
        if message.role is Role.ASSISTANT:
            self._carried = 0
            self._pending.clear()  # answered: what the model itself said is never taken back
        else:
            self._pending.append(message.id)
        return message


def new_id() -> str:
    """Give an id that sorts by time: milliseconds, and a count that begins at random in every process, in hex."""
    return (time.time_ns() // 1_000_000 << 64 | next(_COUNT)).to_bytes(14, "big").hex()

"""The articles' coordinator: fits a history before each step, and gives the model's view of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from unabridged.budget import LEAST_WINDOW, Budget
from unabridged.context.fitting import Fitting, Step
from unabridged.context.history import DIALECT, HistoryManager
from unabridged.context.model_view import CompactInfo, ContextBuilder, ModelView, info_of
from unabridged.context.settings import ContextConfig
from unabridged.context.store import CompactStore
from unabridged.context.summary_generator import GenerateSummary, in_own_loop, summarizer_of
from unabridged.engine import Overflow
from unabridged.errors import BadInput, CannotFit
from unabridged.fitted import Fitted, decoded
from unabridged.frame import Frame
from unabridged.report import Usage
from unabridged.summarizer import Summarizer
from unabridged.transcript import Transcript
from unabridged.wire import wire


class ContextEngine:
    """Gives one conversation's bounded view, step after step, by the engine: same messages and policy, same view.

    With a `summary_generator` what is old gives way to a summary, else it is trimmed. Not as in the articles: a step is
    never skipped, since `trim` needs no model (`docs/decisions/0004-a-failed-summary-is-trimmed.md`), and a run does
    not end when a provider refuses a request as too long (`0005-an-overflow-does-not-end-the-run.md`).
    """

    def __init__(
        self,
        context_builder: ContextBuilder | None = None,
        *,
        config: ContextConfig | None = None,
        model: str = "",
        tools: Sequence[Mapping[str, Any]] = (),
        summary_generator: GenerateSummary | Summarizer | None = None,
    ) -> None:
        self.config = config if config is not None else ContextConfig.from_env()
        self.policy = self.config.policy(summarize=summary_generator is not None)
        self.window = self.config.context_window
        """Tokens. Lowered when a provider names a smaller one."""
        self.model = model
        self.tools = tools
        """Schemas that go out with every call: they count."""
        self.session_memory = ""
        """What is known from other sessions: a system message before the history, rendered anew with a checkpoint."""
        self._context_builder = context_builder
        self._summarizer = summarizer_of(summary_generator) if summary_generator is not None else None
        self._wire = wire(DIALECT)
        self._framed: tuple[str, Frame] | None = None
        self._fitting: Fitting | None = None
        self._remembered: str | None = None

    def compact_if_needed(self, *, history_manager: HistoryManager, pending_input: str = "") -> CompactInfo:
        """Fit the next request, if it has reached its budget. What was decided is kept in the history's log.

        `pending_input` has to be in the history by now. Raises `CannotFit` before any call when what can never be
        taken away is too large; what was appended since the last request then leaves the branch (it stays in the
        log), so that a smaller message works. Where an event loop runs, await `compact_if_needed_async`.
        """
        return self._compact(history_manager, pending_input, None, instead="compact_if_needed_async")

    async def compact_if_needed_async(self, *, history_manager: HistoryManager, pending_input: str = "") -> CompactInfo:
        """Do the same without holding up the loop while a summary is written; if this is cancelled, so is that."""
        return await self._compact_async(history_manager, pending_input, None)

    def build_model_view(self, *, history_manager: HistoryManager, pending_input: str = "") -> ModelView:
        """Give what the model sees in this step: bounded and valid, whether `compact_if_needed` was called or not.

        Never asks a model for a summary: where nobody did before, it is made by rules.
        """
        now, step = self._now(history_manager, pending_input, None)
        fitted = now.standing(step) or now.fit(step)
        system = [decoded(self._wire.write_message(message, {})) for message in fitted.frame.system]
        history = fitted.messages()
        memory = 1 if self._remembered else 0
        return ModelView(
            messages=[*system, *history],
            system_message_count=len(system) - memory,
            history_message_count=len(history),
            source_message_count=len(history_manager.transcript.records),
            projection_mode=CompactStore(history_manager, config=self.config).projection_mode,
            estimated_tokens=fitted.tokens,
            dynamic_message_count=memory,
            max_output=self._wire.max_output(fitted.frame),
            report=fitted.report,
        )

    def reactive_compact(
        self, *, history_manager: HistoryManager, pending_input: str = "", limit: int | None = None
    ) -> CompactInfo:
        """Make the request smaller after the provider refused it as too long; `limit` is the window that it named."""
        overflow = self._refusal(limit)
        return self._compact(history_manager, pending_input, overflow, instead="reactive_compact_async")

    async def reactive_compact_async(
        self, *, history_manager: HistoryManager, pending_input: str = "", limit: int | None = None
    ) -> CompactInfo:
        """Do the same without holding up the loop while a summary is written."""
        return await self._compact_async(history_manager, pending_input, self._refusal(limit))

    def record_usage(self, usage: Usage | Mapping[str, Any]) -> None:
        """Append what the provider reported for the last view; the counting learns from it."""
        if self._fitting is None or self._fitting.fitted is None:
            raise BadInput("usage without a request: call `build_model_view` first")
        reported = usage if isinstance(usage, Usage) else self._wire.usage({"usage": usage})
        if reported is not None:
            self._fitting.engine.report_usage(self._fitting.fitted, reported)

    def _compact(
        self, history: HistoryManager, pending_input: str, overflow: Overflow | None, *, instead: str
    ) -> CompactInfo:
        now, step = self._now(history, pending_input, overflow)
        span = None if now.standing(step) else now.span(step, self._summarizer)
        outcome = None
        if span is not None and self._summarizer is not None:
            summarizer, timeout_s = self._summarizer, step.policy.summarizer_timeout_s
            outcome = in_own_loop(lambda: now.ask(span, summarizer, timeout_s), instead=instead)
        return self._info(now.standing(step) or now.fit(step, outcome), step)

    async def _compact_async(
        self, history: HistoryManager, pending_input: str, overflow: Overflow | None
    ) -> CompactInfo:
        now, step = self._now(history, pending_input, overflow)
        span = None if now.standing(step) else now.span(step, self._summarizer)
        outcome = None
        if span is not None and self._summarizer is not None:
            outcome = await now.ask(span, self._summarizer, step.policy.summarizer_timeout_s)
        return self._info(now.standing(step) or now.fit(step, outcome), step)

    def _info(self, fitted: Fitted, step: Step) -> CompactInfo:
        asked = self._wire.max_output(step.frame)
        return info_of(fitted, Budget.of(step.policy, window=step.window, max_output=asked))

    def _now(self, history: HistoryManager, pending_input: str, overflow: Overflow | None) -> tuple[Fitting, Step]:
        """Give the history's fitting, and the step that is asked for."""
        _check_pending(history.transcript, pending_input)
        if self._fitting is None or self._fitting.engine.transcript is not history.transcript:
            self._fitting, self._remembered = Fitting(history.transcript), None
        now = self._fitting
        if self._remembered is None:
            self._remembered = self.session_memory
        step = self._step(self._remembered, overflow)
        if self._remembered != self.session_memory and _decides(now, step):
            self._remembered = self.session_memory
            step = self._step(self._remembered, overflow)
        return now, step

    def _step(self, memory: str, overflow: Overflow | None) -> Step:
        return Step(
            frame=self._frame(memory), policy=self.policy, window=self.window, model=self.model, overflow=overflow
        )

    def _refusal(self, limit: int | None) -> Overflow:
        """Take in what a refusal teaches of the window."""
        named = limit if limit is not None and limit >= LEAST_WINDOW else None  # a limit of 0 is no limit
        if named is not None:
            self.window = min(named, self.window)
        return Overflow(named)

    def _frame(self, memory: str) -> Frame:
        """Give the frame, the very same one while system layers, tools and model stay: it is priced once."""
        system = list(self._context_builder.get_system_messages()) if self._context_builder is not None else []
        if memory:
            system.append({"role": "system", "content": memory})
        request = {"model": self.model, "messages": system, "tools": list(self.tools)}
        body = json.dumps({name: value for name, value in request.items() if value or name == "messages"})
        if self._framed is None or self._framed[0] != body:
            frame, others, _ = self._wire.read_request(body.encode(), id_prefix="system")
            if others:
                raise BadInput(f"a system layer has the role {others[0].role.value}: only system messages may lead")
            self._framed = (body, frame)
        return self._framed[1]


def _check_pending(transcript: Transcript, pending_input: str) -> None:
    newest = transcript.records[transcript.humans[-1]].message.text if transcript.humans else ""
    if pending_input not in newest:
        raise BadInput("`pending_input` is not in the history: append it with `append_user` before the step")


def _decides(now: Fitting, step: Step) -> bool:
    """Tell whether this step makes a checkpoint: the provider's cache is lost from there on in any case."""
    if now.standing(step) is not None:
        return False
    try:
        return now.proposed(step).checkpoint is not None
    except CannotFit:
        return False  # `fit` says so

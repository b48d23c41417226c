"""The articles' coordinator: fits a history before each step, and gives the model's view of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from unabridged.budget import Budget
from unabridged.context.budget_policy import BELOW_THRESHOLD
from unabridged.context.history import DIALECT, HistoryManager
from unabridged.context.model_view import CompactInfo, ContextBuilder, ModelView
from unabridged.context.projection import CompactStore
from unabridged.context.settings import ContextConfig
from unabridged.engine import Engine, Overflow
from unabridged.entry import RefusedEntry
from unabridged.errors import BadInput, CannotFit
from unabridged.fitted import Fitted, decoded
from unabridged.frame import Frame
from unabridged.message import Role
from unabridged.report import Usage
from unabridged.transcript import Transcript
from unabridged.wire import wire


class _Fitting:
    """How far one history has been fitted."""

    def __init__(self, transcript: Transcript) -> None:
        self.engine = Engine(transcript, dialect=DIALECT)
        self.fitted: Fitted | None = None
        self.stands_for: tuple[object, ...] = ()
        """What the newest fit was made from: as long as that is the same, its view stands."""
        self.sent = 0
        """Messages that were in a request which could be made."""

    def refuse(self, why: str) -> None:
        """Take what was appended since the last request out of the branch, the model's own answer excepted."""
        transcript = self.engine.transcript
        start = len(transcript.records)
        while start > self.sent and transcript.records[start - 1].message.role is not Role.ASSISTANT:
            start -= 1
        refused = tuple(record.message.id for record in transcript.records[start:])
        if refused:
            transcript.record(RefusedEntry(refused, why))


class ContextEngine:
    """Gives one conversation's bounded view, step after step, by the engine: same messages and policy, same view.

    Not as in the articles: a step is never skipped, since `trim` needs no model
    (`docs/decisions/0004-a-failed-summary-is-trimmed.md`), and a run does not end when a provider refuses a request as
    too long (`0005-an-overflow-does-not-end-the-run.md`).
    """

    def __init__(
        self,
        context_builder: ContextBuilder | None = None,
        *,
        config: ContextConfig | None = None,
        model: str = "",
        tools: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self.config = config if config is not None else ContextConfig.from_env()
        self.policy = self.config.policy()
        self.window = self.config.context_window
        """Tokens. Lowered when a provider names a smaller one."""
        self.model = model
        self.tools = tools
        """Schemas that go out with every call: they count."""
        self._context_builder = context_builder
        self._wire = wire(DIALECT)
        self._framed: tuple[str, Frame] | None = None
        self._fitting: _Fitting | None = None

    def compact_if_needed(self, *, history_manager: HistoryManager, pending_input: str = "") -> CompactInfo:
        """Fit the next request, if it has reached its budget. What was decided is kept in the history's log.

        `pending_input` has to be in the history by now. Raises `CannotFit` before any call when what can never be
        taken away is too large; what was appended since the last request then leaves the branch (it stays in the
        log), so that a smaller message works.
        """
        return self._info(self._fit(history_manager, pending_input))

    def build_model_view(self, *, history_manager: HistoryManager, pending_input: str = "") -> ModelView:
        """Give what the model sees in this step: bounded and valid, whether `compact_if_needed` was called or not."""
        fitted = self._fit(history_manager, pending_input)
        system = [decoded(self._wire.write_message(message, {})) for message in fitted.frame.system]
        history = fitted.messages()
        return ModelView(
            messages=[*system, *history],
            system_message_count=len(system),
            history_message_count=len(history),
            source_message_count=len(history_manager.transcript.records),
            projection_mode=CompactStore(history_manager).projection_mode,
            estimated_tokens=fitted.tokens,
            max_output=self._wire.max_output(fitted.frame),
            report=fitted.report,
        )

    def reactive_compact(
        self, *, history_manager: HistoryManager, pending_input: str = "", limit: int | None = None
    ) -> CompactInfo:
        """Make the request smaller after the provider refused it as too long; `limit` is the window that it named."""
        if limit is not None:
            self.window = min(limit, self.window)
        return self._info(self._fit(history_manager, pending_input, Overflow(limit)))

    def record_usage(self, usage: Usage | Mapping[str, Any]) -> None:
        """Append what the provider reported for the last view; the counting learns from it."""
        if self._fitting is None or self._fitting.fitted is None:
            raise BadInput("usage without a request: call `build_model_view` first")
        reported = usage if isinstance(usage, Usage) else self._wire.usage({"usage": usage})
        if reported is not None:
            self._fitting.engine.report_usage(self._fitting.fitted, reported)

    def _fit(self, history: HistoryManager, pending_input: str, overflow: Overflow | None = None) -> Fitted:
        transcript, frame = history.transcript, self._frame()
        _check_pending(transcript, pending_input)
        if self._fitting is None or self._fitting.engine.transcript is not transcript:
            self._fitting = _Fitting(transcript)
        now = self._fitting
        if overflow is None and now.fitted is not None and now.stands_for == self._state(transcript, frame):
            return now.fitted
        try:
            fitted = now.engine.fit(frame, self.policy, window=self.window, model=self.model, overflow=overflow)
        except CannotFit as refusal:
            now.refuse(str(refusal))
            raise
        now.fitted = now.engine.commit(fitted)
        now.stands_for, now.sent = self._state(transcript, frame), len(transcript.records)
        return fitted

    def _state(self, transcript: Transcript, frame: Frame) -> tuple[object, ...]:
        return len(transcript.log), frame, self.policy, self.window

    def _info(self, fitted: Fitted) -> CompactInfo:
        report, made = fitted.report, fitted.checkpoint
        if report is None:
            budget = Budget.of(self.policy, window=self.window, max_output=self._wire.max_output(fitted.frame))
            reason, before, threshold = BELOW_THRESHOLD, fitted.tokens, budget.total
        else:
            why = report.reason if made is not None or report.fallback is None else report.fallback
            reason, before, threshold = why.value, report.tokens_before, report.budget
        return CompactInfo(
            compacted=made is not None,
            reason=reason,
            estimated_tokens=before,
            threshold=threshold,
            checkpoint_id=made.id if made is not None else None,
        )

    def _frame(self) -> Frame:
        """Give the frame, the very same one while system layers, tools and model stay: it is priced once."""
        system = self._context_builder.get_system_messages() if self._context_builder is not None else ()
        request = {"model": self.model, "messages": list(system), "tools": list(self.tools)}
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

"""How far one history has been fitted: the engine's questions, and a model's answer between them."""

from __future__ import annotations

import msgspec

from unabridged.context.history import DIALECT
from unabridged.context.summary_generator import asked_within
from unabridged.engine import Engine, Outcome, Overflow, Span
from unabridged.entry import RefusedEntry, ReportEntry
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.message import Role
from unabridged.policy import Policy
from unabridged.summarizer import Summarizer, back_off
from unabridged.transcript import Transcript


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One request, as the engine is asked for it."""

    frame: Frame
    policy: Policy
    window: int
    model: str = ""
    overflow: Overflow | None = None


class Fitting:
    """One history, fitted step after step."""

    def __init__(self, transcript: Transcript) -> None:
        self.engine = Engine(transcript, dialect=DIALECT)
        self.fitted: Fitted | None = None
        self._stands_for: tuple[object, ...] = ()
        """What the newest fit was made from: as long as that is the same, its view stands."""
        self._sent = 0
        """Messages that were in a request which could be made."""

    def standing(self, step: Step) -> Fitted | None:
        """Give the newest fit if it is about this very step."""
        return self.fitted if step.overflow is None and self._stands_for == self._state(step) else None

    def span(self, step: Step, summarizer: Summarizer | None) -> Span | None:
        """Give what the summarizer is to be asked for now, if anything. After a failure it is left alone a while."""
        if summarizer is None:
            return None
        try:
            span = self.engine.span(
                step.frame,
                step.policy,
                window=step.window,
                model=step.model,
                overflow=step.overflow,
                summary_window=getattr(summarizer, "window", None),
            )
        except CannotFit:
            return None  # `fit` raises it too, and takes out of the branch what it was raised for
        return None if span is None or back_off(self.engine.transcript.reports).is_on else span

    async def ask(self, span: Span, summarizer: Summarizer, timeout_s: float) -> Outcome:
        """Ask for the summary of a span. The log says before that it is asked for."""
        self.engine.transcript.record(ReportEntry(span.report))
        result, ms = await asked_within(summarizer, span.request, timeout_s)
        model = result.model or getattr(summarizer, "model", "") or span.report.summary_model or ""
        return Outcome(span=span, result=result, ms=ms, timeout_s=timeout_s, model=model)

    def fit(self, step: Step, outcome: Outcome | None = None) -> Fitted:
        """Fit, and keep what was decided. On `CannotFit` what was appended since the last request leaves the branch."""
        try:
            fitted = self.proposed(step, outcome)
        except CannotFit as refusal:
            self._refuse(str(refusal), sent=0 if step.overflow is not None else self._sent)
            raise
        self.fitted = self.engine.commit(fitted)
        self._stands_for, self._sent = self._state(step), len(self.engine.transcript.records)
        return fitted

    def proposed(self, step: Step, outcome: Outcome | None = None) -> Fitted:
        """Give what a fit would come to, and keep nothing of it."""
        return self.engine.fit(
            step.frame,
            step.policy,
            window=step.window,
            model=step.model,
            overflow=step.overflow,
            outcome=outcome,
        )

    def _state(self, step: Step) -> tuple[object, ...]:
        return len(self.engine.transcript.log), step.frame, step.policy, step.window, step.model

    def _refuse(self, why: str, *, sent: int) -> None:
        """Take what nobody answered out of the branch, as far as no request has carried it.

        After an overflow all of it: the very request that carried it was refused.
        """
        transcript = self.engine.transcript
        start = len(transcript.records)
        while start > sent and transcript.records[start - 1].message.role is not Role.ASSISTANT:
            start -= 1
        refused = tuple(record.message.id for record in transcript.records[start:])
        if refused:
            transcript.record(RefusedEntry(refused, why))

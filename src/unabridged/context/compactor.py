"""Compaction as a step of its own: ask for a summary, and keep it as a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.budget import Budget
from unabridged.context.fitting import Fitting, Step
from unabridged.context.history import DIALECT
from unabridged.context.model_view import SUMMARY_UNAVAILABLE, CompactInfo, below, info_of
from unabridged.context.settings import ContextConfig
from unabridged.context.store import CompactStore
from unabridged.context.summary_generator import GenerateSummary, in_own_loop, summarizer_of
from unabridged.engine import Outcome
from unabridged.entry import ReportEntry
from unabridged.frame import Frame
from unabridged.message import Message
from unabridged.report import Fallback, Phase, Report, ResolvedBy
from unabridged.reporting import summed_up
from unabridged.summarizer import Summarizer, Summary


class ContextCompactor:
    """Sums up what is old, once the messages have reached the budget. Without a generator it does so by rules.

    It counts messages alone, as `ContextBudgetPolicy` does; a `ContextEngine` counts the whole request, and trims
    where this one gives `summary_unavailable`. Not as in the articles: what stays is what the budget holds, not a
    number of rounds (`docs/decisions/0003-cuts-inside-a-round.md`).
    """

    def __init__(
        self,
        compact_store: CompactStore,
        summary_generator: GenerateSummary | Summarizer | None = None,
        *,
        config: ContextConfig | None = None,
    ) -> None:
        self.compact_store = compact_store
        self.config = config if config is not None else compact_store.config
        self._summarizer = summarizer_of(summary_generator) if summary_generator is not None else None
        self._fitting = Fitting(compact_store.history.transcript)
        self._step = Step(
            frame=Frame(dialect=DIALECT),
            policy=self.config.policy(summarize=True),
            window=self.config.context_window,
        )

    def compact(self, messages: Sequence[Message]) -> CompactInfo:
        """Sum up the old part of what `get_messages` gave, and keep a checkpoint. No message is changed.

        Gives `summary_unavailable`, and changes nothing, where the summary did not come about; a generator that failed
        is left alone for some fits, which are summed up by rules. Raises `BadInput` for any other list, and where an
        event loop runs: await `compact_async` there.
        """
        self.compact_store.check(messages)
        span = self._fitting.span(self._step, self._summarizer)
        if span is None or self._summarizer is None:
            return self._by_rules()
        summarizer, ask = self._summarizer, self._fitting.ask
        outcome = in_own_loop(lambda: ask(span, summarizer, self.config.summary_timeout), instead="compact_async")
        return self._kept(outcome)

    async def compact_async(self, messages: Sequence[Message]) -> CompactInfo:
        """Do the same where an event loop runs, without holding it up."""
        self.compact_store.check(messages)
        span = self._fitting.span(self._step, self._summarizer)
        if span is None or self._summarizer is None:
            return self._by_rules()
        return self._kept(await self._fitting.ask(span, self._summarizer, self.config.summary_timeout))

    def _by_rules(self) -> CompactInfo:
        """Compact without a model, as far as the messages are over the budget and old enough."""
        proposed = self._fitting.proposed(self._step)
        report = proposed.report
        if report is None or report.tokens_before < report.budget:
            return below(proposed.tokens, self._budget)
        if not report.compacted:
            return _left_alone(report, (report.fallback or Fallback.NOTHING_TO_SUMMARIZE).value)
        return info_of(self._fitting.fit(self._step), self._budget)

    def _kept(self, outcome: Outcome) -> CompactInfo:
        if isinstance(outcome.result, Summary):
            return info_of(self._fitting.fit(self._step, outcome), self._budget)
        done = summed_up(msgspec.structs.replace(outcome.span.report, phase=Phase.DONE), outcome, asked=True)
        self.compact_store.history.transcript.record(ReportEntry(done))
        return _left_alone(done, SUMMARY_UNAVAILABLE)

    @property
    def _budget(self) -> Budget:
        return Budget.of(self._step.policy, window=self._step.window)


def _left_alone(report: Report, reason: str) -> CompactInfo:
    return CompactInfo(
        compacted=False,
        reason=reason,
        estimated_tokens=report.tokens_before,
        threshold=report.budget,
        checkpoint_id=None,
        resolved_by=ResolvedBy.NONE.value,
        fallback=report.fallback.value if report.fallback is not None else None,
    )

"""How often what happened in the stories: a promise about something that never occurs is empty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tests.properties.plans import summary_of
from unabridged.report import ResolvedBy

if TYPE_CHECKING:
    from tests.properties.walking import Step


class Tally:
    """Counts of one process."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self._over = False

    def begin(self) -> None:
        """A story begins."""
        self._over = False
        self.counts["stories", "told"] += 1

    def end(self) -> None:
        """A story ended as it should."""
        self.counts["stories", "over the budget"] += self._over

    def see(self, step: Step) -> None:
        """Take in one call of the model."""
        self.counts["calls", "all"] += 1
        if step.full >= step.room.budget:
            self._over = True
            self.counts["calls", "over the budget"] += 1
        if step.refusal is not None:
            self.counts["calls", "refused"] += 1
            return
        assert step.fitted is not None
        self._see_report(step)
        self._see_summary(step)
        checkpoint = step.fitted.checkpoint
        if checkpoint is None:
            return
        self.counts["strategy", step.policy.strategy] += 1
        self.counts["order", step.policy.trim_order] += 1
        for run in checkpoint.plan.runs:
            self.counts["verdict", run.verdict.value] += run.count
            self.counts["reason", run.reason.value] += run.count
        for cut in checkpoint.plan.cuts:
            self.counts["cut", cut.kind.value] += 1
            self.counts["reason", cut.reason.value] += 1

    def _see_summary(self, step: Step) -> None:
        was, now = summary_of(step.chain_before), summary_of(step.chain_after)
        facts = {
            "shown": now is not None,
            "of a model": now is not None and step.outcome is not None and now is not was,
            "upon another": now is not None and was is not None and now.summary != was.summary,
            "kept by a trim": now is not None and was is not None and now is not was and now.summary == was.summary,
            "with the system's rank": now is not None and now.summary_role == "system",
            "of dropped messages": now is not None and now is not was and not step_compacts(step),
            "forgotten": was is not None and now is None and bool(step.chain_after),
            "undone": summary_of(step.chain) is not None and now is None and not step.chain_after,
            "late": step.is_stale,
        }
        for fact, holds in facts.items():
            self.counts["summary", fact] += holds

    def _see_report(self, step: Step) -> None:
        report = step.report
        if report is None:
            return
        self.counts["phase", report.phase.value] += 1
        if report.resolved_by is ResolvedBy.NONE:
            self.counts["strategy", step.policy.strategy] += 1
        self.counts["fit", report.reason.value] += 1
        self.counts["resolved by", report.resolved_by.value] += 1
        if report.fallback is not None:
            self.counts["fallback", report.fallback.value] += 1
        if report.cause is not None:
            self.counts["cause", str(report.cause)] += 1
        for rule, number in report.repairs:
            self.counts["repair", rule] += number


SUMMARIES = (
    "shown",
    "of a model",
    "upon another",
    "kept by a trim",
    "with the system's rank",
    "of dropped messages",
    "forgotten",
    "undone",
    "late",
)
"""What may become of summaries."""


def step_compacts(step: Step) -> bool:
    """Tell whether a fit put messages into a summary."""
    return step.report is not None and step.report.compacted > 0


TALLY = Tally()
"""Of this process."""

"""How often what happened in the stories: a promise about something that never occurs is empty."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

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
        checkpoint = step.fitted.checkpoint
        if checkpoint is None:
            return
        for run in checkpoint.plan.runs:
            self.counts["verdict", run.verdict.value] += run.count
            self.counts["reason", run.reason.value] += run.count
        for cut in checkpoint.plan.cuts:
            self.counts["cut", cut.kind.value] += 1
            self.counts["reason", cut.reason.value] += 1

    def _see_report(self, step: Step) -> None:
        report = step.report
        if report is None:
            return
        self.counts["phase", report.phase.value] += 1
        self.counts["fit", report.reason.value] += 1
        self.counts["resolved by", report.resolved_by.value] += 1
        if report.fallback is not None:
            self.counts["fallback", report.fallback.value] += 1
        for rule, number in report.repairs:
            self.counts["repair", rule] += number


TALLY = Tally()
"""Of this process."""

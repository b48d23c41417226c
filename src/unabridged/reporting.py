"""Making reports: what was asked for, what it came to, and why."""

from __future__ import annotations

import msgspec

from unabridged.budget import Budget
from unabridged.policy import Policy
from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy
from unabridged.strategy.situation import Decision
from unabridged.transcript import Transcript

Repairs = tuple[tuple[str, int], ...]


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """What every report of one request says, whatever comes of it."""

    phase: Phase
    budget: Budget
    policy: Policy
    before: int
    full: int
    model: str
    ignored: tuple[str, ...]

    def lifted(self, after: int) -> Report:
        """Report that the whole transcript is shown again."""
        report = self._report(after, FitReason.CHECKPOINT_LIFTED, ResolvedBy.NONE)
        return msgspec.structs.replace(report, tokens_full=after)

    def repaired(self, repairs: Repairs) -> Report | None:
        """Report what had to be mended below the budget; None where there was nothing new."""
        if not repairs and not self.ignored:
            return None
        return self._report(self.before, FitReason.REPAIRED, ResolvedBy.NONE, repairs=repairs)

    def left_alone(self, repairs: Repairs) -> Report:
        """Report that the policy changes nothing although the request is over its budget."""
        return self._report(self.before, FitReason.STRATEGY_NONE, ResolvedBy.NONE, repairs=repairs)

    def fitted(self, decision: Decision, after: int, *, repairs: Repairs, forced: bool) -> Report:
        """Report a fit."""
        report = self._report(after, self._why(decision, after, forced=forced), ResolvedBy.TRIM, repairs=repairs)
        output = self.budget.output_for(after, None)
        report = msgspec.structs.replace(
            report,
            dropped=decision.dropped,
            truncated=decision.truncated,
            media_dropped=decision.media_dropped,
            tool_call_ids=decision.call_ids,
            floor=decision.floor,
            target=self.budget.target(decision.floor),
            max_output=output,
        )
        if decision.changes:
            return report
        return msgspec.structs.replace(report, resolved_by=ResolvedBy.NONE, fallback=Fallback.NOTHING_EVICTABLE)

    def _why(self, decision: Decision, after: int, *, forced: bool) -> FitReason:
        if forced:
            return FitReason.PROVIDER_OVERFLOW
        if after > self.budget.total:
            return FitReason.FLOOR_OVER_BUDGET
        return FitReason.OUTPUT_OVER_ROOM if decision.step else FitReason.THRESHOLD_EXCEEDED

    def _report(self, after: int, reason: FitReason, by: ResolvedBy, *, repairs: Repairs = ()) -> Report:
        return Report(
            phase=self.phase,
            strategy=self.policy.strategy,
            resolved_by=by,
            reason=reason,
            repaired=sum(count for _, count in repairs),
            repairs=repairs,
            tokens_before=self.before,
            tokens_after=after,
            tokens_full=self.full,
            budget=self.budget.total,
            window=self.budget.window,
            target=self.budget.target(0),
            over_budget=after > self.budget.total,
            model=self.model,
            ignored=self.ignored,
        )


def phase_of(transcript: Transcript) -> Phase:
    """Tell whether a fit stands before a turn or between two steps of one."""
    records = transcript.records
    return Phase.STEP if records and records[-1].message.results else Phase.DONE

"""Making reports: what was asked for, what it came to, and why."""

from __future__ import annotations

import msgspec

from unabridged.budget import Budget
from unabridged.folding import Outcome
from unabridged.policy import Policy
from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy
from unabridged.strategy.situation import Decision
from unabridged.summarizer import NoSummary, WhyNoSummary
from unabridged.transcript import Transcript

NEAR_TIMEOUT = 0.8
"""Of its time, what a summary may take before a report warns."""

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

    def lifted(self, after: int, repairs: Repairs) -> Report:
        """Report that the whole transcript is shown again."""
        report = self._report(after, FitReason.CHECKPOINT_LIFTED, ResolvedBy.NONE, repairs=repairs)
        return msgspec.structs.replace(report, tokens_full=after)

    @property
    def is_step(self) -> bool:
        """It stands between two steps of a turn."""
        return self.phase is Phase.STEP

    def replanned(self, after: int, repairs: Repairs) -> Report:
        """Report that somebody had the whole transcript shown again."""
        report = self._report(after, FitReason.REPLANNED, ResolvedBy.NONE, repairs=repairs)
        return msgspec.structs.replace(report, tokens_full=after)

    def repaired(self, repairs: Repairs) -> Report | None:
        """Report what had to be mended below the budget; None where there was nothing new."""
        if not repairs and not self.ignored:
            return None
        return self._report(self.before, FitReason.REPAIRED, ResolvedBy.NONE, repairs=repairs)

    def left_alone(self, repairs: Repairs) -> Report:
        """Report that the policy changes nothing although the request is over its budget."""
        return self._report(self.before, FitReason.STRATEGY_NONE, ResolvedBy.NONE, repairs=repairs)

    def fitted(self, decision: Decision, after: int, *, repairs: Repairs, why: FitReason | None = None) -> Report:
        """Report a fit; `why` where it was not the budget that called for it."""
        by = ResolvedBy.SUMMARIZE if decision.compacted else ResolvedBy.TRIM
        report = self._report(after, why or self._why(decision, after), by, repairs=repairs)
        report = msgspec.structs.replace(
            report,
            compacted=decision.compacted,
            dropped=decision.dropped,
            truncated=decision.truncated,
            media_dropped=decision.media_dropped,
            tool_call_ids=decision.call_ids,
            floor=decision.floor,
            target=self.budget.target(decision.floor),
            max_output=self.budget.output_for(after, None),
        )
        if decision.changes:
            return report
        return msgspec.structs.replace(report, resolved_by=ResolvedBy.NONE, fallback=Fallback.NOTHING_EVICTABLE)

    def compacting(self, model: str, timeout_s: float) -> Report:
        """Report that a summarizer is about to be asked."""
        report = self._report(self.before, FitReason.THRESHOLD_EXCEEDED, ResolvedBy.NONE)
        return msgspec.structs.replace(
            report, phase=Phase.COMPACTING, summary_model=model, summarizer_timeout_s=float(timeout_s)
        )

    def _why(self, decision: Decision, after: int) -> FitReason:
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


def summed_up(report: Report, outcome: Outcome | None, *, asked: bool) -> Report:
    """Add to a report what came of a summary. `asked`: one was wanted, so that having none needs a word.

    Where one was wanted the fit is a full one, between two steps of a turn too: `done` follows on `compacting`.
    """
    if asked:
        report = msgspec.structs.replace(report, phase=Phase.DONE)
    if outcome is None:
        wanted = asked and report.fallback is None
        return msgspec.structs.replace(report, fallback=Fallback.NOTHING_TO_SUMMARIZE) if wanted else report
    result = outcome.result
    if isinstance(result, NoSummary) and report.fallback is None:
        report = msgspec.structs.replace(report, fallback=result.fallback, cause=result.reason)
    elif not report.compacted and report.fallback is None:
        report = msgspec.structs.replace(
            report, fallback=Fallback.SUMMARIZER_RETURNED_NOTHING, cause=WhyNoSummary.NOT_SMALLER
        )
    if outcome.ms is None:
        return report
    near = outcome.timeout_s is not None and outcome.ms >= outcome.timeout_s * 1_000 * NEAR_TIMEOUT
    return msgspec.structs.replace(
        report,
        summarizer_ms=outcome.ms,
        summarizer_timeout_s=None if outcome.timeout_s is None else float(outcome.timeout_s),
        summary_model=outcome.model,
        warnings=(*report.warnings, "summarizer_near_timeout") if near else report.warnings,
    )


def phase_of(transcript: Transcript) -> Phase:
    """Tell whether a fit stands before a turn or between two steps of one."""
    records = transcript.records
    return Phase.STEP if records and records[-1].message.results else Phase.DONE

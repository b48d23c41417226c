"""When a summarizer has failed it is left alone for some fits, and asked again by itself."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from unabridged.report import Fallback, Phase, Report, ResolvedBy

LONGEST = 4
"""Fits that are passed over at most. They lie far apart: each lands well below the budget."""

_FAILED = frozenset({Fallback.SUMMARIZER_TIMED_OUT, Fallback.SUMMARIZER_RETURNED_NOTHING, Fallback.SUMMARIZER_FAILED})


class BackOff(msgspec.Struct, frozen=True):
    """Whether to ask a summarizer, by what came of asking it before. A function of the log: no clock has a say."""

    failures: int = 0
    """Failures in a row, up to now."""
    left: int = 0
    """Fits that still pass without asking."""

    @property
    def is_on(self) -> bool:
        """Whether the next fit does without a summary."""
        return self.left > 0


def back_off(reports: Iterable[Report]) -> BackOff:
    """Give the back-off after these reports, oldest first: after one failure one fit passes, after two two, then four.

    A failure is a report whose summarizer was called (`summarizer_ms` is there) and whose `fallback` says that nothing
    came of it. Reports of other strategies, of steps, and of a call that begins, count for nothing.
    """
    state = BackOff()
    for report in reports:
        if report.strategy != "summarize" or report.phase is not Phase.DONE:
            continue
        if report.resolved_by is ResolvedBy.SUMMARIZE and report.summarizer_ms is not None:
            state = BackOff()
        elif report.fallback in _FAILED and report.summarizer_ms is not None:
            failures = state.failures + 1
            state = BackOff(failures, min(LONGEST, 2 ** (failures - 1)))
        elif state.left:
            state = BackOff(state.failures, state.left - 1)
    return state

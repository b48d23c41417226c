"""What a fit did, as a divider: the history above it stays whole."""

from __future__ import annotations

from rich.text import Text

from unabridged.agent.terminal.ink import DIM, NOTE, Ink, one_line
from unabridged.report import FitReason, Report

_QUIET = frozenset({FitReason.REPAIRED})


def divider(report: Report, ink: Ink, width: int) -> Text | None:
    """Say what a fit came to, and how to undo it; None where nothing was taken out and nobody asked."""
    if report.reason in _QUIET:
        return None
    made = Text()
    sizes = f" {report.tokens_before:,} {ink.arrow} {report.tokens_after:,} tokens "
    made.append(f"{ink.dash * 2}{sizes}", NOTE)
    made.append(ink.dash * max(2, width - len(sizes) - 2), NOTE)
    made.append(f"\n   {_what(report)}; {report.strategy}, {_reason(report)}", DIM)
    if report.compacted or report.dropped or report.truncated or report.media_dropped:
        made.append("\n   Nothing is deleted: /uncompact takes it back, /context shows what is left", DIM)
    for warning in report.warnings:
        made.append(f"\n   {one_line(warning)}", "yellow")
    return made


def _what(report: Report) -> str:
    counts = (
        ("summed up", report.compacted),
        ("dropped", report.dropped),
        ("shortened", report.truncated),
        ("pictures out", report.media_dropped),
    )
    done = ", ".join(f"{number:,} {name}" for name, number in counts if number)
    took = f" in {report.summarizer_ms / 1_000:.1f} s" if report.summarizer_ms is not None else ""
    return f"{done or 'nothing taken out'}{took}"


def _reason(report: Report) -> str:
    words = report.reason.value.replace("_", " ")
    if report.fallback is None:
        return words
    cause = f" ({report.cause.replace('_', ' ')})" if report.cause else ""
    return f"{words}; {report.fallback.value.replace('_', ' ')}{cause}"

"""Plain words for what the engine says in enums."""

from __future__ import annotations

from unabridged.message import Message
from unabridged.plan import Cut, CutKind, Reason, Verdict
from unabridged.report import Fallback, FitReason, Report, ResolvedBy

VERDICTS = {
    Verdict.KEEP: "kept",
    Verdict.TRUNCATE: "truncated",
    Verdict.COMPACT: "compacted",
    Verdict.DROP: "dropped",
}

REASONS = {
    Reason.FITS: "nothing had to go for it to stay",
    Reason.SYSTEM: "system messages are never taken out",
    Reason.TASK: "it is the task, the first thing that a person asked for; it always stays",
    Reason.NEWEST_HUMAN: "it is the newest thing that a person wrote; it always stays whole",
    Reason.UNANSWERED: "a person wrote it and the model has not answered it yet",
    Reason.UNREAD_STEP: "the model has not read it yet; only outputs may be shortened in it",
    Reason.OVERSIZED_OUTPUT: "one output took more than its share of the budget, so it was cut to that share",
    Reason.OLD_OUTPUT: "an old output: a command can be run again, the reasoning around it cannot be had again",
    Reason.OLD_ARGUMENTS: "long arguments of an old call: what they did is done",
    Reason.OLD_MEDIA: "an old picture, recording or document",
    Reason.OLDEST_GROUP: "it belongs to the oldest part, and shortening outputs had not been enough",
    Reason.RECENT_OUTPUT: "a recent output: nothing older was left to shorten",
    Reason.RECENT_ARGUMENTS: "long arguments of a recent call: nothing older was left to shorten",
    Reason.RECENT_MEDIA: "a recent picture, recording or document: nothing older was left to take out",
    Reason.RECENT_GROUP: "it is recent, but nothing older was left to drop",
    Reason.FAIR_SHARE: "outputs that had just arrived shared the room that was left, the small ones whole",
    Reason.HUMAN_CUT: "a person's older message, cut inside: what must stay was larger than the budget",
    Reason.TASK_CUT: "the task, cut inside: what must stay was larger than the budget, and nothing else was left",
    Reason.SUMMARIZED: "it stands in the summary",
}

FIT_REASONS = {
    FitReason.THRESHOLD_EXCEEDED: "threshold exceeded",
    FitReason.OUTPUT_OVER_ROOM: "output over room",
    FitReason.PROVIDER_OVERFLOW: "provider overflow",
    FitReason.FLOOR_OVER_BUDGET: "floor over budget",
    FitReason.STRATEGY_NONE: "strategy none",
    FitReason.REPAIRED: "repaired",
    FitReason.REPLANNED: "replanned",
    FitReason.ASKED_FOR: "asked for",
    FitReason.CHECKPOINT_LIFTED: "checkpoint lifted",
}

FALLBACKS = {
    Fallback.SUMMARIZER_TIMED_OUT: "the summarizer timed out",
    Fallback.SUMMARIZER_RETURNED_NOTHING: "no summary that serves",
    Fallback.SUMMARIZER_FAILED: "the summarizer failed",
    Fallback.NOTHING_TO_SUMMARIZE: "nothing to sum up",
    Fallback.NOTHING_EVICTABLE: "nothing evictable",
}

RESOLVED_BY = {
    ResolvedBy.NONE: "nothing",
    ResolvedBy.TRIM: "trimming",
    ResolvedBy.SUMMARIZE: "a summary",
}

_CUT_FROM = {
    CutKind.TEXT: "text",
    CutKind.ARGUMENTS: "arguments",
    CutKind.MEDIA: "media",
    CutKind.REASONING: "reasoning",
}


def reason_of(report: Report) -> str:
    """Say why there was a fit, and which way it gave up where it did."""
    words = FIT_REASONS[report.reason]
    if report.fallback is None:
        return words
    cause = "" if report.cause is None else f" ({report.cause.replace('_', ' ')})"
    return f"{words}; {FALLBACKS[report.fallback]}{cause}"


def number_of(message: Message | str) -> str:
    """Give a message's number in its conversation: what its id ends with."""
    id = message if isinstance(message, str) else message.id
    last = id.rpartition("-")[2]
    return str(int(last)) if last.isdigit() else id


def place_of(cut: Cut) -> str:
    """Say where in a message something was cut."""
    inside = "" if cut.inner is None else f", piece {cut.inner + 1} of its result"
    leaf = f" at {cut.pointer}" if cut.pointer else ""
    return f"{_CUT_FROM[cut.kind]} of part {cut.part + 1}{inside}{leaf}"


def ranges_of(cut: Cut) -> str:
    """Say what of it stays."""
    if cut.kind in (CutKind.MEDIA, CutKind.REASONING):
        return "taken out whole"
    kept = " and ".join(f"{start:,}-{end:,}" for start, end in cut.keep if end > start)
    return f"characters {kept or 'none'} of {cut.total:,} stay"

"""What a fit did, in enums and numbers; and what a provider reported of a call."""

from __future__ import annotations

import enum

import msgspec


class Phase(enum.StrEnum):
    """Where in a turn a fit stands."""

    COMPACTING = "compacting"
    """A model is about to be asked for a summary."""
    DONE = "done"
    """Fitted before a turn."""
    STEP = "step"
    """Fitted between two steps of a turn, without a model call."""


class ResolvedBy(enum.StrEnum):
    """What made the request fit. `strategy` says what was asked for."""

    NONE = "none"
    TRIM = "trim"
    SUMMARIZE = "summarize"


class Fallback(enum.StrEnum):
    """Which way a strategy gave up; `reason` says the finer cause."""

    SUMMARIZER_TIMED_OUT = "summarizer_timed_out"
    SUMMARIZER_RETURNED_NOTHING = "summarizer_returned_nothing"
    SUMMARIZER_FAILED = "summarizer_failed"
    NOTHING_TO_SUMMARIZE = "nothing_to_summarize"
    NOTHING_EVICTABLE = "nothing_evictable"


class FitReason(enum.StrEnum):
    """Why there is a report, and why it looks as it does."""

    THRESHOLD_EXCEEDED = "threshold_exceeded"
    """The request reached the budget."""
    OUTPUT_OVER_ROOM = "output_over_room"
    """Outputs that had just arrived did not fit the room left; nothing that was sent before changed."""
    PROVIDER_OVERFLOW = "provider_overflow"
    """The provider refused the request as too long."""
    FLOOR_OVER_BUDGET = "floor_over_budget"
    """What can never be taken away is above the budget: the view is the floor, the output limit is lowered."""
    STRATEGY_NONE = "strategy_none"
    """Over the budget, and the policy says to change nothing."""
    REPAIRED = "repaired"
    """Below the budget; only what the provider would refuse was mended."""
    REPLANNED = "replanned"
    """Somebody asked for it: planned anew from the originals, whatever was decided before."""
    ASKED_FOR = "asked_for"
    """Somebody asked for a compaction, whatever the budget says."""
    CHECKPOINT_LIFTED = "checkpoint_lifted"
    """The whole transcript is within the target again (a larger model): it is shown whole."""


class Usage(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Tokens that a provider reported for one call. `input` includes what was read from or written to its cache."""

    input: int
    cached: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            input=self.input + other.input,
            cached=self.cached + other.cached,
            cache_write=self.cache_write + other.cache_write,
            output=self.output + other.output,
            reasoning=self.reasoning + other.reasoning,
        )


class Report(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One fit. Counts are messages of this fit, tokens are whole requests by the one counter."""

    version: int = 1
    phase: Phase
    strategy: str
    resolved_by: ResolvedBy
    reason: FitReason
    fallback: Fallback | None = None
    cause: str | None = None
    """The finer cause of a fallback, where a summary did not come about."""
    compacted: int = 0
    dropped: int = 0
    truncated: int = 0
    repaired: int = 0
    media_dropped: int = 0
    tokens_before: int
    """This request under the checkpoint in force."""
    tokens_after: int
    tokens_full: int
    """The whole transcript with nothing taken out."""
    budget: int
    window: int
    target: int
    floor: int = 0
    over_budget: bool = False
    max_output: int | None = None
    """The output limit that goes out, where it had to be lowered."""
    model: str = ""
    tool_call_ids: tuple[str, ...] = ()
    """Calls whose outputs were shortened."""
    ignored: tuple[str, ...] = ()
    """Checkpoints that did not match this branch, each with why."""
    archived: int = 0
    summarizer_ms: int | None = None
    """How long a summary took, or was waited for."""
    summarizer_timeout_s: float | None = None
    """How long it might have taken. From 80 % of it on, `warnings` says so: a longer conversation will be too long."""
    summary_model: str | None = None
    warnings: tuple[str, ...] = ()
    repairs: tuple[tuple[str, int], ...] = ()
    """Repair rules that mended something, with how often."""

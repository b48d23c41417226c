"""The policy: how a project wants its conversations fitted. Refuses at once what cannot work."""

from __future__ import annotations

import msgspec

from unabridged.errors import BadSetting

TOOL_OUTPUT_FIRST, OLDEST_FIRST, LARGEST_FIRST = "tool_output_first", "oldest_first", "largest_first"
ORDERS = (TOOL_OUTPUT_FIRST, OLDEST_FIRST, LARGEST_FIRST)
"""Orders of eviction that `trim` knows."""
LEAST_SUMMARY = 200
"""Tokens; less cannot hold what a task has come to."""
SUMMARY_ROLES = ("user", "system")


class Policy(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Settings of one project, not of one request. In JSON the names are camelCase."""

    strategy: str = "trim"
    """`trim`, `summarize`, or `none` (alias `off`)."""
    trim_order: str = TOOL_OUTPUT_FIRST
    """What goes first: `tool_output_first`, `oldest_first` or `largest_first`."""
    threshold: float = 0.8
    """Share of the window that a request may take; the rest is reserved for the answer."""
    target: float = 0.7
    """Where a fit lands between floor and budget. The measured knee between lost context and lost cache."""
    max_context_tokens: int | None = None
    """A cap on the window; it may only lower it."""
    reserve_output_tokens: int | None = None
    min_retain_rounds: int = 10
    """A wish that the budget overrules, newest first."""
    recent_share: float = 0.35
    """Share of the target whose newest messages keep their outputs whole while anything older can go."""
    output_cap_share: float = 0.25
    """No single tool output takes more than this share of the budget once a fit is needed."""
    min_reclaim_tokens: int = 0
    """A fit frees at least as much, where so much can go: seldom and much, rather than often and little."""
    fold_in_turn: bool = False
    """A summary may be made between two steps of a turn too, not only before one."""
    archive_to_memory: bool = True
    summary_model: str | None = None
    summary_max_tokens: int = 4_096
    """What a summary may take at most. It also takes no more than a quarter of the room between floor and target."""
    summary_role: str = "user"
    """`user` shows a summary as background; `system` gives it the rank that the articles gave it."""
    summarizer_timeout_s: float = 120.0
    """For everything that one summary takes."""

    def __post_init__(self) -> None:
        if self.trim_order not in ORDERS:
            raise BadSetting("trimOrder", self.trim_order, f"known are {', '.join(ORDERS)}")
        _within("threshold", self.threshold, 0.1, 0.95)
        _within("target", self.target, 0.1, 0.95)
        _within("recentShare", self.recent_share, 0.0, 0.9)
        _within("outputCapShare", self.output_cap_share, 0.01, 1.0)
        _at_least_one("minRetainRounds", self.min_retain_rounds)
        _at_least_one("maxContextTokens", self.max_context_tokens)
        _at_least_one("reserveOutputTokens", self.reserve_output_tokens)
        if self.summary_role not in SUMMARY_ROLES:
            raise BadSetting("summaryRole", self.summary_role, f"known are {', '.join(SUMMARY_ROLES)}")
        if self.min_reclaim_tokens < 0:
            raise BadSetting("minReclaimTokens", self.min_reclaim_tokens, "give a number of tokens, or 0")
        if self.summary_max_tokens < LEAST_SUMMARY:
            raise BadSetting("summaryMaxTokens", self.summary_max_tokens, f"give at least {LEAST_SUMMARY} tokens")
        if not self.summarizer_timeout_s > 0:
            raise BadSetting("summarizerTimeoutS", self.summarizer_timeout_s, "give a number of seconds above 0")


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise BadSetting(name, value, f"give a share between {low} and {high} (0.8 means 80 %)")


def _at_least_one(name: str, value: int | None) -> None:
    if value is not None and value < 1:
        raise BadSetting(name, value, "give a whole number of at least 1")

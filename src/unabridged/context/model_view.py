"""What goes into the articles' coordinator and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypedDict

import msgspec

from unabridged.budget import Budget
from unabridged.context.budget_policy import BELOW_THRESHOLD
from unabridged.context.store import ProjectionMode
from unabridged.fitted import Fitted
from unabridged.report import Report, ResolvedBy


class ContextBuilder(Protocol):
    """Gives the system layers of a request, as OpenAI dicts."""

    def get_system_messages(self) -> Sequence[Mapping[str, Any]]:
        """Give them in order. Asked before each step."""
        ...


class CompactInfo(TypedDict):
    """What came of an attempt. `compacted` as the articles use it: something left the view."""

    compacted: bool
    reason: str
    """A reason or fallback of the report, or `below_threshold`."""
    estimated_tokens: int
    """Of the whole request, before."""
    threshold: int
    checkpoint_id: str | None
    """The checkpoint that was made, if any."""
    resolved_by: str
    """What made the request smaller: `summarize`, `trim`, or `none`."""
    fallback: str | None
    """Why it was not a summary, where one was wanted."""


SUMMARY_UNAVAILABLE = "summary_unavailable"
"""The articles' reason where a summary did not come about and nothing was changed."""


def info_of(fitted: Fitted, budget: Budget) -> CompactInfo:
    """Say in the articles' words what a fit came to; `budget` is what it had."""
    report, made = fitted.report, fitted.checkpoint
    if report is None:
        return below(fitted.tokens, budget)
    why = report.reason if made is not None or report.fallback is None else report.fallback
    return CompactInfo(
        compacted=made is not None,
        reason=why.value,
        estimated_tokens=report.tokens_before,
        threshold=report.budget,
        checkpoint_id=made.id if made is not None else None,
        resolved_by=report.resolved_by.value,
        fallback=report.fallback.value if report.fallback is not None else None,
    )


def below(tokens: int, budget: Budget) -> CompactInfo:
    """Say that nothing had to be done."""
    return CompactInfo(
        compacted=False,
        reason=BELOW_THRESHOLD,
        estimated_tokens=tokens,
        threshold=budget.total,
        checkpoint_id=None,
        resolved_by=ResolvedBy.NONE.value,
        fallback=None,
    )


class ModelView(msgspec.Struct, frozen=True, kw_only=True):
    """What the model sees in one step: system layers, then session memory, then the history."""

    messages: list[dict[str, Any]]
    system_message_count: int
    history_message_count: int
    source_message_count: int
    """Messages of the history, shown or not."""
    projection_mode: ProjectionMode
    estimated_tokens: int
    """Of the whole request, tool schemas included."""
    dynamic_message_count: int = 0
    """1 where a session memory stands between system layers and history."""
    max_output: int | None = None
    """The output limit that has to go out with it; None where none has to."""
    report: Report | None = None
    """What was done for this step, if anything."""

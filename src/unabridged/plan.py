"""The plan: one verdict with one reason for every message, and every cut as exact ranges."""

from __future__ import annotations

import enum

import msgspec


class Verdict(enum.StrEnum):
    """What becomes of a message in the view."""

    KEEP = "keep"
    TRUNCATE = "truncate"
    """Still in the view, with something cut out of it."""
    COMPACT = "compact"
    """Stands in the summary."""
    DROP = "drop"
    """Not in the view; a marker says so."""


class Reason(enum.StrEnum):
    """Why a message got its verdict. Prose is made from these, never the other way round."""

    FITS = "fits"
    """Nothing had to go for it to stay."""
    SYSTEM = "system"
    TASK = "task"
    NEWEST_HUMAN = "newest_human"
    UNANSWERED = "unanswered"
    UNREAD_STEP = "unread_step"
    OVERSIZED_OUTPUT = "oversized_output"
    """One tool output above a quarter of the budget: cut to that cap."""
    OLD_OUTPUT = "old_output"
    OLD_ARGUMENTS = "old_arguments"
    OLD_MEDIA = "old_media"
    OLDEST_GROUP = "oldest_group"
    RECENT_OUTPUT = "recent_output"
    """Nothing old was left to cut."""
    RECENT_ARGUMENTS = "recent_arguments"
    RECENT_MEDIA = "recent_media"
    RECENT_GROUP = "recent_group"
    FAIR_SHARE = "fair_share"
    """Outputs of the unread step share the room that is left."""
    HUMAN_CUT = "human_cut"
    TASK_CUT = "task_cut"
    SUMMARIZED = "summarized"


class CutKind(enum.StrEnum):
    """What is cut."""

    TEXT = "text"
    """A text or a tool output: `keep` names the character ranges that stay."""
    ARGUMENTS = "arguments"
    """A string leaf of a call's arguments, named by `pointer` (RFC 6901)."""
    MEDIA = "media"
    """A media item gives way to a marker."""
    REASONING = "reasoning"
    """Reasoning leaves whole, together with the arguments it was signed with."""


class Cut(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What was cut out of one part of one message. Stored as it was decided, never computed again."""

    message: str
    kind: CutKind
    reason: Reason
    part: int
    inner: int | None = None
    """Position inside a tool result; None for the part itself."""
    pointer: str | None = None
    keep: tuple[tuple[int, int], ...] = ()
    """Character ranges [start, end) that stay, in order."""
    total: int = 0
    """Characters (or, for media, tokens) before the cut."""


class Run(msgspec.Struct, frozen=True, array_like=True):
    """Neighbouring messages with the same verdict and reason."""

    first: str
    last: str
    count: int
    verdict: Verdict
    reason: Reason


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """One verdict and one reason for every message of a branch, up to the one a checkpoint reaches to."""

    runs: tuple[Run, ...] = ()
    cuts: tuple[Cut, ...] = ()

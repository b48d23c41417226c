"""What goes into the articles' coordinator and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypedDict

import msgspec

from unabridged.context.projection import ProjectionMode
from unabridged.report import Report


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


class ModelView(msgspec.Struct, frozen=True, kw_only=True):
    """What the model sees in one step: system layers first, history last."""

    messages: list[dict[str, Any]]
    system_message_count: int
    history_message_count: int
    source_message_count: int
    """Messages of the history, shown or not."""
    projection_mode: ProjectionMode
    estimated_tokens: int
    """Of the whole request, tool schemas included."""
    max_output: int | None = None
    """The output limit that has to go out with it; None where none has to."""
    report: Report | None = None
    """What was done for this step, if anything."""

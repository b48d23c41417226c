"""What a summarizer is asked for, and what it gives back."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Protocol

import msgspec

from unabridged.message import Message
from unabridged.report import Fallback, Usage
from unabridged.tokens import TokenCounter


class SummaryRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A span of a transcript that leaves the view, and what its summary may take."""

    messages: tuple[Message, ...]
    """The evicted span, oldest first, as it was written."""
    previous: str | None
    """The summary that already stands for what came before the span. The new one stands for both."""
    task: Message | None
    """Stays in the view, and is here for orientation only."""
    limit: int
    """Tokens that the summary may take at most, by `counter`."""
    counter: TokenCounter
    media: Mapping[str, bytes]
    """Bytes of pictures and documents, by SHA-256 (hex)."""
    model: str
    """The model that will read the summary."""
    focus: str = ""
    """What it should keep above all, in the words of whoever asks for it. Rules cannot follow it; a model can."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A text that stands for the span, and for the previous summary."""

    text: str
    model: str = ""
    """The model that wrote it; empty where none did."""
    usage: Usage | None = None
    """All calls together. It never counts for what a request costs."""
    calls: int = 0


class WhyNoSummary(enum.StrEnum):
    """The finer cause of a summary that did not come about."""

    NO_MESSAGES = "no_messages"
    """The span is empty: what stands already is never replaced."""
    DEADLINE = "deadline"
    """Not ready when its time was over, and cancelled."""
    CLIENT_TIMEOUT = "client_timeout"
    """The client gave up before the deadline, by a timeout of its own."""
    RAISED = "raised"
    """The summarizer raised an error; `detail` names it."""
    INPUT_TOO_LARGE = "input_too_large"
    """The span does not fit the summarizer's window, in as many pieces as it may make of it."""
    EMPTY = "empty"
    """No text, or only the headings that were asked for."""
    ONLY_REASONING = "only_reasoning"
    """The model thought and said nothing."""
    CUT_OFF = "cut_off"
    """It ended at its output limit, in the middle."""
    TOOL_CALL = "tool_call"
    """A tool call, or text in the syntax of one."""
    REFUSAL = "refusal"
    """The model, or a filter before it, declined."""
    ANSWER = "answer"
    """It went on with the conversation instead of summing it up."""
    LOOP = "loop"
    """It repeats itself without an end."""
    ERROR_TEXT = "error_text"
    """An error of a provider or a proxy, given as text."""
    NOT_SMALLER = "not_smaller"
    """It takes no less than what it would replace."""
    TOO_SHORT = "too_short"
    """A sentence or two for a long stretch of conversation."""
    OVER_LIMIT = "over_limit"
    """It takes more than it was allowed."""


class NoSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A summary that did not come about. Expected: the request is fitted without one, and the report says so."""

    fallback: Fallback
    """Coarse: where to look for the cause."""
    reason: WhyNoSummary
    detail: str = ""
    """One line for a person who looks for the cause; never shown to a model."""
    model: str = ""
    usage: Usage | None = None
    calls: int = 0


class Summarizer(Protocol):
    """Makes summaries. It and the store are all that is async. `window` and `model` may be attributes."""

    async def summarize(self, request: SummaryRequest) -> Summary | NoSummary:
        """Give a summary of at most `request.limit` tokens. It is cancelled when its time is over."""
        ...

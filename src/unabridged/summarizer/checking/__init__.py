"""Whether a model's answer is a summary. Each way not to be one has its own reason.

A summary that is none does more harm than no summary: it takes the place of the conversation. What is refused here is
trimmed instead, in the same turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.message import Message
from unabridged.summarizer.asking import Answer
from unabridged.summarizer.checking.foreign import is_error_text, is_refusal, is_tool_syntax
from unabridged.summarizer.checking.form import is_answer, is_template
from unabridged.summarizer.checking.loops import is_loop
from unabridged.summarizer.checking.thoughts import without_thoughts
from unabridged.summarizer.request import WhyNoSummary

__all__ = ["flaw_in", "without_thoughts"]

_LENGTH = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete", "model_context_window_exceeded"})
_FILTERED = frozenset({"content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii"})
_TOOL = frozenset({"tool_calls", "tool_use", "function_call", "malformed_function_call", "pause_turn"})


def flaw_in(answer: Answer, messages: Sequence[Message], headings: Sequence[str]) -> WhyNoSummary | None:
    """Give what is wrong with a model's answer, its size aside; None if it is a summary of these messages.

    `headings` were asked for. A text without them can be a summary still.
    """
    stop = answer.stop.lower()
    text = without_thoughts(answer.text).strip()
    if stop in _FILTERED:
        return WhyNoSummary.REFUSAL
    if answer.tool_calls or stop in _TOOL:
        return WhyNoSummary.TOOL_CALL
    if not text:
        thought = answer.reasoning.strip() or answer.text.strip()
        return WhyNoSummary.ONLY_REASONING if thought else WhyNoSummary.EMPTY
    if stop in _LENGTH:
        return WhyNoSummary.LOOP if is_loop(text) else WhyNoSummary.CUT_OFF
    return _flaw_in_text(text, messages, headings)


def _flaw_in_text(text: str, messages: Sequence[Message], headings: Sequence[str]) -> WhyNoSummary | None:
    for found, why in (
        (is_error_text, WhyNoSummary.ERROR_TEXT),
        (is_tool_syntax, WhyNoSummary.TOOL_CALL),
        (is_template, WhyNoSummary.EMPTY),
        (is_refusal, WhyNoSummary.REFUSAL),
        (is_loop, WhyNoSummary.LOOP),
    ):
        if found(text):
            return why
    return WhyNoSummary.ANSWER if is_answer(text, messages, headings) else None

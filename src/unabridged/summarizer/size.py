"""Whether a summary has a size that makes sense: the one check that needs to know nothing of models."""

from __future__ import annotations

from unabridged.summarizer.request import SummaryRequest, WhyNoSummary
from unabridged.tokens.price import price_message

LONG_SPAN = 4_000
"""Tokens from which a span is long: a sentence does not stand for it."""
LEAST_SHARE = 0.003
"""Of a long span, what a summary takes at least."""
LEAST_TOKENS, ENOUGH_TOKENS = 40, 200
"""Whatever the span: fewer are too few, more are enough."""


def flaw_in_size(text: str, request: SummaryRequest) -> WhyNoSummary | None:
    """Give what is wrong with a summary's size: nothing at all, next to nothing, above the limit, or no gain."""
    if not text.strip():
        return WhyNoSummary.EMPTY
    tokens, before = request.counter.count(text), replaced(request)
    if tokens >= before:
        return WhyNoSummary.NOT_SMALLER
    if tokens > request.limit:
        return WhyNoSummary.OVER_LIMIT
    least = min(ENOUGH_TOKENS, max(LEAST_TOKENS, int(before * LEAST_SHARE)), request.limit // 4)
    return WhyNoSummary.TOO_SHORT if before >= LONG_SPAN and tokens < least else None


def replaced(request: SummaryRequest) -> int:
    """Give the tokens that a summary stands for: the span, its pictures and thoughts too, and the summary before it."""
    prices = (price_message(message, request.counter, request.media) for message in request.messages)
    return sum(price.under("").tokens for price in prices) + request.counter.count(request.previous or "")

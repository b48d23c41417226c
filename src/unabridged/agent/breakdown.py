"""What fills a request: by layer, and by kind of message."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from unabridged.agent.layers import Layer
from unabridged.budget import Budget
from unabridged.conversation import Conversation
from unabridged.fitted import Fitted
from unabridged.message import Media, Message, Opaque, Reasoning, Role, ToolCall, ToolResult
from unabridged.tokens.price import price_part, price_texts
from unabridged.view import SUMMARY


class Share(msgspec.Struct, frozen=True):
    """One part of a request."""

    name: str
    tokens: int


class Breakdown(msgspec.Struct, frozen=True, kw_only=True):
    """A request in its parts. Tokens are those of the counter, but `tokens` is what the model will count it as."""

    tokens: int
    budget: int
    window: int
    messages: int
    """Of the transcript."""
    shown: int
    """In the view."""
    layers: tuple[Share, ...]
    kinds: tuple[Share, ...]


def breakdown_of(talk: Conversation, fitted: Fitted, layers: Sequence[Layer]) -> Breakdown:
    """Take a request apart."""
    counter, media, dialect = talk.transcript.counter, talk.transcript.log.media, talk.frame.dialect
    named = [Share(layer.name, counter.count(layer.text)) for layer in layers]
    frame = price_texts(fitted.wire.frame_texts(fitted.frame), counter).tokens
    tools = max(0, frame - sum(share.tokens for share in named))
    kinds: Counter[str] = Counter()
    for item in fitted.items:
        for part in item.message.parts:
            kinds[_kind(item.message, part)] += price_part(part, counter, media, dialect).tokens
    budget = Budget.of(talk.policy, window=talk.window)
    return Breakdown(
        tokens=fitted.tokens,
        budget=budget.total,
        window=budget.window,
        messages=len(talk.transcript.records),
        shown=len(fitted.items),
        layers=(*named, Share("tools", tools)),
        kinds=tuple(Share(name, tokens) for name, tokens in kinds.most_common()),
    )


def _kind(message: Message, part: object) -> str:
    if message.id.startswith(SUMMARY):
        return "summary"
    match part:
        case ToolResult():
            return "tool outputs"
        case ToolCall():
            return "tool calls"
        case Reasoning() | Opaque():
            return "reasoning"
        case Media():
            return "media"
        case _:
            if message.role is Role.ASSISTANT:
                return "answers"
            return "your words" if message.is_human else "notes and markers"

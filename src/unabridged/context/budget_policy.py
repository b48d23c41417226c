"""Whether a list of messages has reached the budget."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.budget import Budget
from unabridged.context.history import DIALECT
from unabridged.context.settings import ContextConfig
from unabridged.message import Message, Role, Text
from unabridged.tokens import TokenCounter, default_counter
from unabridged.tokens.calibration import Calibration
from unabridged.tokens.price import Cost, Price, price_message

BELOW_THRESHOLD = "below_threshold"
THRESHOLD_EXCEEDED = "threshold_exceeded"

_KEY = ()
"""Of the anchor: there is no checkpoint and no frame that a list of messages could be told apart by."""


class CompactDecision(msgspec.Struct, frozen=True):
    """Whether something has to leave the view, and by which numbers."""

    should_compact: bool
    reason: str
    """`threshold_exceeded` or `below_threshold`."""
    estimated_tokens: int
    threshold: int
    """Tokens of a whole request."""
    message_count: int


class ContextBudgetPolicy:
    """Tells whether messages have reached the budget, by the counter and the arithmetic of the engine.

    Not as in the articles: tokens, not characters (`docs/decisions/0001-tokens-not-characters.md`); the last report
    plus what came after it, not the larger of two estimates (`0002-last-report-plus-what-came-after.md`); two giant
    messages are enough (`0008-no-least-number-of-messages.md`).
    """

    def __init__(self, config: ContextConfig | None = None, *, counter: TokenCounter | None = None) -> None:
        self.config = config if config is not None else ContextConfig.from_env()
        self._counter: TokenCounter = counter or default_counter()

    @property
    def threshold(self) -> int:
        """The budget in tokens: by default int(128,000 x 0.8) = 102,400."""
        return Budget.of(self.config.policy(), window=self.config.context_window).total

    def should_compact(
        self, *, messages: Sequence[Message], pending_input: str = "", last_usage_tokens: int | None = None
    ) -> CompactDecision:
        """Decide from messages alone. A `ContextEngine` decides from the whole request, system and tools included."""
        estimated, threshold = self.estimate_tokens(messages, pending_input, last_usage_tokens), self.threshold
        exceeded = estimated >= threshold
        reason = THRESHOLD_EXCEEDED if exceeded else BELOW_THRESHOLD
        return CompactDecision(exceeded, reason, estimated, threshold, len(messages))

    def estimate_tokens(
        self, messages: Sequence[Message], pending_input: str = "", last_usage_tokens: int | None = None
    ) -> int:
        """Count the tokens of messages and of an input that is not among them yet.

        `last_usage_tokens` is what the last call took, input and output; it stands for everything up to and with the
        last answer, and what came after is added to it. Without it (None or 0, and after another view than this one
        was sent) everything is counted, with a margin.
        """
        answered = next((at for at in range(len(messages), 0, -1) if messages[at - 1].role is Role.ASSISTANT), 0)
        pending = [Message(id="pending", role=Role.USER, parts=(Text(pending_input),))] if pending_input else []
        sent, after = self._price(messages[:answered]), self._price([*messages[answered:], *pending])
        known = Calibration()
        if last_usage_tokens:
            known = known.learn(_KEY, sent.tokens, last_usage_tokens)
        meter = known.meter(_KEY)
        return meter.tokens(meter.weight(sent) + meter.weight(after))

    def _price(self, messages: Sequence[Message]) -> Price:
        costs = (price_message(message, self._counter, {}) for message in messages)
        return sum(costs, Cost(Price(0))).under(DIALECT)

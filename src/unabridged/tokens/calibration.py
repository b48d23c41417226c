"""Learning from usage: one ratio and one overhead per model, and the last report as an anchor.

    count(view) = usage at the anchor + ratio x (price(view) - price(anchored view))
    count(view) = overhead + ratio x price(view)                                        without an anchor

Both are affine in the price, so a `Meter` is all that trigger, target, before and after need.
"""

from __future__ import annotations

import msgspec

from unabridged.tokens.price import Price

REPORTS_BEFORE_TRUST = 3
MARGIN = 0.07
"""Added until three reports are in: a foreign vocabulary is 8 % (Qwen) to 19 % (SmolLM2) denser in the median."""
GROWTH_MARGIN = 0.02
"""Kept for what was appended since the last report, which counts no less than in the base vocabulary; what was
reported is known."""
DENSE_SURCHARGE = 0.5
"""Added to digits, hex and base64 before the first report: vocabularies differ there by 1.2 to 3 times."""
PRIOR_TOKENS = 200.0
"""How much growth the assumption of ratio 1 weighs."""
DECAY = 0.97
"""Weight of older growth at each new report."""
READ = 0.4
"""Of what was sent; a report below it is of a part."""
PLAUSIBLE = (0.7, 3.0)
"""A growth ratio outside is a hidden jump (a reminder, another prompt, thoughts that are not billed any more), not a
property of the vocabulary."""
LEAST_GROWTH = 50
"""Tokens; below it rounding and framing drown the ratio."""


class Meter(msgspec.Struct, frozen=True):
    """Turns a price into tokens of the model at hand: affine on either side of what was last reported."""

    at: float = 0.0
    """A weight whose tokens are known (0 without an anchor)."""
    known: float = 0.0
    """The tokens there."""
    slope: float = 1.0
    """Tokens per weight below it, where a request shrinks."""
    growth: float = 1.0
    """Tokens per weight above it, the margin that is due included."""
    surcharge: float = 0.0

    def weight(self, price: Price) -> float:
        """Give a price with the surcharge for machine data."""
        return price.tokens + self.surcharge * price.dense

    def tokens(self, weight: float) -> int:
        """Give the tokens of a whole request of this weight, rounded up."""
        exact = self.known + (self.growth if weight > self.at else self.slope) * (weight - self.at)
        return -int(-exact // 1)

    def weight_of(self, tokens: float) -> float:
        """Give the weight of a part of a request that takes this many tokens, whatever else the request holds."""
        return tokens / self.growth

    def weight_for(self, tokens: float) -> float:
        """Give the largest weight whose request takes at most `tokens`."""
        return self.at + (tokens - self.known) / (self.growth if tokens > self.known else self.slope)


class Anchor(msgspec.Struct, frozen=True):
    """The last report: what was sent, what it cost by our price, what the provider said."""

    key: tuple[str, ...]
    """The frame it was sent with; an anchor of another frame does not count. Model and endpoint have their own."""
    price: int
    usage: int


class Calibration(msgspec.Struct, frozen=True):
    """What is known of one model's vocabulary and hidden fixed parts. A new report gives a new value."""

    reports: int = 0
    ratio: float = 1.0
    """Tokens of the model per token of the base vocabulary."""
    overhead: float = 0.0
    """Tokens that every request carries and that we do not see. Never below 0."""
    grown_price: float = PRIOR_TOKENS
    grown_usage: float = PRIOR_TOKENS
    anchor: Anchor | None = None

    def learn(self, key: tuple[str, ...], price: int, usage: int) -> Calibration:
        """Take in one report: `price` of the request that was sent, `usage` the provider's whole input.

        A report far below what was sent teaches nothing: the server read a part of it, or reported something else. Nor
        does one that stands still while more was sent: that server cuts what it reads to its window, and tells nobody.
        """
        if usage < READ * price or self._stands_still(key, price, usage):
            return self
        grown_price, grown_usage = self.grown_price, self.grown_usage
        if self.anchor is not None and self.anchor.key == key:
            more_price, more_usage = price - self.anchor.price, usage - self.anchor.usage
            # What a fit took out says as much of a vocabulary as what was added.
            if abs(more_price) >= LEAST_GROWTH and PLAUSIBLE[0] <= more_usage / more_price <= PLAUSIBLE[1]:
                grown_price = grown_price * DECAY + abs(more_price)
                grown_usage = grown_usage * DECAY + abs(more_usage)
        ratio = grown_usage / grown_price
        if ratio * price > usage:  # nothing hidden can be negative: the ratio seen in growth was too high
            ratio = usage / price
        return Calibration(
            reports=self.reports + 1,
            ratio=ratio,
            overhead=usage - ratio * price,
            grown_price=grown_price,
            grown_usage=grown_usage,
            anchor=Anchor(key, price, usage),
        )

    def _stands_still(self, key: tuple[str, ...], price: int, usage: int) -> bool:
        known = self.anchor
        return known is not None and known.key == key and usage == known.usage and price - known.price >= LEAST_GROWTH

    def meter(self, key: tuple[str, ...]) -> Meter:
        """Give the meter for a request under `key`, with the margin that is due."""
        bare = self.bare(key)
        if self.reports >= REPORTS_BEFORE_TRUST:
            return Meter(bare.at, bare.known, bare.slope, max(1.0, bare.slope * (1 + GROWTH_MARGIN)))
        surcharge = DENSE_SURCHARGE if self.reports == 0 else 0.0
        return Meter(bare.at, bare.known, bare.slope, bare.slope * (1 + MARGIN), surcharge)

    def bare(self, key: tuple[str, ...]) -> Meter:
        """Give the meter without any margin: for refusing, where a false alarm would end a conversation."""
        if self.anchor is not None and self.anchor.key == key:
            return Meter(self.anchor.price, self.anchor.usage, self.ratio, self.ratio)
        return Meter(0.0, self.overhead, self.ratio, self.ratio)

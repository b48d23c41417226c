"""What model calls cost: rates, and the cost of one call with and without a prompt cache. Pure arithmetic."""

from __future__ import annotations

import msgspec

from unabridged.models.prices.caching import CacheRule

PER = 1_000_000
"""Rates are for so many tokens."""
CACHED_SHARE = 0.1
"""What a cached token weighs where no price is known: the usual discount is 90 %."""


class Rate(msgspec.Struct, frozen=True):
    """The price of a million tokens of one kind, in US dollars."""

    base: float
    tiers: tuple[tuple[int, float], ...] = ()
    """(input tokens, price): what all tokens of a request cost whose input is larger than that, ascending."""

    def of(self, size: int) -> float:
        """Give the price that holds for a request with so many input tokens."""
        return next((price for start, price in reversed(self.tiers) if size > start), self.base)


class Rates(msgspec.Struct, frozen=True, kw_only=True):
    """What one model costs."""

    input: Rate
    output: Rate
    cached: Rate | None = None
    """Reading from the cache; None where the provider gives no discount."""
    written: Rate | None = None
    """Writing to the cache; None where that costs no more than sending."""
    rule: CacheRule = CacheRule()


class Cost(msgspec.Struct, frozen=True):
    """US dollars, with a prompt cache that never expires and without any."""

    cached: float = 0.0
    uncached: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cached + other.cached, self.uncached + other.uncached)


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """The tokens of one call."""

    sent: int
    same: int = 0
    """Of `sent`, what stands at the beginning of the request before too."""
    output: int = 0


BY_TOKENS = Rates(input=Rate(PER), output=Rate(0.0), cached=Rate(PER * CACHED_SHARE))
"""Stands in for a price that nobody knows: one a token sent, a tenth of that a cached one, nothing for what is said."""


def cost_of(load: Load, rates: Rates) -> Cost:
    """Give what a call costs."""
    size, rule = load.sent, rates.rule
    price, said = rates.input.of(size), load.output * rates.output.of(size)
    served = rule.served(load.same) if rates.cached is not None else 0
    read = 0.0 if rates.cached is None else served * rates.cached.of(size)
    written = 0 if rates.written is None else rule.written(size, served)
    write = 0.0 if rates.written is None else written * rates.written.of(size)
    fresh = (size - served - written) * price
    return Cost((read + write + fresh + said) / PER, (size * price + said) / PER)

"""What an answer cost, by the price list, where that knows the model."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from unabridged.models.prices.cost import PER
from unabridged.models.prices.pricing import PriceList
from unabridged.report import Usage


def pricing_of(model: str) -> Callable[[Usage], float | None]:
    """Give what an answer of this model costs in US dollars; None where nobody knows. The list is read when asked."""
    lists: list[PriceList] = []

    def price(usage: Usage) -> float | None:
        if not lists:
            lists.append(PriceList(datetime.now(UTC).date()))
        known = lists[0].model(model)
        if known is None:
            return None
        rates, size = known.rates, usage.input
        fresh, read = rates.input.of(size), rates.cached
        cached = read.of(size) if read is not None else fresh
        written = rates.written.of(size) if rates.written is not None else fresh
        new = usage.input - usage.cached - usage.cache_write
        spent = new * fresh + usage.cached * cached + usage.cache_write * written + usage.output * rates.output.of(size)
        return spent / PER

    return price

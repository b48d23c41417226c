"""Prices and windows of models, from the price list that the package `genai-prices` carries. Nothing is fetched.

The package is an extra. It is imported when a price is first asked for, and what is asked of it becomes a value here.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from importlib.metadata import version
from typing import TYPE_CHECKING

import msgspec

from unabridged.errors import BadSetting
from unabridged.models.prices.caching import rule_of
from unabridged.models.prices.cost import Rate, Rates
from unabridged.models.spellings import spellings

if TYPE_CHECKING:
    from decimal import Decimal

    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, ModelPrice, Provider, TieredPrices

PACKAGE = "genai-prices"
INSTALL = "pip install 'unabridged[prices]'"


class Model(msgspec.Struct, frozen=True, kw_only=True):
    """What the price list knows of a model."""

    name: str
    """As the list spells it."""
    provider: str
    window: int | None
    rates: Rates


class PriceList:
    """The price list as of one day. Without the package it knows nothing, and says so."""

    def __init__(self, day: date) -> None:
        self._when = datetime.combine(day, time(12), UTC)  # some prices change with the time of the day
        self._found: dict[str, Model | None] = {}
        self._list = _snapshot()

    @property
    def is_there(self) -> bool:
        """The package is installed."""
        return self._list is not None

    @property
    def label(self) -> str:
        """Say which list it is, and of which day its prices are taken."""
        return f"{PACKAGE} {version(PACKAGE)}, prices of {self._when:%Y-%m-%d}" if self.is_there else ""

    def model(self, name: str) -> Model | None:
        """Give what is known of a model, by the name that a transcript gives it; None for an unknown one."""
        if name not in self._found:
            self._found[name] = self._look_up(name)
        return self._found[name]

    def demanded(self, name: str) -> Model:
        """Give what is known of a model that somebody named. Raises `BadSetting` where that is nothing."""
        if self._list is None:
            raise BadSetting("model", name, f"prices come with the extra `prices`: {INSTALL}")
        found = self.model(name)
        if found is None:
            raise BadSetting("model", name, f"{PACKAGE} {version(PACKAGE)} knows no such model, a newer one may")
        return found

    def window(self, name: str) -> int:
        """Give the window of a model that somebody named, in tokens. Raises `BadSetting` where it is not known."""
        found = self.demanded(name)
        if found.window is None:
            raise BadSetting(
                "model", name, f"the price list does not say how large the window of {found.name} is: give --window"
            )
        return found.window

    def _look_up(self, name: str) -> Model | None:
        for spelling in spellings(name) if self._list is not None else ():
            assert self._list is not None
            try:
                provider, model = self._list.find_provider_model(spelling, None, None, None)
            except LookupError:
                continue
            return _model(provider, model, self._when)
        return None


def _snapshot() -> DataSnapshot | None:
    try:
        from genai_prices.data_snapshot import get_snapshot
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "genai_prices":
            raise
        return None
    return get_snapshot()


def _model(provider: Provider, model: ModelInfo, when: datetime) -> Model | None:
    prices: ModelPrice = model.get_prices(when)
    paid, said = _rate(prices.input_mtok), _rate(prices.output_mtok)
    if paid is None:
        return None
    rates = Rates(
        input=paid,
        output=said or Rate(0.0),
        cached=_rate(prices.cache_read_mtok),
        written=_rate(prices.cache_write_mtok),
        rule=rule_of(provider.id, model.id),
    )
    return Model(name=model.id, provider=provider.id, window=model.context_window, rates=rates)


def _rate(price: Decimal | TieredPrices | None) -> Rate | None:
    from genai_prices.types import TieredPrices

    if isinstance(price, TieredPrices):
        return Rate(float(price.base), tuple((tier.start, float(tier.price)) for tier in price.tiers))
    return None if price is None else Rate(float(price))

"""Which rates hold for which call of a walk, and what a step of it costs by them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from unabridged.models.prices.cost import BY_TOKENS, Cost, Load, Rates, cost_of
from unabridged.models.prices.pricing import INSTALL, Model, PriceList
from unabridged.replay.sizes import dollars
from unabridged.replay.walk import Step


class Tariff:
    """The rates of the model that was named, or else of the one that the file names for each call."""

    def __init__(self, prices: PriceList, *, named: str | None = None) -> None:
        self._prices = prices
        self._named = None if named is None else prices.demanded(named)

    def model(self, recorded: str) -> Model | None:
        """Give the model whose rates hold for a call; None where nobody knows them."""
        return self._named or self._prices.model(recorded)

    def rates(self, recorded: str) -> Rates | None:
        """Give the rates that hold for a call; None where nobody knows them."""
        model = self.model(recorded)
        return None if model is None else model.rates

    def by_tokens(self, recorded: str) -> Rates | None:
        """Stand in where no price is known at all: tokens are weighed, not paid."""
        del recorded
        return BY_TOKENS

    def note(self, models: Iterable[str]) -> str:
        """Say whose prices these are and of which list, or why there are none."""
        named = sorted({model for model in models if model})
        known = sorted({model.name for name in named or [""] if (model := self.model(name)) is not None})
        if known:
            return f"{', '.join(known)} by {self._prices.label}"
        if not self._prices.is_there:
            return f"unknown: prices come with the extra `prices`, {INSTALL}"
        return f"unknown for {', '.join(named) or 'a model that the file does not name'}: name a model with --model"


RatesOf = Callable[[str], Rates | None]


def cost_of_step(step: Step, rates: Rates) -> Cost:
    """Give what a call costs, and the summary before it where one was made: as if the same model had written that."""
    if step.tokens is None:
        return Cost()
    cost = cost_of(Load(sent=step.tokens, same=step.cached, output=step.output), rates)
    return cost + cost_of(Load(sent=step.summarized, output=step.summary), rates) if step.summary else cost


def cost_unfitted(steps: Iterable[Step], rates_of: RatesOf) -> Cost:
    """Give what the calls cost that a conversation lives to make where nothing is ever left out."""
    cost, before, model = Cost(), 0, ""
    for step in steps:
        if step.full > step.window:
            break
        rates = rates_of(step.model)
        if rates is not None:
            same = before if step.model == model else 0
            cost += cost_of(Load(sent=step.full, same=same, output=step.output), rates)
        before, model = step.full, step.model
    return cost


def both(cost: Cost) -> str:
    """Write a cost with and without a prompt cache."""
    return f"{dollars(cost.cached)} with a prompt cache, {dollars(cost.uncached)} without"

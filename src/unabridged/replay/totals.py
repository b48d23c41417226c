"""What a walk comes to in numbers."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import reduce

import msgspec

from unabridged.models.prices.cost import Cost
from unabridged.replay.costs.tariff import RatesOf, cost_of_step, cost_unfitted
from unabridged.replay.walk import Step


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """Sums over model calls. Tokens are those of whole requests."""

    conversations: int = 1
    calls: int = 0
    fits_before_turns: int = 0
    fits_between_steps: int = 0
    repairs: int = 0
    """Requests that were below the budget and had to be mended."""
    over_budget: int = 0
    refused: int = 0
    sent: int = 0
    """Tokens of the requests that went out, as the provider counts them."""
    full: int = 0
    """Tokens that the same calls would have taken with nothing left out."""
    cached: int = 0
    fill: float = 0.0
    """Sum over requests of tokens / budget."""
    fill_after: float = 0.0
    """The same, from the first fit on."""
    calls_after: int = 0
    """Requests from the first fit on."""
    died: int = 0
    """Conversations that would have outgrown the window."""
    summaries: int = 0
    output: int = 0
    """Tokens of the answers."""
    cost: Cost = Cost()
    """Of the calls whose price is known."""
    cost_unfitted: Cost = Cost()
    """Until the window was outgrown, had nothing been left out."""
    unpriced: int = 0
    """Calls whose price is not known."""

    @property
    def fits(self) -> int:
        """How often something had to leave the view."""
        return self.fits_before_turns + self.fits_between_steps

    @property
    def is_priced(self) -> bool:
        """The price of some call is known."""
        return self.unpriced < self.calls

    @property
    def fill_since(self) -> float | None:
        """Share of the budget that requests took since the first fit; None where there was none."""
        return self.fill_after / self.calls_after if self.calls_after else None


def totals_of(steps: Sequence[Step], rates_of: RatesOf | None = None) -> Totals:
    """Sum up one walk; with `rates_of` its costs too."""
    rates_of = rates_of or (lambda _: None)
    rates = [rates_of(step.model) for step in steps]
    costs = (cost_of_step(step, each) for step, each in zip(steps, rates, strict=True) if each is not None)
    sent = [step for step in steps if step.tokens is not None]
    first = next((step.number for step in steps if step.decides), None)
    after = [step for step in sent if first is not None and step.number >= first]
    decided = [step.in_turn for step in steps if step.decides]
    return Totals(
        calls=len(steps),
        fits_before_turns=decided.count(False),
        fits_between_steps=decided.count(True),
        repairs=sum(step.report is not None and not step.decides and step.report.repaired > 0 for step in steps),
        over_budget=sum(step.is_over for step in sent),
        refused=len(steps) - len(sent),
        sent=sum(step.tokens or 0 for step in sent),
        full=sum(step.full for step in steps),
        cached=sum(step.cached for step in sent),
        fill=_fill(sent),
        fill_after=_fill(after),
        calls_after=len(after),
        died=int(death(steps) is not None),
        summaries=sum(step.summary > 0 for step in sent),
        output=sum(step.output for step in sent),
        cost=sum(costs, Cost()),
        cost_unfitted=cost_unfitted(steps, rates_of),
        unpriced=rates.count(None),
    )


def death(steps: Iterable[Step]) -> Step | None:
    """Give the first call whose whole transcript is larger than the window: here it ends without fitting."""
    return next((step for step in steps if step.full > step.window), None)


def together(parts: Iterable[Totals]) -> Totals:
    """Add up the totals of several walks."""
    rows = list(parts)
    return Totals(
        **{name: reduce(operator.add, [getattr(row, name) for row in rows]) for name in Totals.__struct_fields__}
    )


def _fill(steps: Iterable[Step]) -> float:
    return sum((step.tokens or 0) / step.budget for step in steps)

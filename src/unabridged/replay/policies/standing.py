"""How one policy stood over all that was walked: what `--compare` and `--sweep` are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

import msgspec

from unabridged.models.prices.cost import Cost
from unabridged.policy import Policy
from unabridged.replay.costs.tariff import Tariff
from unabridged.replay.outlet import Job
from unabridged.replay.policies.variants import Variant
from unabridged.replay.totals import Totals, together, totals_of
from unabridged.replay.walk import Step, calls_of, is_dead, is_mortal


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One policy, and what its walks came to."""

    variant: Variant
    totals: Totals
    calls: int
    """That the files record; a conversation that died made fewer."""
    window: int
    budget: int
    dead: int = 0
    """Conversations that did not get to their end: a request was refused, or was larger than the window."""
    died_at: int | None = None
    """The first such call, where there is one conversation only."""
    by_tokens: Cost = Cost()
    """What the walks weigh where no price is known."""

    @property
    def price(self) -> float:
        """What policies are ranked by: dollars with a prompt cache, or weighed tokens where no price is known."""
        return self.totals.cost.cached if self.totals.is_priced else self.by_tokens.cached

    @property
    def is_whole(self) -> bool:
        """Every call of every conversation could be made, within its budget."""
        return not self.dead and not self.totals.over_budget


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """A standing as JSON."""

    policy: Policy
    conversations: int
    calls: int
    answered: int
    fits: int
    summaries: int
    sent: int
    full: int
    cached: int
    output: int
    fill: float | None
    """Share of the budget that requests took since the first fit; null where there was none."""
    over_budget: int
    refused: int
    dead: int
    died_at: int | None
    cost_cached: float | None
    """US dollars; null where no price is known."""
    cost_uncached: float | None
    unpriced: int
    weighed: int
    """Tokens sent, those from the cache counted as a tenth."""
    cheapest: bool


def standings(job: Job, variants: Sequence[Variant], tariff: Tariff) -> tuple[list[Standing], set[str]]:
    """Walk a conversation under each policy. Gives how each stood, and the models that the file names."""
    found: list[Standing] = []
    models: set[str] = set()
    calls = len(calls_of(job.conversation))
    walked = job.walk([variant.policy for variant in variants], mortal=True)
    for number, steps in groupby(walked, key=lambda pair: pair[0]):
        # Without its request a step is small, and a long walk can be held.
        light = [msgspec.structs.replace(step, fitted=None) for _, step in steps]
        models |= {step.model for step in light}
        found.append(_standing(variants[number], light, calls, tariff))
    return found, models


def summed(parts: Sequence[Standing]) -> Standing:
    """Add up how one policy stood in several conversations."""
    if len(parts) == 1:
        return parts[0]
    return Standing(
        variant=parts[0].variant,
        totals=together([part.totals for part in parts]),
        calls=sum(part.calls for part in parts),
        window=parts[0].window,
        budget=min(part.budget for part in parts),
        dead=sum(part.dead for part in parts),
        by_tokens=sum((part.by_tokens for part in parts), Cost()),
    )


def cheapest(found: Iterable[Standing]) -> Standing | None:
    """Give the one that costs least of those that got everywhere; None where none did."""
    return min((each for each in found if each.is_whole), key=lambda each: each.price, default=None)


def row_of(standing: Standing, *, best: bool) -> Row:
    """Give a standing as JSON."""
    totals = standing.totals
    return Row(
        policy=standing.variant.policy,
        conversations=totals.conversations,
        calls=standing.calls,
        answered=totals.calls - totals.refused,
        fits=totals.fits,
        summaries=totals.summaries,
        sent=totals.sent,
        full=totals.full,
        cached=totals.cached,
        output=totals.output,
        fill=totals.fill_since,
        over_budget=totals.over_budget,
        refused=totals.refused,
        dead=standing.dead,
        died_at=standing.died_at,
        cost_cached=totals.cost.cached if totals.is_priced else None,
        cost_uncached=totals.cost.uncached if totals.is_priced else None,
        unpriced=totals.unpriced,
        weighed=round(standing.by_tokens.cached),
        cheapest=best,
    )


def _standing(variant: Variant, steps: Sequence[Step], calls: int, tariff: Tariff) -> Standing:
    died = next((step.number for step in steps if is_dead(step)), None)
    made = steps if died is None or not is_mortal(variant.policy) else steps[: died - 1]
    return Standing(
        variant=variant,
        totals=totals_of(made, tariff.rates),
        calls=calls,
        window=steps[0].window,
        budget=steps[0].budget,
        dead=int(died is not None),
        died_at=died,
        by_tokens=totals_of(made, tariff.by_tokens).cost,
    )

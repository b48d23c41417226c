"""Walks conversations under several policies: what `--compare` and `--sweep` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import msgspec
from rich.console import Console
from rich.text import Text

from unabridged.replay import ink
from unabridged.replay.costs.tariff import Tariff
from unabridged.replay.outlet import Job
from unabridged.replay.policies.standing import Standing, cheapest, row_of, standings, summed
from unabridged.replay.policies.variants import Variant
from unabridged.replay.sizes import dollars, short


class Contest:
    """Walks conversations under several policies, and adds up how each stood."""

    def __init__(self, variants: Sequence[Variant], tariff: Tariff) -> None:
        self._variants = variants
        self._tariff = tariff
        self._found: list[list[Standing]] = []
        self._models: set[str] = set()
        self.title = ""
        """Which conversations were walked, for people."""

    def walk(self, job: Job) -> None:
        """Walk one conversation under each policy."""
        found, models = standings(job, self._variants, self._tariff)
        if found:
            self._models |= models
            self._found.append(found)
            several = len(self._found) > 1
            self.title = f"{len(self._found):,} conversations" if several else job.conversation.name

    def standings(self) -> list[Standing]:
        """Give how each policy stood in all conversations together."""
        return [summed(parts) for parts in zip(*self._found, strict=True)]

    @property
    def prices(self) -> str:
        """Say whose prices they are, or why there are none."""
        return self._tariff.note(self._models)


class Rows:
    """`--compare --json` and `--sweep --json`: one object for each policy, on a line of its own."""

    def __init__(self, out: BinaryIO, contest: Contest) -> None:
        self._out = out
        self._contest = contest

    def show(self, job: Job) -> None:
        """Walk one conversation under each policy."""
        self._contest.walk(job)

    def finish(self) -> None:
        """Write how each policy stood."""
        found = self._contest.standings()
        best = cheapest(found)
        for standing in found:
            self._out.write(msgspec.json.encode(row_of(standing, best=standing is best)) + b"\n")
        self._out.flush()


def heading(contest: Contest, found: Sequence[Standing]) -> Text:
    """Say what was walked."""
    first = found[0]
    size = f": {first.calls:,} model calls, window {short(first.window)}, budget {short(first.budget)}"
    return Text.assemble((contest.title, "bold"), (size, ink.DIM))


def price_of(standing: Standing) -> str:
    """Write what a policy is ranked by: dollars, or weighed tokens."""
    return dollars(standing.price) if standing.totals.is_priced else short(round(standing.price))


def notes(console: Console, contest: Contest, found: Sequence[Standing]) -> None:
    """Print what one must know of the numbers."""
    lines = [f"prices {contest.prices}"]
    if not any(standing.totals.is_priced for standing in found):
        lines.append("weighed: tokens sent, one from the cache counted as a tenth of one")
    if any(standing.totals.unpriced for standing in found) and any(standing.totals.is_priced for standing in found):
        lines.append("calls whose price is not known are left out of the costs")
    if any(standing.totals.summaries for standing in found):
        lines.append("summaries are made by rules here, and priced as if the model had made them")
    for line in lines:
        console.print(Text(line, ink.DIM), soft_wrap=True)

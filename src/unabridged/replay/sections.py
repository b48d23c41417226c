"""The usual output: for each conversation a table of its fits, its totals and the picture; at the end a grand total."""

from __future__ import annotations

import msgspec
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from unabridged.importers import Imported
from unabridged.replay import ink
from unabridged.replay.costs.tariff import Tariff
from unabridged.replay.outlet import Job
from unabridged.replay.picture import Picture
from unabridged.replay.sizes import short
from unabridged.replay.tables import fits_table, totals_table
from unabridged.replay.totals import Totals, death, together, totals_of
from unabridged.replay.walk import Step


class Sections:
    """Prints walks one after the other. A conversation in which nothing had to go is one line, unless it is alone."""

    def __init__(self, console: Console, tariff: Tariff) -> None:
        self._console = console
        self._tariff = tariff
        self._ink = ink.ink_of(console)
        self._totals: list[Totals] = []
        self._models: set[str] = set()

    def show(self, job: Job) -> None:
        """Walk one conversation and print what came of it."""
        name = job.conversation.name
        # Without its request a step is small, and a long walk can be held.
        walked = [msgspec.structs.replace(step, fitted=None) for step in job.steps]
        totals = totals_of(walked, self._tariff.rates)
        self._models |= {step.model for step in walked}
        self._totals.append(totals)
        if not walked:
            self._say(f"{name}: no model call in it")
        elif totals.fits or totals.refused or totals.over_budget or job.alone:
            self._section(job.conversation, walked, totals)
        else:
            self._say(f"{name}: {_in_short(walked, totals)}")

    def finish(self) -> None:
        """Print the grand total over several conversations."""
        if len(self._totals) > 1:
            self._console.print()
            self._console.print(Rule("all conversations", align="left", style=ink.DIM))
            prices = self._tariff.note(self._models)
            self._console.print(totals_table(together(self._totals), prices=prices))

    def _section(self, conversation: Imported, steps: list[Step], totals: Totals) -> None:
        console, first = self._console, steps[0]
        console.print()
        console.print(Rule(Text(conversation.name, "bold"), align="left", style=ink.DIM))
        messages = f"{conversation.dialect}, {len(conversation.messages):,} messages"
        self._say(f"{messages}, window {first.window:,}, budget {first.budget:,}", ink.DIM)
        table = fits_table(steps, self._ink)
        prices = self._tariff.note({step.model for step in steps})
        for block in (table, totals_table(totals, death(steps), prices=prices)):
            if block is not None:
                console.print()
                console.print(block)
        console.print()
        picture = Picture(steps, ink=self._ink, colour=ink.has_colour(console), width=console.width)
        for line in picture.lines():
            console.print(line, soft_wrap=True)

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(Text(words, style), soft_wrap=True)


def _in_short(steps: list[Step], totals: Totals) -> str:
    calls = "1 model call" if totals.calls == 1 else f"{totals.calls:,} model calls"
    repaired = f", {totals.repairs} repaired" if totals.repairs else ""
    most = max(step.tokens or 0 for step in steps)
    return f"{calls}, at most {short(most)} of {short(steps[0].budget)}, nothing had to go{repaired}"

"""`--sweep`: every target with every order, and which of them costs least for this transcript."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unabridged.policy import ORDERS
from unabridged.replay import ink
from unabridged.replay.ink import Ink
from unabridged.replay.outlet import Job
from unabridged.replay.policies.contest import Contest, heading, notes, price_of
from unabridged.replay.policies.standing import Standing, cheapest
from unabridged.replay.policies.variants import TARGETS, is_default, settings_of
from unabridged.replay.sizes import share


class Sweep:
    """Prints a table of targets and orders, and a policy to be taken over."""

    def __init__(self, console: Console, contest: Contest) -> None:
        self._console = console
        self._contest = contest

    def show(self, job: Job) -> None:
        """Walk one conversation under each policy."""
        self._contest.walk(job)

    def finish(self) -> None:
        """Print the table and the recommendation."""
        found = self._contest.standings()
        console = self._console
        if not found:
            console.print("no model call in it")
            return
        console.print(heading(self._contest, found), soft_wrap=True)
        console.print()
        console.print(sweep_table(found, ink.ink_of(console)))
        console.print()
        self._recommend(found)
        notes(console, self._contest, found)

    def _recommend(self, found: Sequence[Standing]) -> None:
        best = cheapest(found)
        if best is None:
            self._say("none of them answers every call within the budget: this window is too small", ink.OVER)
        elif not any(standing.totals.fits for standing in found):
            self._say("nothing had to go at this window: every one of them costs the same")
        else:
            self._say(_compared(best, found), ink.SENT)
            self._console.print(Text(settings_of(best.variant.policy)), soft_wrap=True)

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(Text(words, style), soft_wrap=True)


def sweep_table(found: Sequence[Standing], marks: Ink) -> Table:
    """Give a row for each target and a column for each order: what it costs, and how full requests were."""
    best = cheapest(found)
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 2, 0, 0),
        pad_edge=False,
        show_edge=False,
        border_style=ink.DIM,
        header_style=ink.DIM,
    )
    table.add_column("target", justify="right")
    for order in ORDERS:
        table.add_column(order, justify="right", no_wrap=True)
    for target in TARGETS:
        row = [each for each in found if each.variant.policy.target == target]
        table.add_row(str(target), *(_cell(each, each is best, marks) for each in row))
    return table


def _cell(standing: Standing, best: bool, marks: Ink) -> Text:
    fill = standing.totals.fill_since
    full = marks.dash.rjust(4) if fill is None else f"{fill:.2f}"
    style = ink.SENT if best else ink.OVER if not standing.is_whole else ""
    return Text.assemble((f"{'* ' if best else ''}{price_of(standing)}", style), ("  fill ", ink.DIM), (full, style))


def _compared(best: Standing, found: Sequence[Standing]) -> str:
    usual = next((each for each in found if is_default(each.variant.policy)), None)
    words = f"* costs least: {price_of(best)}"
    if usual is None or usual is best or not usual.price:
        return f"{words}, as the defaults do" if usual is best else words
    saved = share(usual.price - best.price, usual.price)
    fills = "" if best.totals.fill_since is None else f", with requests {_fill(best)} full instead of {_fill(usual)}"
    return f"{words}, {saved} less than the defaults ({price_of(usual)}){fills}"


def _fill(standing: Standing) -> str:
    return share(standing.totals.fill_since or 0.0, 1.0)

"""`--compare`: policies side by side, with what they send, what a cache serves of it, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from unabridged.replay import ink
from unabridged.replay.ink import Ink
from unabridged.replay.outlet import Job
from unabridged.replay.policies.contest import Contest, heading, notes, price_of
from unabridged.replay.policies.standing import Standing, cheapest
from unabridged.replay.sizes import dollars, share, short
from unabridged.replay.walk import is_mortal

Cell = Callable[[Standing], str]


class Comparison:
    """Prints one table for all conversations together."""

    def __init__(self, console: Console, contest: Contest) -> None:
        self._console = console
        self._contest = contest

    def show(self, job: Job) -> None:
        """Walk one conversation under each policy."""
        self._contest.walk(job)

    def finish(self) -> None:
        """Print the table."""
        found = self._contest.standings()
        if not found:
            self._console.print("no model call in it")
            return
        console, best = self._console, cheapest(found)
        console.print(heading(self._contest, found), soft_wrap=True)
        console.print()
        console.print(compare_table(found, ink.ink_of(console)))
        console.print()
        if best is not None:
            words = f"* {best.variant.label} costs least of those that answer every call within the budget"
            console.print(Text(words, ink.SENT), soft_wrap=True)
        notes(console, self._contest, found)


def compare_table(found: Sequence[Standing], marks: Ink) -> Table:
    """Give one row for each policy."""
    best = cheapest(found)
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        show_edge=False,
        border_style=ink.DIM,
        header_style=ink.DIM,
    )
    table.add_column("policy")
    columns = _columns(found, marks)
    for name, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    for standing in found:
        name = f"{'*' if standing is best else ' '} {standing.variant.label}"
        style = ink.SENT if standing is best else ink.OVER if not standing.is_whole else ""
        table.add_row(Text(name, style), *(Text(cell(standing), style) for _, cell in columns))
    return table


def _columns(found: Sequence[Standing], marks: Ink) -> list[tuple[str, Cell]]:
    """Give the columns; one that would hold nothing but zeros is left out."""

    def number(count: int) -> str:
        return f"{count:,}" if count else marks.dash

    columns: list[tuple[str, Cell]] = [
        ("fits", lambda each: number(each.totals.fits)),
        ("sent", lambda each: short(each.totals.sent)),
        ("cached", lambda each: share(each.totals.cached, each.totals.sent)),
        ("fill", lambda each: marks.dash if each.totals.fill_since is None else f"{each.totals.fill_since:.2f}"),
    ]
    if any(each.totals.over_budget for each in found if not is_mortal(each.variant.policy)):
        columns.append(("over", lambda each: number(each.totals.over_budget)))
    if any(each.totals.refused for each in found):
        columns.append(("cannot\nfit", lambda each: number(each.totals.refused)))
    if any(each.dead for each in found):
        columns.append(("died", lambda each: _died(each, marks)))
    if any(each.totals.is_priced for each in found):
        columns.append(("cost", price_of))
        columns.append(("without\ncache", lambda each: dollars(each.totals.cost.uncached)))
    else:
        columns.append(("weighed", price_of))
    return columns


def _died(standing: Standing, marks: Ink) -> str:
    if standing.died_at is not None:
        return f"at {standing.died_at:,}"
    return f"{standing.dead:,} of {standing.totals.conversations:,}" if standing.dead else marks.dash

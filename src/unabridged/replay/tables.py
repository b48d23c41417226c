"""The fits of a walk as a table, and what it comes to."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rich import box
from rich.table import Table
from rich.text import Text

from unabridged.replay import ink
from unabridged.replay.costs.tariff import both
from unabridged.replay.ink import Ink
from unabridged.replay.sizes import share, short
from unabridged.replay.totals import Totals
from unabridged.replay.walk import Step
from unabridged.replay.words import reason_of
from unabridged.report import Report

_COUNTS: tuple[tuple[str, Callable[[Report], int]], ...] = (
    ("dropped", lambda report: report.dropped),
    ("trunc.", lambda report: report.truncated),
    ("comp.", lambda report: report.compacted),
    ("rep.", lambda report: report.repaired),
)
"""Columns of counts (truncated, compacted, repaired); one that can hold nothing but zeros is left out."""


def fits_table(steps: Iterable[Step], marks: Ink) -> Table | None:
    """Give every step at which something was done or nothing could be; None where there is no such step."""
    shown = [step for step in steps if step.report is not None or step.refusal is not None]
    if not shown:
        return None
    reports = [step.report for step in shown if step.report is not None]
    compacts = any(report.strategy == "summarize" for report in reports)
    counts = [
        (name, count)
        for name, count in _COUNTS
        if any(count(report) for report in reports) or (name == "comp." and compacts)
    ]
    table = Table(box=box.SIMPLE_HEAD, padding=0, show_edge=False, border_style=ink.DIM, header_style=ink.DIM)
    table.add_column("call", justify="right")
    table.add_column("phase")
    table.add_column("by")
    for name, _ in counts:
        table.add_column(name, justify="right")
    table.add_column(f"before {marks.arrow} after\n/ budget {short(shown[0].budget)}", justify="right", no_wrap=True)
    table.add_column("reason")
    table.add_column("cached", justify="right", no_wrap=True)
    for step in shown:
        table.add_row(*_row(step, [count for _, count in counts], marks))
    return table


def _row(step: Step, counts: list[Callable[[Report], int]], marks: Ink) -> list[str | Text]:
    report = step.report
    if report is None:
        floor = 0 if step.refusal is None else step.refusal.floor
        tokens = f"at least {short(floor)}"
        return [str(step.number), "", "", *("" for _ in counts), tokens, Text("cannot fit", ink.OVER), ""]
    after = Text(short(report.tokens_after), ink.OVER if report.over_budget else ink.SENT)
    tokens = Text.assemble(f"{short(report.tokens_before):>5} {marks.arrow} ", " " * (5 - len(after)), after)
    numbers = [str(count(report) or marks.dash) for count in counts]
    cached = f"{100 * step.cached // step.tokens} %" if step.tokens else ""
    by = report.resolved_by.value
    return [str(step.number), report.phase.value, by, *numbers, tokens, reason_of(report), cached]


def totals_table(totals: Totals, died: Step | None = None, *, prices: str = "") -> Table:
    """Give the sums over a walk, or over several.

    `died` is the call that one walk would not have survived, `prices` says whose prices costs are by, or why there are
    none.
    """
    table = Table.grid(padding=(0, 2))
    table.add_column(style=ink.DIM, no_wrap=True)
    table.add_column()
    if totals.conversations > 1:
        table.add_row("conversations", f"{totals.conversations:,}")
    table.add_row("model calls", f"{totals.calls:,}")
    table.add_row("fits", _fits(totals))
    table.add_row("over budget", _bad(totals.over_budget))
    if totals.refused:
        table.add_row("cannot fit", _bad(totals.refused))
    saved = f"{short(totals.sent)} of {short(totals.full)} with nothing left out ({share(totals.sent, totals.full)})"
    table.add_row("tokens sent", saved)
    table.add_row("from the cache", f"{share(totals.cached, totals.sent)} of the tokens sent")
    table.add_row("mean fill", _fill(totals))
    table.add_row("without fitting", _without(totals, died))
    table.add_row("cost", _cost(totals))
    if prices:
        table.add_row("prices", Text(prices, ink.DIM))
    return table


def _without(totals: Totals, died: Step | None) -> Text:
    if died is not None:
        words = f"dead at call {died.number:,} of {totals.calls:,}: {died.full:,} tokens, the window is {died.window:,}"
        return Text(words, ink.WINDOW)
    if totals.conversations > 1:
        return Text(f"{totals.died:,} of {totals.conversations:,} conversations dead")
    return Text("the whole transcript stays within the window")


def _cost(totals: Totals) -> str:
    if not totals.is_priced:
        return "not known"
    words = both(totals.cost)
    if totals.unpriced:
        words += f" ({totals.unpriced:,} calls of unknown price left out)"
    if totals.summaries:
        words += f", with {totals.summaries:,} summaries as if a model had made them"
    if totals.died:
        words += f"\nwithout fitting {both(totals.cost_unfitted)}, until it is dead"
    return words


def _fits(totals: Totals) -> str:
    where = {"before a turn": totals.fits_before_turns, "between steps": totals.fits_between_steps}
    parts = [f"{count:,} {place}" for place, count in where.items() if count]
    if len(parts) == 1:
        parts = ["all " + parts[0].partition(" ")[2]]
    if totals.repairs:
        parts.append(f"besides {totals.repairs:,} repaired below the budget")
    return ", ".join([f"{totals.fits:,}", *parts])


def _bad(count: int) -> Text:
    return Text(f"{count:,}", ink.OVER if count else "")


def _fill(totals: Totals) -> str:
    sent = totals.calls - totals.refused
    overall = f"{totals.fill / sent:.2f} of the budget" if sent else "nothing was sent"
    if not totals.calls_after:
        return overall
    return f"{overall} overall, {totals.fill_after / totals.calls_after:.2f} since the first fit"

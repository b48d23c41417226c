"""`unabridged show SESSION`: what a session is, its branches, and its steps in one line each."""

from __future__ import annotations

import msgspec
from rich.table import Table
from rich.text import Text

from unabridged.log import Log
from unabridged.replay import ink
from unabridged.replay.words import reason_of
from unabridged.report import Phase, Report, Usage
from unabridged.sessions.listing import UNTITLED
from unabridged.sessions.speaking import Speaker, counted, on_one_line
from unabridged.store.sessions import Head
from unabridged.store.steps import Outline, Steps


class BranchOf(msgspec.Struct, frozen=True):
    """A branch, for `--json`."""

    name: str
    ancestry: tuple[tuple[str, int], ...]
    """(branch, last seq of it that counts), itself last; -1 is no limit."""


class StepOf(msgspec.Struct, frozen=True, kw_only=True):
    """A step, for `--json`."""

    number: int
    time: str
    messages: int
    answered: bool
    tokens: int
    """Of the request: as the provider reported it, or, where `estimated`, by the session's counter."""
    estimated: bool
    usage: Usage | None
    model: str
    reports: tuple[Report, ...]


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """A session, for `--json`."""

    project: str
    id: str
    title: str
    created: str
    updated: str
    entries: int
    branches: tuple[BranchOf, ...]
    branch: str
    """The one whose steps these are."""
    hidden: tuple[str, ...]
    """Ids of its messages that no search finds."""
    steps: int
    """How many there are in all."""
    listed: tuple[StepOf, ...]


class Overview:
    """Prints a session."""

    def __init__(self, speaker: Speaker, head: Head, project: str) -> None:
        self._speaker = speaker
        self._head = head
        self._project = project

    def show(self, steps: Steps, limit: int, before: int | None) -> None:
        """Print the newest steps, or those before one."""
        stop = min(len(steps) + 1, before if before is not None else len(steps) + 1)
        start = max(1, stop - limit)
        listed = [_step_of(each, steps) for each in steps.outline(start, stop)]
        if self._speaker.as_json:
            self._json(steps, tuple(listed))
            return
        head = self._head
        self._speaker.line(on_one_line(head.title) or UNTITLED, "bold")
        began, updated = (time[:16].replace("T", " ") for time in (head.created, head.updated))
        self._speaker.line(f"session {head.id}, project {self._project}, {head.entries:,} entries")
        self._speaker.line(f"began {began}, last written to {updated}")
        self._speaker.line(f"branches: {'; '.join(_branch(steps.log, name) for name in steps.log.branches)}")
        self._speaker.line(f"branch {steps.branch}: {counted(len(steps), 'step')}")
        if hidden := _hidden(steps):
            self._speaker.line(f"hidden from searches: {', '.join(map(on_one_line, hidden))}")
        if listed:
            self._speaker.out.print()
            self._speaker.out.print(_table(listed, self._arrow))
        if start > 1:
            self._speaker.aside(f"earlier steps: --before {start}")

    @property
    def _arrow(self) -> str:
        return ink.ink_of(self._speaker.out).arrow

    def _json(self, steps: Steps, listed: tuple[StepOf, ...]) -> None:
        head, log = self._head, steps.log
        self._speaker.json(
            Shown(
                project=self._project,
                id=head.id,
                title=head.title,
                created=head.created,
                updated=head.updated,
                entries=head.entries,
                branches=tuple(BranchOf(name, log.ancestry(name)) for name in log.branches),
                branch=steps.branch,
                hidden=_hidden(steps),
                steps=len(steps),
                listed=listed,
            )
        )


def _step_of(outline: Outline, steps: Steps) -> StepOf:
    usage = outline.usage
    return StepOf(
        number=outline.number,
        time=outline.time,
        messages=outline.messages,
        answered=outline.answered,
        tokens=usage.input if usage is not None else steps.step(outline.number).price,
        estimated=usage is None,
        usage=usage,
        model=outline.model,
        reports=outline.reports,
    )


def _branch(log: Log, name: str) -> str:
    parts = log.ancestry(name)[:-1]
    return f"{name} (from {parts[-1][0]}, entry {parts[-1][1]:,})" if parts else name


def _hidden(steps: Steps) -> tuple[str, ...]:
    return tuple(dict.fromkeys(steps.log.hidden(steps.branch).values()))


def _table(listed: list[StepOf], arrow: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style=ink.DIM, padding=(0, 2, 0, 0))
    for name in ("step", "messages", "tokens", "cached", "output"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what was done")
    for step in listed:
        usage = step.usage
        table.add_row(
            str(step.number),
            f"{step.messages:,}",
            f"{'~' if step.estimated else ''}{step.tokens:,}",
            f"{usage.cached:,}" if usage is not None else "",
            f"{usage.output:,}" if usage is not None else "",
            Text("; ".join(_done(step, arrow))),
        )
    return table


def _done(step: StepOf, arrow: str) -> list[str]:
    told = [_report(report, arrow) for report in step.reports if report.phase is not Phase.COMPACTING]
    return told if step.answered else [*told, "not answered"]


def _report(report: Report, arrow: str) -> str:
    counts = {"compacted": report.compacted, "dropped": report.dropped, "truncated": report.truncated}
    counts["repaired"] = report.repaired
    done = "".join(f", {count:,} {name}" for name, count in counts.items() if count)
    return f"{reason_of(report)}: {report.tokens_before:,} {arrow} {report.tokens_after:,}{done}"

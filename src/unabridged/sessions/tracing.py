"""What the agent's steps took: times, calls, cost. From its trace, which lies beside the store and may be missing."""

from __future__ import annotations

from collections import Counter

from rich.table import Table
from rich.text import Text

from unabridged.agent.trace import Line, StepTrace, TurnTrace, read_trace, trace_of
from unabridged.replay import ink
from unabridged.report import Phase
from unabridged.sessions.speaking import Speaker, counted

MOST = 20
"""Steps that are listed: the newest. All of them are in the file."""


def print_trace(speaker: Speaker, session: str) -> None:
    """Print the trace of a session; nothing where there is none."""
    lines = read_trace(trace_of(session))
    steps = [line for line in lines if isinstance(line, StepTrace)]
    if not steps:
        return
    turns = [line for line in lines if isinstance(line, TurnTrace)]
    speaker.out.print()
    speaker.line(f"trace: {counted(len(steps), 'step')} in {counted(len(turns), 'turn')}{_cost(lines)}")
    speaker.out.print(_table(lines[-MOST:]))
    if len(lines) > MOST:
        speaker.aside(f"all of them: {trace_of(session)}")


def _cost(lines: list[Line]) -> str:
    known = [line.cost for line in lines if isinstance(line, StepTrace) and line.cost is not None]
    return f", ${sum(known):.4f}" if known else ""


def _table(lines: list[Line]) -> Table:
    table = Table(box=None, pad_edge=False, header_style=ink.DIM, padding=(0, 2, 0, 0))
    for name in ("step", "tokens", "of budget", "fits", "answer", "calls", "cost"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("what was called")
    for line in lines:
        if isinstance(line, TurnTrace):
            ended = f"{line.ending.replace('_', ' ')}, {line.seconds:,.1f} s"
            table.add_row(*[""] * 7, Text(ended, ink.DIM))
        else:
            table.add_row(*_cells(line), Text(_called(line)))
    return table


def _cells(step: StepTrace) -> list[str]:
    fits = sum(report.phase is not Phase.COMPACTING for report in step.fits)
    share = f"{step.tokens / step.budget:.0%}" if step.budget else ""
    calls = sum(called.seconds for called in step.calls)
    return [
        str(step.step),
        f"{step.tokens:,}",
        share,
        str(fits or ""),
        f"{step.answer_s:.1f} s",
        f"{calls:.1f} s" if step.calls else "",
        f"${step.cost:.4f}" if step.cost is not None else "",
    ]


def _called(step: StepTrace) -> str:
    names = Counter(f"{called.tool}{' (failed)' if called.is_error else ''}" for called in step.calls)
    return ", ".join(name if count == 1 else f"{name} ×{count}" for name, count in names.items())

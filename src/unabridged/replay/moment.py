"""`--step N`: exactly what the model would have been sent at one call, message by message."""

from __future__ import annotations

from rich.console import Console

from unabridged.errors import BadInput
from unabridged.importers import Imported
from unabridged.plan import Verdict
from unabridged.replay import ink
from unabridged.replay.outlet import Job
from unabridged.replay.sheet import Sheet
from unabridged.replay.summaries import messages, numbers_of
from unabridged.replay.trail import Trail
from unabridged.replay.walk import Step, calls_of
from unabridged.replay.words import RESOLVED_BY, VERDICTS, reason_of


class Moment:
    """Prints one request of a walk."""

    def __init__(self, console: Console, number: int) -> None:
        self._sheet = Sheet(console)
        self._number = number

    def show(self, job: Job) -> None:
        """Walk up to the step and print its request. Raises `BadInput` when there is no such step."""
        conversation = job.conversation
        calls = len(calls_of(conversation))
        if self._number > calls:
            raise BadInput(f"{job.file}: no call {self._number} in {conversation.name}: it has {calls:,}")
        trail = Trail(conversation.messages)
        for step in job.steps:
            trail.follow(step)
            if step.number == self._number:
                self._print(conversation, step, trail)
                return

    def finish(self) -> None:
        """End the output: nothing is left to say."""

    def _print(self, conversation: Imported, step: Step, trail: Trail) -> None:
        self._sheet.say(f"{conversation.name}, call {step.number}: {_size(step)}", "bold")
        if step.report is not None:
            report = step.report
            size = f"{report.tokens_before:,} {self._sheet.ink.arrow} {report.tokens_after:,} tokens"
            self._sheet.say(f"{reason_of(report)}: {size}, by {RESOLVED_BY[report.resolved_by]}", ink.BUDGET)
        if step.fitted is None:
            self._sheet.say(f"nothing could be sent: {step.refusal}", ink.OVER)
            return
        self._sheet.frame(step.fitted.frame)
        for item in step.fitted.items:
            self._sheet.item(item, trail)
        self._hidden(trail)

    def _hidden(self, trail: Trail) -> None:
        gone = trail.gone()
        if gone:
            self._sheet.heading("not shown")
        for verdict, stand in ((Verdict.COMPACT, " and stand in the summary"), (Verdict.DROP, "")):
            runs = [run for run in gone if run.verdict is verdict]
            if runs:
                count = messages(sum(run.count for run in runs))
                self._sheet.say(f"{count} {VERDICTS[verdict]}{stand}: {numbers_of(runs)}")


def _size(step: Step) -> str:
    sent = f"{step.tokens:,} tokens" if step.tokens is not None else "refused"
    return f"{sent} of a budget of {step.budget:,}, the whole transcript takes {step.full:,}"

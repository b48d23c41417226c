"""`--step N`: exactly what the model would have been sent at one call, message by message."""

from __future__ import annotations

import json

import msgspec
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from unabridged.errors import BadInput
from unabridged.fitted import Fitted
from unabridged.importers import Imported
from unabridged.message import Message, Role
from unabridged.plan import Reason, Verdict
from unabridged.replay import ink
from unabridged.replay.outlet import Job
from unabridged.replay.shown import lines_of, plain
from unabridged.replay.summaries import messages, numbers_of
from unabridged.replay.trail import Trail
from unabridged.replay.walk import Step, calls_of
from unabridged.replay.words import RESOLVED_BY, VERDICTS, number_of, reason_of
from unabridged.view import DROPPED, SUMMARY, Item

TOOLS = ("tools", "functions")
SHORT_FIELD = 60
"""Characters of a field of the request that is shown on a line with others."""


class Moment:
    """Prints one request of a walk."""

    def __init__(self, console: Console, number: int) -> None:
        self._console = console
        self._number = number
        self._ink = ink.ink_of(console)

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
        self._say(f"{conversation.name}, call {step.number}: {_size(step)}", "bold")
        if step.report is not None:
            report = step.report
            size = f"{report.tokens_before:,} {self._ink.arrow} {report.tokens_after:,} tokens"
            self._say(f"{reason_of(report)}: {size}, by {RESOLVED_BY[report.resolved_by]}", ink.BUDGET)
        if step.fitted is None:
            self._say(f"nothing could be sent: {step.refusal}", ink.OVER)
            return
        self._frame(step.fitted)
        for item in step.fitted.items:
            self._item(item, trail)
        self._hidden(trail)

    def _frame(self, fitted: Fitted) -> None:
        """Print what goes out beside the messages: short fields on one line, tools by name, texts whole."""
        tools = [(name, ", ".join(_tool_names(value))) for name, value in fitted.frame.fields if name in TOOLS]
        others = [(name, _written(value)) for name, value in fitted.frame.fields if name not in TOOLS]
        short = [(name, value) for name, value in others if len(value) <= SHORT_FIELD]
        self._say(", ".join(f"{name}: {value}" for name, value in [*short, *tools]), ink.DIM)
        for name, value in others:
            if len(value) > SHORT_FIELD:
                self._heading(name)
                self._console.print(plain(value), soft_wrap=True)
        for message in fitted.frame.system:
            self._heading(message.role.value)
            self._message(message)

    def _item(self, item: Item, trail: Trail) -> None:
        number = self._ink.dash if item.source is None else number_of(item.source)
        role = item.message.role.value
        if item.message.role is Role.USER:
            role += f" ({item.message.origin.value.replace('_', ' ')})"
        self._heading(", ".join([number, role, f"{item.price.tokens:,} tokens", _treatment(item, trail)]))
        self._message(item.message)

    def _message(self, message: Message) -> None:
        for line in lines_of(message, self._ink):
            self._console.print(line, soft_wrap=True)

    def _hidden(self, trail: Trail) -> None:
        gone = trail.gone()
        if gone:
            self._heading("not shown")
        for verdict, stand in ((Verdict.COMPACT, " and stand in the summary"), (Verdict.DROP, "")):
            runs = [run for run in gone if run.verdict is verdict]
            if runs:
                count = messages(sum(run.count for run in runs))
                self._say(f"{count} {VERDICTS[verdict]}{stand}: {numbers_of(runs)}")

    def _heading(self, words: str) -> None:
        self._console.print()
        self._console.print(Rule(Text(words, "bold"), align="left", style=ink.DIM))

    def _say(self, words: str, style: str = "") -> None:
        self._console.print(Text(words, style), soft_wrap=True)


def _size(step: Step) -> str:
    sent = f"{step.tokens:,} tokens" if step.tokens is not None else "refused"
    return f"{sent} of a budget of {step.budget:,}, the whole transcript takes {step.full:,}"


def _treatment(item: Item, trail: Trail) -> str:
    if item.source is None:
        return _made(item, trail)
    fate = trail.fate(item.source)
    if item.changed and not fate.cuts:
        return "repaired"
    why = "" if fate.reason is Reason.FITS else f" ({fate.reason.value.replace('_', ' ')})"
    return f"{VERDICTS[fate.verdict]}{why}"


def _made(item: Item, trail: Trail) -> str:
    """Say what an item is that no message of the transcript was made into."""
    id = item.message.id
    if id.startswith(SUMMARY):
        compacted = sum(run.count for run in trail.gone() if run.verdict is Verdict.COMPACT)
        stands = messages(compacted) if compacted else "what was dropped"
        return f"the summary of {id.removeprefix(SUMMARY)}: stands for {stands}"
    return "stands for what was dropped" if id.startswith(DROPPED) else "added by repair"


def _written(value: str) -> str:
    """Give a JSON string as the text that it stands for, anything else as it is."""
    decoded: object = json.loads(value)
    return decoded if isinstance(decoded, str) else value


class _Tool(msgspec.Struct):
    """What both wires say of a tool: its name, here or one level down."""

    name: str = ""
    type: str = ""
    function: _Tool | None = None


def _tool_names(value: str) -> list[str]:
    tools = msgspec.json.decode(value, type=list[_Tool])
    return [(tool.function or tool).name or tool.type for tool in tools]

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
from unabridged.message import Message, Origin, Role
from unabridged.plan import Reason
from unabridged.replay import ink
from unabridged.replay.outlet import Job
from unabridged.replay.shown import lines_of, plain
from unabridged.replay.trail import Trail
from unabridged.replay.walk import Step, calls_of
from unabridged.replay.words import FIT_REASONS, VERDICTS, number_of
from unabridged.view import Item

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
            self._say(
                f"{FIT_REASONS[report.reason]}: {report.tokens_before:,} {self._ink.arrow} "
                f"{report.tokens_after:,} tokens",
                ink.BUDGET,
            )
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
        hidden = trail.hidden()
        if hidden:
            self._heading("not shown")
        for first, last, count, verdict in hidden:
            numbers = number_of(first) if count == 1 else f"{number_of(first)}-{number_of(last)}"
            self._say(f"{count:,} {'message' if count == 1 else 'messages'} {VERDICTS[verdict]}: {numbers}")

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
        return "stands for what was left out" if item.message.origin is Origin.MARKER else "added by repair"
    fate = trail.fate(item.source)
    if item.changed and not fate.cuts:
        return "repaired"
    why = "" if fate.reason is Reason.FITS else f" ({fate.reason.value.replace('_', ' ')})"
    return f"{VERDICTS[fate.verdict]}{why}"


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

"""One whole request on the terminal: what goes out beside the messages, then message by message."""

from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from unabridged.frame import Frame
from unabridged.message import Message, Role
from unabridged.plan import Reason, Verdict
from unabridged.replay import ink
from unabridged.replay.shown import lines_of, plain
from unabridged.replay.summaries import messages
from unabridged.replay.trail import Trail
from unabridged.replay.words import VERDICTS, number_of
from unabridged.view import DROPPED, SUMMARY, Item

TOOLS = ("tools", "functions")
SHORT_FIELD = 60
"""Characters of a field of the request that is shown on a line with others."""


class Sheet:
    """Prints a request. `name` says what a message is called, by its id."""

    def __init__(self, console: Console, *, name: Callable[[str], str] = number_of) -> None:
        self._console = console
        self._name = name
        self.ink = ink.ink_of(console)

    def frame(self, frame: Frame) -> None:
        """Print what goes out beside the messages: short fields on one line, tools by name, texts whole."""
        tools = [(name, ", ".join(_tool_names(value))) for name, value in frame.fields if name in TOOLS]
        others = [(name, _written(value)) for name, value in frame.fields if name not in TOOLS]
        short = [(name, value) for name, value in others if len(value) <= SHORT_FIELD]
        self.say(", ".join(f"{name}: {value}" for name, value in [*short, *tools]), ink.DIM)
        for name, value in others:
            if len(value) > SHORT_FIELD:
                self.heading(name)
                self._console.print(plain(value), soft_wrap=True)
        for message in frame.system:
            self.heading(message.role.value)
            self.message(message)

    def item(self, item: Item, trail: Trail) -> None:
        """Print one message as the model saw it, under a line that says what was done to it."""
        number = self.ink.dash if item.source is None else self._name(item.source)
        role = item.message.role.value
        if item.message.role is Role.USER:
            role += f" ({item.message.origin.value.replace('_', ' ')})"
        self.heading(", ".join([number, role, f"{item.price.tokens:,} tokens", treatment(item, trail)]))
        self.message(item.message)

    def message(self, message: Message) -> None:
        """Print what a message says."""
        for line in lines_of(message, self.ink):
            self._console.print(line, soft_wrap=True)

    def heading(self, words: str) -> None:
        """Print a line across, with words in it."""
        self._console.print()
        self._console.print(Rule(Text(words, "bold"), align="left", style=ink.DIM))

    def say(self, words: str, style: str = "") -> None:
        """Print a line."""
        self._console.print(Text(words, style), soft_wrap=True)


def treatment(item: Item, trail: Trail) -> str:
    """Say what was done to a message of a request."""
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

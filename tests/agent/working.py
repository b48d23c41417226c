"""Agents at work against the fake provider over real HTTP, with small tools of their own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from unabridged import Conversation, Policy
from unabridged.agent.access import Access, Asked, Verdict
from unabridged.agent.events import Event
from unabridged.agent.hands import Hands
from unabridged.agent.loop import Agent, Gate
from unabridged.agent.state import Limits
from unabridged.agent.todo import TodoTool
from unabridged.agent.tool import Output, Running, Tool, ToolError
from unabridged.agent.toolbox import Toolbox
from unabridged.agent.watching import Watcher
from unabridged.models.connect import connect
from unabridged.models.model import Model, Patience
from unabridged.testing import Asked as Served
from unabridged.testing import Call, Failure, FakeProvider, Reply, serving

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
PROVIDERS = {"openai_chat": "openai_chat", "openai_responses": "openai", "anthropic": "anthropic", "gemini": "gemini"}
Line = Reply | Failure | str
SUMMARY = """## Completed goals
The files file0.py, file1.py, file2.py and those behind them were looked at one after the other, as the user had asked.
Each of them holds lines that say what its content is; nothing else was found in them, and nothing was changed.
## Key decisions
The files are looked at in the order of their numbers. No file is changed, and secrets.txt is not touched.
## Files read and modified
Read: file0.py, file1.py, file2.py, file3.py, file4.py, file5.py. Modified: none.
## Open work
The files that were not looked at yet are to be looked at, and then an answer is to be given.
## Facts and constraints
The user has said that secrets.txt must never be touched.
"""
"""What the model answers where it is asked for a summary: a request without tools."""


class Path(msgspec.Struct):
    path: str


class Look:
    """Looks something up, and tells how many look at once."""

    name = "look"
    description = "Look at a thing."
    arguments: type[msgspec.Struct] = Path
    reads_only = True

    def __init__(self, answer: Callable[[str], str] = lambda path: f"{path} is here.") -> None:
        self._answer = answer
        self._running = 0
        self.most = 0
        self.seen: list[str] = []

    def title(self, arguments: Any) -> str:
        return str(arguments.path)

    def touches(self, arguments: Any) -> Sequence[Access]:
        return ()

    def preview(self, arguments: Any) -> str:
        return ""

    async def run(self, arguments: Any, running: Running) -> Output:
        self._running += 1
        self.most = max(self.most, self._running)
        self.seen.append(arguments.path)
        await asyncio.sleep(0.01)
        self._running -= 1
        return Output(text=self._answer(arguments.path))


class Change(Look):
    """Changes something; `break` breaks it, `wait` waits for ever."""

    name = "change"
    description = "Change a thing."
    reads_only = False

    async def run(self, arguments: Any, running: Running) -> Output:
        if arguments.path == "break":
            raise RuntimeError("a screw is loose")
        if arguments.path == "missing":
            raise ToolError("there is no such thing")
        if arguments.path == "wait":
            running.say("waiting")
            await asyncio.sleep(60)
        return await super().run(arguments, running)


class Rules:
    """Allows what is not named."""

    def __init__(self, *denied: str) -> None:
        self._denied = denied
        self.asked: list[Asked] = []

    async def allow(self, asked: Asked) -> Verdict:
        self.asked.append(asked)
        return Verdict(asked.title not in self._denied, "not today" if asked.title in self._denied else "")


def call(name: str, path: str, id: str | None = None) -> Call:
    return Call(name, msgspec.json.encode({"path": path}).decode(), id)


def calls(*made: Call, text: str = "") -> Reply:
    return Reply(text=text, calls=made)


class InOrder:
    """Says its lines one after the other; what was refused is not said again. A summary is another matter."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self._lines = [Reply(text=line) if isinstance(line, str) else line for line in lines]

    def reply(self, asked: Served) -> Reply | Failure:
        if not any(name in asked.body for name in ("tools", "functions")):
            return Reply(text=SUMMARY)
        return self._lines.pop(0) if self._lines else Reply(text="Done.")


class Work:
    """One agent with all that watches it."""

    def __init__(self, provider: FakeProvider, agent: Agent, events: list[Event], look: Look, rules: Rules) -> None:
        self.provider = provider
        self.agent = agent
        self.events = events
        self.look = look
        self.rules = rules

    @property
    def talk(self) -> Conversation:
        return self.agent.talk

    def told(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def said(self) -> list[str]:
        return [record.message.text for record in self.talk.transcript.records]


@asynccontextmanager
async def at_work(
    lines: Sequence[Line],
    *,
    dialect: str = "openai_chat",
    gate: Gate | None = None,
    limits: Limits | None = None,
    denied: Sequence[str] = (),
    **given: Any,
) -> AsyncGenerator[Work]:
    """Give an agent whose model follows a script; `given` is for its conversation, such as another `window`."""
    given = {"window": 32_000, **given}
    provider, events, rules = FakeProvider(InOrder(lines), window=given["window"]), list[Event](), Rules(*denied)
    look = Look()
    tools: list[Tool] = [look, Change(), TodoTool()]
    with serving(provider) as url:
        model = reached(url, dialect)
        toolbox = Toolbox(tools)
        talk = Conversation(
            dialect=dialect,
            model="fake",
            system="You work.",
            tools=toolbox.schemas(dialect),
            policy=Policy(strategy="summarize", fold_in_turn=True),
            **({"max_tokens": 2_000} if dialect == "anthropic" else {}),
            **given,
        )
        hands = Hands(toolbox, rules, events.append)
        agent = Agent(talk, model, hands, gate=gate, limits=limits, watcher=Watcher(tell=events.append))
        try:
            yield Work(provider, agent, events, look, rules)
        finally:
            await model.close()


def reached(url: str, dialect: str = "openai_chat") -> Model:
    """Give the model at an address, through its provider's own SDK."""
    at = url if dialect in ("anthropic", "gemini") else f"{url}/v1"
    quick = Patience(total_s=10, idle_s=10, attempts=1)
    return connect("fake", provider=PROVIDERS[dialect], base_url=at, api_key="none", patience=quick)

"""Long conversations with a model over real HTTP: tools, planted facts, and a window that is filled again and again."""

from __future__ import annotations

import asyncio
import itertools
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from unabridged import Conversation, Policy
from unabridged.entry import CheckpointEntry, ReportEntry
from unabridged.errors import UnabridgedError
from unabridged.log import Log
from unabridged.message import Message, Role, Text, ToolCall
from unabridged.models.answering import Answered, Answering
from unabridged.models.anthropic import AnthropicModel
from unabridged.models.gemini import GeminiModel
from unabridged.models.model import Model, Patience, Restarted
from unabridged.models.openai_chat import OpenAIChatModel
from unabridged.models.openai_responses import OpenAIResponsesModel
from unabridged.testing import FakeProvider, serving
from unabridged.testing.passages import passage

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
FACT_EVERY = 10
UNJUDGED = 3
"""Reports after which a count is judged."""
ASKED_AGAIN = 4
"""How often a turn is asked for again whose answer holds nothing, as a shell would."""
MOST_STEPS = 12
"""Steps of a turn; a model that wants more is answered for the last time without tools being run."""
KINDS = ("words", "code", "json", "log", "base64", "cjk")
PATIENCE = Patience(total_s=60, idle_s=20, attempts=8)


@dataclass
class Run:
    """What came of one conversation."""

    turns: int = 0
    lost: list[str] = field(default_factory=list)
    requests: int = 0
    errors: list[float] = field(default_factory=list)
    """Of each count against the report, as a share; the first few are left out."""
    restarts: int = 0
    refused: int = 0
    fits: int = 0
    unexplained: int = 0
    facts: int = 0
    kept: int = 0
    memory: list[int] = field(default_factory=list)
    """Resident bytes, now and then."""
    seconds: float = 0.0

    @property
    def worst(self) -> float:
        """The count that was furthest off."""
        return max(map(abs, self.errors), default=0.0)

    @property
    def middle(self) -> float:
        """The median error."""
        return median(map(abs, self.errors)) if self.errors else 0.0

    @property
    def growth(self) -> float:
        """How much memory grew from a third of the run to its end, as a share."""
        third = self.memory[len(self.memory) // 3 :]
        return third[-1] / third[0] - 1 if third else 0.0


@asynccontextmanager
async def fake_model(provider: FakeProvider, dialect: str) -> AsyncIterator[Model]:
    """Give a model that speaks to a provider over loopback, with its official SDK."""
    with serving(provider) as url:
        made = _adapter(dialect, url)
        try:
            yield made
        finally:
            await made.close()


def _adapter(dialect: str, url: str) -> Model:
    match dialect:
        case "openai_chat":
            return OpenAIChatModel("m", base_url=f"{url}/v1", api_key="none", patience=PATIENCE)
        case "openai_responses":
            return OpenAIResponsesModel("m", base_url=f"{url}/v1", api_key="none", patience=PATIENCE)
        case "anthropic":
            return AnthropicModel("m", base_url=url, api_key="none", patience=PATIENCE)
        case _:
            return GeminiModel("m", base_url=url, api_key="none", patience=PATIENCE)


def talk_to(
    model: Model, *, window: int, policy: Policy | None = None, output: int = 200, log: Log | None = None
) -> Conversation:
    """Begin a conversation with a model."""
    if model.dialect == "openai_responses":
        limit: dict[str, Any] = {"max_output_tokens": output}
    elif model.dialect == "gemini":
        limit = {"config": {"maxOutputTokens": output}}
    else:
        limit = {"max_tokens": output}
    return Conversation(
        dialect=model.dialect,
        model=model.name,
        system="You are careful.",
        window=window,
        policy=policy,
        log=log,
        **limit,
    )


class Worker:
    """Holds one conversation, turn after turn; with `own_calls` it makes the tool calls that a small model cannot."""

    def __init__(self, talk: Conversation, model: Model, *, seed: int, most: int, own_calls: bool) -> None:
        self.run = Run()
        self.talk = talk
        self._random = random.Random(seed)
        self._most = most
        self._own_calls = own_calls
        self._ids = itertools.count()
        self._answering = Answering(talk, model, on_event=self._see)

    def _see(self, event: object) -> None:
        self.run.restarts += isinstance(event, Restarted)

    async def turn(self) -> None:
        """Say something, and go on until the model asks for nothing more."""
        number = self.run.turns
        self.run.turns += 1
        self.talk.user(self._question(number))
        if self._own_calls:
            self._call()
        try:
            await self._to_the_end()
        except UnabridgedError as error:
            self.run.lost.append(f"turn {number}: {error}")

    async def _to_the_end(self) -> None:
        silent = 0
        for step in range(10**6):
            answered = await self._answering.answer()
            self._note(answered)
            calls = [call for message in answered.messages for call in message.calls]
            for call in calls:
                self.talk.result(call.id, self._output())
            silent += not calls and not any(message.text.strip() for message in answered.messages)
            if not calls and (silent in (0, ASKED_AGAIN) or any(m.text.strip() for m in answered.messages)):
                return
            if calls and step >= MOST_STEPS:
                return

    def _note(self, answered: Answered) -> None:
        self.run.requests += 1
        self.run.refused += len(answered.refused)
        usage = answered.completed.usage
        if usage is not None and self.run.requests > UNJUDGED:
            self.run.errors.append(answered.fitted.tokens / usage.input - 1)

    def _question(self, number: int) -> str:
        fact = ""
        if number % FACT_EVERY == 0:
            self.run.facts += 1
            fact = f"Remember for good: the code of gate {number} is {_code(number)}. "
        return (
            f"{fact}Question {number}: what does this say? {passage('words', self._random.randrange(20, 200), number)}"
        )

    def _output(self) -> str:
        size = min(self._most, int(20 * 1.6 ** self._random.randrange(11)))
        return passage(self._random.choice(KINDS), size, self._random.randrange(10**6))

    def _call(self) -> None:
        call = ToolCall(f"call_{next(self._ids)}", "read", '{"path":"notes.txt"}')
        said = Message(id=f"own-{call.id}", role=Role.ASSISTANT, parts=(Text("I look at the notes."), call))
        self.talk.add(said)
        self.talk.result(call.id, self._output())

    def finish(self) -> Run:
        """Look at what is left of it all."""
        entries = self.talk.transcript.log.entries
        reports = [place for place, entry in enumerate(entries) if isinstance(entry.payload, ReportEntry)]
        made = [place for place, entry in enumerate(entries) if isinstance(entry.payload, CheckpointEntry)]
        self.run.fits = len(made)
        self.run.unexplained = sum(place + 1 not in reports for place in made)
        shown = self.talk.preview().body().decode()
        self.run.kept = sum(_code(number) in shown for number in range(0, self.run.turns, FACT_EVERY))
        return self.run


async def converse(worker: Worker, turns: int, tell: Callable[[Run], None]) -> Run:
    """Hold a conversation of so many turns."""
    started = last = time.monotonic()
    for turn in range(turns):
        await worker.turn()
        if turn % max(1, turns // 60) == 0:
            worker.run.memory.append(_resident())
        if time.monotonic() - last > 10:
            last = time.monotonic()
            tell(worker.run)
        await asyncio.sleep(0)
    worker.run.memory.append(_resident())
    worker.run.seconds = time.monotonic() - started
    return worker.finish()


def _code(number: int) -> str:
    return f"Q{number * 7919 % 99_991:05}Z"


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4_096

"""Models for tests: one that follows a script, and one that does whatever a real one may do."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec


class Call(msgspec.Struct, frozen=True):
    """A call that a model makes. Without an id the provider gives one."""

    name: str
    arguments: str = "{}"
    """JSON, exactly as the model wrote it."""
    id: str | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answers."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    """Its thoughts; where the dialect signs them, the provider does."""
    cut_off: bool = False
    """It ended at its output limit."""
    breaks_after: int | None = None
    """The connection ends after so many events of the stream, without a word."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A provider that does not answer: rate limits, overload, an error of its own."""

    status: int
    says: str
    kind: str = "server_error"
    retry_after_s: int | None = None


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """One request that was valid and fitted the window."""

    number: int
    """From 0, those that were refused left out."""
    dialect: str
    body: Mapping[str, Any]
    tokens: int


class Model(Protocol):
    """Answers requests."""

    def reply(self, asked: Asked) -> Reply | Failure:
        """Give the answer to one request."""
        ...


class Scripted:
    """Says its lines, one a request; after the last one it says "Done." for ever."""

    def __init__(self, lines: Sequence[Reply | Failure | str]) -> None:
        self._lines = [Reply(text=line) if isinstance(line, str) else line for line in lines]

    def reply(self, asked: Asked) -> Reply | Failure:
        """Give the line of this request."""
        return self._lines[asked.number] if asked.number < len(self._lines) else Reply(text="Done.")


class Working:
    """Makes so many calls in each of the steps of a turn, then answers: an agent's steady work.

    `Working(2, 1)` reads two files, then one, then speaks. A turn begins wherever a request ends with no result.
    """

    def __init__(self, *steps: int, tool: str = "read") -> None:
        self._steps = steps
        self._tool = tool
        self._step = 0

    def reply(self, asked: Asked) -> Reply:
        """Give the next step."""
        if self._step == len(self._steps):
            self._step = 0
            return Reply(text=f"Done with request {asked.number}.", thinking=f"Enough seen by {asked.number}.")
        made = self._steps[self._step]
        self._step += 1
        files = [f"{asked.number}-{place}.py" for place in range(made)]
        calls = tuple(Call(self._tool, json.dumps({"path": file})) for file in files)
        return Reply(calls=calls, thinking=f"Step {asked.number}.")


class Chaotic:
    """Does what real models do on bad days; the same seed, the same days.

    Broken arguments, ids that come twice, many calls at once, nothing at all, an answer that is cut off, a stream that
    breaks, rate limits and overload.
    """

    def __init__(self, seed: int = 0, *, tools: Sequence[str] = ("read", "bash")) -> None:
        self._random = random.Random(seed)
        self._tools = tuple(tools)

    def reply(self, asked: Asked) -> Reply | Failure:
        """Give what comes this time."""
        day = self._random.random()
        if day < 0.03:
            return Failure(status=429, says="Rate limit reached", kind="rate_limit_error", retry_after_s=1)
        if day < 0.06:
            return Failure(status=529, says="Overloaded", kind="overloaded_error")
        if day < 0.09:
            return Reply()
        if day < 0.14:
            return Reply(text=self._words(400), cut_off=True)
        if day < 0.18:
            return Reply(text=self._words(80), breaks_after=self._random.randrange(1, 4))
        if day < 0.6:
            return Reply(text=self._words(30), calls=self._calls(asked), thinking=self._words(20))
        return Reply(text=self._words(120))

    def _calls(self, asked: Asked) -> tuple[Call, ...]:
        return tuple(self._call(asked, place) for place in range(self._random.choice((1, 1, 1, 2, 3, 8))))

    def _call(self, asked: Asked, place: int) -> Call:
        arguments = json.dumps({"path": f"{self._words(2)}.py", "content": self._words(60)})
        if self._random.random() < 0.1:
            arguments = arguments[: self._random.randrange(len(arguments))]
        twice = self._random.random() < 0.1
        return Call(
            self._random.choice(self._tools), arguments, "call_again" if twice else f"call_{asked.number}_{place}"
        )

    def _words(self, most: int) -> str:
        letters = "aeioubdfgklmnprst"
        number = self._random.randrange(1, most + 1)
        return " ".join("".join(self._random.choices(letters, k=self._random.randrange(2, 9))) for _ in range(number))

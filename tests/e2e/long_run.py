"""A long session of an agent against a provider with a window, over ASGI, and how far our counts are from its own.

The turns are an agent's: two calls, one call, an answer. Outputs differ in kind and size; now and then one comes that
is larger than any fit lets stand.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import AsyncIterator, Mapping, MutableMapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from tests.properties.texts import passage
from unabridged import Conversation, Policy
from unabridged.report import FitReason
from unabridged.summarizer import Extractive
from unabridged.testing import FakeProvider, Working

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
STRATEGIES = ("trim", "summarize")
WINDOW = 24_000
CLOSE = 0.02
"""How far a count may be from what the provider reports."""
UNJUDGED = 3
"""Requests at the beginning whose counts carry a margin on purpose: until three reports are in, 7 % are added."""
SYSTEM = "You are a careful engineer. " + " ".join(f"Rule {number}: read before you write." for number in range(120))
FRAMES: dict[str, dict[str, Any]] = {
    "openai_chat": {"model": "gpt-5"},
    "openai_responses": {"model": "gpt-5"},
    "anthropic": {"model": "claude-opus-5", "max_tokens": 1_000},
    "gemini": {},
}
PATHS = {
    "openai_chat": "/v1/chat/completions",
    "openai_responses": "/v1/responses",
    "anthropic": "/v1/messages",
    "gemini": "/v1beta/models/gemini-3-pro:generateContent",
}
KINDS = ("code", "words", "json", "log", "cjk", "hex", "colours")


@dataclass(frozen=True)
class Counting:
    """How a provider counts, seen from ours."""

    name: str
    ratio: float
    overhead: int


EXACT = Counting("as we do", 1.0, 0)
OTHERWISE = Counting("otherwise", 1.2, 350)
"""A denser vocabulary, and a prompt that nobody sees."""


@dataclass
class Run:
    """What came of one session."""

    requests: int = 0
    fits: int = 0
    errors: list[float] = field(default_factory=list[float])
    """Of each request, how far our count was from the provider's, as a share of the latter."""
    refused: list[str] = field(default_factory=list[str])
    last: int = 0
    """Tokens of the last request, as reported."""
    seconds: float = 0.0

    @property
    def judged(self) -> list[float]:
        """Errors of the requests that carry no margin for want of reports."""
        return self.errors[UNJUDGED:]


async def live(dialect: str, strategy: str, counting: Counting, turns: int) -> Run:
    """Go through a session. It ends at the first request that is refused."""
    provider = FakeProvider(Working(2, 1), window=WINDOW, ratio=counting.ratio, overhead=counting.overhead)
    talk = Conversation(
        dialect=dialect, system=SYSTEM, window=WINDOW, policy=Policy(strategy=strategy), **FRAMES[dialect]
    )
    if strategy == "summarize":
        talk.summarizer = Extractive()
    run, started = Run(), time.perf_counter()
    for turn in range(turns):
        talk.user(f"Question {turn}: what is in the files?")
        async for calls in _steps(talk, provider, dialect, run):
            for number, id in enumerate(calls):
                talk.result(id, output(turn * 10 + number))
        if run.refused:
            break
    run.seconds = time.perf_counter() - started
    return run


async def _steps(talk: Conversation, provider: FakeProvider, dialect: str, run: Run) -> AsyncIterator[list[str]]:
    """Ask until the model calls nothing more; gives the calls that are to be made in between."""
    while True:
        fitted = await talk.fit_async()
        response = await asked(provider, PATHS[dialect], fitted.body())
        run.refused += [refusal.says for refusal in provider.refused]
        if provider.refused:
            return
        provider.served[-1] = msgspec.structs.replace(provider.served[-1], body={})  # thousands would fill the memory
        reported = reported_input(dialect, response)
        ours = fitted.tokens if fitted.report is None else fitted.report.tokens_after
        run.errors.append((ours - reported) / reported)
        run.requests, run.last = run.requests + 1, reported
        run.fits += fitted.report is not None and fitted.report.reason is not FitReason.REPAIRED
        calls = take(talk, dialect, response)
        if not calls:
            return
        yield calls


def take(talk: Conversation, dialect: str, response: dict[str, Any]) -> list[str]:
    """Append an answer as an agent does, with what was reported for it, and give the calls to be made."""
    talk.answered(response["usageMetadata"] if dialect == "gemini" else response["usage"])
    messages = {
        "openai_chat": lambda: [response["choices"][0]["message"]],
        "openai_responses": lambda: response["output"],
        "anthropic": lambda: [{"role": "assistant", "content": response["content"]}],
        "gemini": lambda: [response["candidates"][0]["content"]],
    }[dialect]()
    return [call.id for message in talk.add_all(messages) for call in message.calls]


def reported_input(dialect: str, response: Mapping[str, Any]) -> int:
    """Give the tokens of a request as the provider's documentation says they are to be read."""
    if dialect == "gemini":
        return response["usageMetadata"]["promptTokenCount"]
    usage = response["usage"]
    if dialect == "anthropic":
        return usage["input_tokens"] + usage["cache_read_input_tokens"] + usage["cache_creation_input_tokens"]
    return usage["prompt_tokens" if dialect == "openai_chat" else "input_tokens"]


def output(number: int) -> str:
    """Give a tool's output: 20 to 1,800 tokens, one in forty 9,000; no two are alike."""
    dice = random.Random(number)
    size = 9_000 if number % 40 == 11 else dice.randrange(20, 1_800)
    return f"{number}: {passage(KINDS[number % len(KINDS)], size, number)}"


async def asked(provider: FakeProvider, path: str, body: bytes) -> dict[str, Any]:
    """Send a request body to an ASGI application, and give the body of its response."""
    sent: list[bytes] = []

    async def receive() -> MutableMapping[str, Any]:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message.get("body", b""))

    await provider({"type": "http", "method": "POST", "path": path}, receive, send)
    return json.loads(b"".join(sent))

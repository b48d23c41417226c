"""Long runs in every dialect against a provider that counts otherwise than we do: none is refused, and counts agree."""

from __future__ import annotations

import os
import random
from typing import Any

import pytest

from unabridged import Conversation, Policy
from unabridged.testing import Chaotic, FakeProvider, Working

TURNS = int(os.environ.get("UNABRIDGED_TURNS", "60"))
"""Of each run; `make verify-turns` has 3,000."""
CLOSE = 0.02
DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
FRAMES: dict[str, dict[str, Any]] = {
    "openai_chat": {"model": "gpt-5"},
    "openai_responses": {"model": "gpt-5"},
    "anthropic": {"model": "claude-opus-5", "max_tokens": 1_000},
    "gemini": {},
}


def output(tokens: int, seed: str) -> str:
    letters = random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz", k=tokens)
    return " ".join(letter if place % 40 else f"\n{letter}" for place, letter in enumerate(letters))


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_long_run_is_never_refused_and_its_counts_are_the_providers(dialect: str, strategy: str) -> None:
    provider = FakeProvider(Working(2, 1), window=24_000, ratio=1.2, overhead=350)
    talk = Conversation(
        dialect=dialect, system="Be careful.", window=24_000, policy=Policy(strategy=strategy), **FRAMES[dialect]
    )
    off: list[float] = []
    for turn in range(TURNS):
        talk.user(f"Question {turn}: what is in the files?")
        while True:
            fitted = talk.fit()
            response = provider.answer(dialect, fitted.request())
            counted = provider.served[-1].tokens
            off.append(abs(fitted.tokens - counted) / counted)
            calls = take(talk, dialect, response)
            if not calls:
                break
            for id in calls:
                talk.result(id, output(900, f"{turn}{id}"))
    assert provider.refused == []
    assert len(provider.served) == 3 * TURNS
    assert max(off[10:]) <= CLOSE
    assert provider.served[-1].tokens <= 24_000 * 4 // 5


def take(talk: Conversation, dialect: str, response: dict[str, Any]) -> list[str]:
    """Append an answer as an agent does, with what was reported for it, and give the calls to be made."""
    reported = response["usageMetadata"] if dialect == "gemini" else response["usage"]
    talk.answered(reported)
    messages = {
        "openai_chat": lambda: [response["choices"][0]["message"]],
        "openai_responses": lambda: response["output"],
        "anthropic": lambda: [{"role": "assistant", "content": response["content"]}],
        "gemini": lambda: [response["candidates"][0]["content"]],
    }[dialect]()
    added = talk.add_all(messages)
    return [call.id for message in added for call in message.calls]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chaotic_model_never_leaves_a_session_that_its_provider_refuses(dialect: str) -> None:
    provider = FakeProvider(Chaotic(7), window=12_000, ratio=1.1)
    talk = Conversation(dialect=dialect, window=12_000, **FRAMES[dialect])
    for turn in range(TURNS * 2):
        talk.user(f"Question {turn}: {output(60, str(turn))}")
        response = provider.answer(dialect, talk.fit().request())
        if "error" in response:
            continue
        for place, id in enumerate(take(talk, dialect, response)):
            if place % 3 != 2:  # every third call is never answered
                talk.result(id, output(300, f"{turn}{place}"))
    refused = [each for each in provider.refused if each.status == 400]
    assert refused == []
    assert len(provider.served) > TURNS

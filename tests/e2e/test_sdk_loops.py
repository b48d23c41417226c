"""Whole loops with the official SDKs, over real HTTP, against a provider that enforces its window."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest

from tests.e2e.provider import Json, Provider, Script
from tests.shared import REPOSITORY
from unabridged import Conversation
from unabridged.entry import ReportEntry

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string", "description": "Which file."}}}
TURNS = 60


def output(tokens: int, seed: str) -> str:
    """Text of about this many tokens in few characters, with lines."""
    letters = random.Random(seed).choices("abcdefghijklmnopqrstuvwxyz", k=tokens)
    return " ".join(letter if place % 40 else f"\n{letter}" for place, letter in enumerate(letters))


def works(*steps: int) -> Script:
    """A model that reads so many files in each step of a turn, then answers."""

    def script(number: int, body: Json) -> list[Json] | str:
        done = 0
        for message in reversed(body["messages"]):
            if message["role"] == "user" and isinstance(message["content"], str):
                break
            done += message["role"] == "assistant"
        if done == len(steps):
            return f"Done with step {number}."
        return [call(f"call_{number}_{name}", f"{name}.py") for name in "abc"[: steps[done]]]

    return script


def call(id: str, path: str) -> Json:
    return {"id": id, "name": "read", "arguments": {"path": path}}


def readme_loop() -> str:
    """The loop that the README shows, word for word."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", (REPOSITORY / "README.md").read_text(), re.DOTALL)
    (block,) = [block for block in blocks if "client." in block]
    return block


def fits(talk: Conversation) -> int:
    return sum(isinstance(entry.payload, ReportEntry) for entry in talk.transcript.log.entries)


def test_the_loop_of_the_readme_goes_on_past_the_window() -> None:
    tools = [{"type": "function", "function": {"name": "read", "parameters": PARAMETERS}}]
    with Provider("openai_chat", 272_000, works(2)) as provider, openai_client(provider) as client:
        read = output_of(12_000)
        names: dict[str, Any] = {"client": client, "tools": tools, "run_tool": lambda _, arguments: read(arguments)}
        exec(readme_loop(), names)
        answers = [names["turn"](f"Question {number}.") for number in range(TURNS)]
        assert provider.refusals == []
    assert len(provider.sizes) == 2 * TURNS
    assert max(provider.sizes) < 217_600
    assert answers[-1] == f"Done with step {2 * TURNS - 1}."
    talk = names["talk"]
    assert talk.transcript.total.text.tokens > 3 * 272_000
    assert 2 <= fits(talk) <= TURNS // 3


def test_the_same_loop_with_a_plain_list_is_refused() -> None:
    with Provider("openai_chat", 20_000, works(2, 1)) as provider, openai_client(provider) as client:
        with pytest.raises(openai.BadRequestError, match="maximum context length is 20000 tokens"):
            plain_loop(client)
        assert len(provider.refusals) == 1


def plain_loop(client: openai.OpenAI) -> None:
    messages: list[Any] = [{"role": "user", "content": "Question."}]
    for number in range(100):
        message = client.chat.completions.create(model="gpt-5", messages=messages).choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        for asked in message.tool_calls or ():
            messages.append({"role": "tool", "tool_call_id": asked.id, "content": output(900, asked.id)})
        if not message.tool_calls:
            messages.append({"role": "user", "content": f"Question {number}."})


def test_a_list_cut_by_hand_is_refused_for_its_structure() -> None:
    with Provider("openai_chat", 20_000, works(2, 1)) as provider, openai_client(provider) as client:
        orphan: Any = [{"role": "tool", "tool_call_id": "c1", "content": "a.py"}, {"role": "user", "content": "On."}]
        with pytest.raises(openai.BadRequestError, match="must be a response to a prece"):
            client.chat.completions.create(model="gpt-5", messages=orphan)


@pytest.mark.parametrize(("window", "size"), [(200_000, 4_000), (8_000, 2_500)])
def test_a_loop_with_anthropic_goes_on_past_the_window(window: int, size: int) -> None:
    tools = [{"name": "read", "input_schema": PARAMETERS}]
    talk = Conversation(
        dialect="anthropic", model="claude-opus-5", system="Be careful.", tools=tools, max_tokens=1_000, window=window
    )
    read = output_of(size)
    with Provider("anthropic", window, works(2, 1)) as provider, anthropic_client(provider) as client:
        for number in range(TURNS):
            talk.user(f"Question {number}.")
            while True:
                answer = client.messages.create(**talk.fit().request())
                talk.answered(answer.usage.model_dump())
                content = [block.model_dump(exclude_none=True) for block in answer.content]
                talk.add({"role": "assistant", "content": content})
                calls = [block for block in answer.content if block.type == "tool_use"]
                if not calls:
                    break
                for asked in calls:
                    talk.result(asked.id, read(json.dumps(asked.input)))
        assert provider.refusals == []
    assert len(provider.sizes) == 3 * TURNS
    assert max(provider.sizes) < window * 4 // 5
    assert talk.transcript.total.text.tokens > 3 * window


def test_a_window_that_is_smaller_than_believed_costs_one_refusal() -> None:
    talk = Conversation(model="gpt-5", window=100_000)
    with Provider("openai_chat", 16_000, works(2, 1)) as provider, openai_client(provider) as client:
        for number in range(20):
            talk.user(f"Question {number}.")
            while True:
                fitted = talk.fit()
                try:
                    answer = client.chat.completions.create(**fitted.request())
                except openai.BadRequestError as refusal:
                    named = re.search(r"maximum context length is (\d+) tokens", str(refusal))
                    assert named is not None
                    answer = client.chat.completions.create(**talk.overflowed(int(named[1])).request())
                assert answer.usage is not None
                talk.answered(answer.usage.model_dump())
                message = answer.choices[0].message
                talk.add(message.model_dump(exclude_none=True))
                if not message.tool_calls:
                    break
                for asked in message.tool_calls:
                    talk.result(asked.id, output(700, asked.id))
        assert len(provider.refusals) == 1
        assert len(provider.sizes) == 60


def output_of(size: int) -> Callable[[str], str]:
    """A tool whose outputs differ, and now and then are far larger."""
    turns = iter(range(10_000))

    def read(arguments: str) -> str:
        turn = next(turns)
        return output(size * (10 if turn % 25 == 24 else 1), f"{turn}{arguments}")

    return read


def openai_client(provider: Provider) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{provider.url}/v1", api_key="none", max_retries=0)


def anthropic_client(provider: Provider) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=provider.url, api_key="none", max_retries=0)

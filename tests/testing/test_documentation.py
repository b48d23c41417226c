"""The examples of docs/testing.md, run as they stand; what a reader brings along stands in for itself here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import openai
import pytest

from tests.shared import REPOSITORY
from unabridged import Conversation
from unabridged.testing import violations
from unabridged.testing.strategies import Fault
from unabridged.testing.strategies import __all__ as strategies

PAGE = (REPOSITORY / "docs" / "testing.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def my_agent(client: openai.OpenAI) -> None:
    talk = Conversation(model="gpt-5", window=32_000)
    for _ in range(6):
        talk.user("Go on.")
        calls = True
        while calls:
            answer = client.chat.completions.create(**talk.fit().request())
            message = answer.choices[0].message
            talk.add(message.model_dump(exclude_none=True))
            assert answer.usage is not None
            talk.answered(answer.usage.model_dump())
            calls = message.tool_calls
            for call in calls or ():
                talk.result(call.id, "line\n" * 6_000)


def my_agent_goes_on(messages: list[Any]) -> None:
    talk = Conversation(model="gpt-5", window=32_000)
    talk.add_all(messages)
    assert violations("openai_chat", talk.fit().body()) == []


BROUGHT_ALONG: dict[str, Callable[..., Any]] = {
    "my_agent": my_agent,
    "my_agent_goes_on": my_agent_goes_on,
    "my_compaction": lambda messages: messages,
    "my_log_writes": json.dumps,
    "my_log_reads": json.loads,
}


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_does_what_it_says(block: str) -> None:
    names: dict[str, Any] = dict(BROUGHT_ALONG)
    exec(block, names)
    for test in [value for name, value in names.items() if name.startswith("test_")]:
        test()


def test_the_page_names_every_strategy_and_every_fault() -> None:
    named = {name for name in strategies if name.islower()} | {fault.name for fault in Fault}
    assert [name for name in sorted(named) if f"`{name}" not in PAGE] == []

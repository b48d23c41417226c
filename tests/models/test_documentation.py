"""The examples of docs/models.md, run as they stand."""

from __future__ import annotations

import re
from typing import Any

import openai
import pytest

from tests.shared import REPOSITORY
from unabridged import Conversation
from unabridged.models.overflow import ErrorKind
from unabridged.models.truncation import CutReason
from unabridged.testing import FakeProvider, Scripted, serving

PAGE = (REPOSITORY / "docs" / "models.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_an_example_does_what_it_says(block: str) -> None:
    exec(block, {})


def test_the_loop_gets_its_answer_from_a_server_with_a_smaller_window_than_believed() -> None:
    names: dict[str, Any] = {}
    exec(next(block for block in BLOCKS if "def answer" in block), names)
    talk = Conversation(model="m", window=128_000)
    for part in range(6):
        talk.user(f"Part {part}: " + "word " * 1_000)
        talk.add({"role": "assistant", "content": "Noted."})
    talk.user("Go on.")
    provider = FakeProvider(Scripted([]), window=4_000)
    with serving(provider) as url, openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        assert names["answer"](talk, client.chat.completions.create).choices
    assert [refused.status for refused in provider.refused] == [400]


def test_the_page_explains_every_kind_and_every_reason() -> None:
    assert [name for name in (*ErrorKind, *CutReason) if f"| `{name}` |" not in PAGE] == []

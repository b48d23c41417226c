"""Counting: pictures, base64, caches, schemas."""

from __future__ import annotations

import base64
import json
import random

import pytest

from tests.scene import Scene
from tests.verify.payload import count
from unabridged import Conversation
from unabridged.policy import Policy
from unabridged.testing import FakeProvider, Scripted
from unabridged.testing.notation import png, say, tokens
from unabridged.testing.passages import passage
from unabridged.tokens.estimate import EstimateCounter
from unabridged.transcript import Transcript


def test_a_picture_of_three_megabytes_does_not_fill_a_new_chat() -> None:
    heavy = png(1_600, 1_200) + random.Random(7).randbytes(3_000_000)
    url = f"data:image/png;base64,{base64.b64encode(heavy).decode()}"
    talk = Conversation(model="m", system="Be brief.", window=128_000)
    talk.add(
        {
            "role": "user",
            "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": url}}],
        }
    )
    fitted = talk.fit()
    assert fitted.report is None
    assert 1_000 < fitted.tokens < 5_000


def test_base64_in_a_text_counts_as_what_the_model_is_sent() -> None:
    data = "data:image/png;base64," + base64.b64encode(random.Random(7).randbytes(30_000)).decode()
    scene = Scene("U:task A[c1]", window=1_000_000)
    talk = Conversation(model="m", window=1_000_000)
    talk.user("Read it.")
    talk.add(
        {
            "role": "assistant",
            "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "r", "arguments": "{}"}}],
        }
    )
    talk.result("c1", data)
    assert talk.fit().tokens >= count(data) + scene.fit().tokens - 40


def test_forty_five_pictures_are_not_free() -> None:
    scene = Scene("U:task " + "U{img}:look A:seen " * 45 + "U:next", window=128_000)
    assert scene.fit().tokens > 45 * 600


def test_what_came_from_the_cache_counts() -> None:
    talk = Conversation(dialect="anthropic", model="m", window=8_000)
    talk.user("Go.")
    talk.add({"role": "assistant", "content": tokens(5_800)})
    talk.user("On.")
    assert talk.fit().report is None
    talk.answered({"input_tokens": 3, "cache_read_input_tokens": 6_900, "output_tokens": 40})
    talk.user("And on.")
    report = talk.fit().report
    assert report is not None
    assert report.tokens_before > 6_900


def test_fifty_tool_schemas_count() -> None:
    parameters = {"type": "object", "properties": {"path": {"type": "string", "description": tokens(25)}}}
    tools = [
        {"type": "function", "function": {"name": f"tool_{number}", "parameters": parameters}} for number in range(50)
    ]
    script = "U:task " + "U:q:100 A:a:600 " * 7 + "U:next"
    assert Scene(script).fit().report is None
    fitted = Scene(script, tools=tools).fit()
    assert fitted.report is not None
    schemas = sum(count(json.dumps(tool, separators=(",", ":"))) for tool in tools)
    assert fitted.report.tokens_before >= Scene(script).fit().tokens + schemas


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("kind", ["cjk", "emoji", "marks", "json", "hex", "base64", "digits", "escapes", "special"])
def test_no_kind_of_text_fills_a_window_unnoticed(kind: str, exact: bool) -> None:
    provider = FakeProvider(Scripted([]), window=16_000)
    transcript = Transcript() if exact else Transcript(counter=EstimateCounter())
    scene = Scene("U:task", window=16_000, transcript=transcript)
    talk = Conversation(model="m")
    for number in range(24):
        talk.user(passage(kind, 600, number))
        talk.add({"role": "assistant", "content": passage(kind, 900, number + 50)})
    for record in talk.transcript.records:
        scene.transcript.append(record.message)
        fitted = scene.fit()
        assert "error" not in provider.answer("openai_chat", fitted.request())
    assert scene.transcript.reports


@pytest.mark.parametrize("special", ["<|endoftext|>", "<|im_start|>", "<|fim_prefix|>", "<|endofprompt|>"])
def test_a_special_token_in_a_fetched_page_is_text(special: str) -> None:
    talk = Conversation(model="m", window=8_000)
    say(talk, "U:task A[c1]")
    talk.result("c1", f"The page says {special} and goes on.")
    before = talk.fit()
    assert special in before.messages()[-1]["content"]
    say(talk, "A:done U:next")
    assert talk.fit().tokens > before.tokens


def test_an_undercount_is_learned_from_a_refusal() -> None:
    provider = FakeProvider(Scripted([]), window=16_000, ratio=1.3)
    talk = Conversation(model="m", window=16_000, policy=Policy(threshold=0.95, target=0.94))
    talk.user("Go.")
    refused = 0
    for number in range(40):
        talk.add({"role": "assistant", "content": passage("json", 700, number)})
        talk.user("On.")
        fitted = talk.fit()
        while "error" in provider.answer("openai_chat", fitted.request()):
            refused += 1
            fitted = talk.overflowed()
    assert 1 <= refused <= 3

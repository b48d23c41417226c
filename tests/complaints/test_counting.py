"""Counting: pictures, base64, caches, schemas."""

from __future__ import annotations

import base64
import json
import random

from tests.notation import png, tokens
from tests.scene import Scene
from tests.verify.payload import count
from unabridged import Conversation


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

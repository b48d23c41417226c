"""Whose request is it: what decides between OpenAI and Anthropic, and what decides first."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.importers.sessions import Json, call, result
from unabridged.importers import read_bytes

HI: Json = {"role": "user", "content": "Hi"}
PICTURE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aWNvbg=="}}
FUNCTION = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def said(*blocks: Json, role: str = "user") -> Json:
    return {"messages": [HI, {"role": role, "content": list(blocks)}]}


def dialect(request: Any) -> str:
    (conversation,) = read_bytes(json.dumps(request).encode(), "log.json")
    return conversation.dialect


@pytest.mark.parametrize(
    "request_",
    [
        said(call("c1"), role="assistant"),
        said(result("c1")),
        said(PICTURE),
        said({"type": "thinking", "thinking": "Hm", "signature": "c2ln"}, role="assistant"),
        said({"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}, role="assistant"),
        {"messages": [HI], "system": "Be brief."},
        {"messages": [HI], "anthropic_version": "2023-06-01"},
        {"messages": [HI], "tools": [{"name": "look", "input_schema": {"type": "object"}}]},
        {"messages": [HI], "max_tokens": 9},
    ],
)
def test_it_is_anthropics(request_: Any) -> None:
    assert dialect(request_) == "anthropic"


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [HI]},
        [HI],
        {"messages": [HI], "max_tokens": 9, "n": 1},
        {"messages": [HI], "max_tokens": 9, "tools": [{"type": "function", "function": {"name": "look"}}]},
        {"messages": [{"role": "system", "content": "Be brief."}, HI], "max_tokens": 9},
        {"messages": [HI, {"role": "assistant", "content": None, "tool_calls": [FUNCTION]}], "max_tokens": 9},
        {"messages": [HI, {"role": "tool", "tool_call_id": "c1", "content": "done"}], "max_tokens": 9},
        said({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}) | {"max_tokens": 9},
        said({"type": "thinking", "thinking": [{"type": "text", "text": "Hm"}]}, role="assistant"),
    ],
)
def test_it_is_openais(request_: Any) -> None:
    assert dialect(request_) == "openai_chat"


def test_in_a_mixed_file_each_request_decides_for_itself_and_the_first_that_can_for_the_others() -> None:
    plain, anthropic, openai = {"messages": [HI]}, said(result("c1")), {"messages": [HI], "n": 1}
    data = "\n".join(map(json.dumps, [plain, anthropic, openai, plain])).encode()

    dialects = [conversation.dialect for conversation in read_bytes(data, "log.jsonl")]
    assert dialects == ["anthropic", "anthropic", "openai_chat", "anthropic"]

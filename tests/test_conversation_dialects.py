"""A conversation with each provider: whole loops of questions, calls and results, as the official SDKs take them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.genai.types import Content, GenerateContentConfig
from openai.types.responses import ResponseCreateParams, ToolParam
from pydantic import TypeAdapter

from tests.wire.sdk import accept, walk
from unabridged.conversation import Conversation
from unabridged.framing import frame_of
from unabridged.message import Role
from unabridged.testing import violations

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
OUTPUT = [
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"},
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
    },
    {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": '{"path":"a.py"}'},
    {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "gAAB"},
    {"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "read", "arguments": '{"path":"b.py"}'},
]
ANSWER = {
    "role": "model",
    "parts": [
        {"text": "I look."},
        {"functionCall": {"id": "c1", "name": "read", "args": {"path": "a.py"}}, "thoughtSignature": "c2ln"},
        {"functionCall": {"id": "c2", "name": "read", "args": {"path": "b.py"}}},
    ],
}


def responses_accept(request: dict[str, Any]) -> None:
    """Raise where the SDK's types would not let a request be made."""
    TypeAdapter(ResponseCreateParams).validate_python(request)  # looks at items only when they are asked for
    for item in request["input"]:
        accept("openai_responses", json.dumps(item))
    for tool in request["tools"]:
        walk(TypeAdapter(ToolParam).validate_python(tool))
    assert violations("openai_responses", request) == []


def gemini_accept(request: dict[str, Any]) -> None:
    """Raise where the SDK's types would not let a request be made."""
    assert set(request) == {"model", "contents", "config"}
    for content in request["contents"]:
        Content.model_validate(content)
    GenerateContentConfig.model_validate(request["config"])
    assert violations("gemini", request) == []


@pytest.mark.parametrize("window", [400_000, 4_000])
def test_a_loop_over_responses(window: int) -> None:
    tool = {"type": "function", "name": "read", "parameters": SCHEMA, "strict": False}
    talk = Conversation(
        dialect="openai_responses", model="gpt-5", system="Be careful.", tools=[tool], store=False, window=window
    )
    talk.user("Fix the failing test.")
    for turn in range(9):
        items = [_numbered(item, turn) for item in OUTPUT]
        for part in [items] if turn % 2 else [[item] for item in items]:  # all at once, or one by one
            talk.add_all(part)
        talk.result(f"c1_{turn}", "line " * 300)
        talk.result(f"c2_{turn}", "line " * 300)
        fitted = talk.fit()
        request = fitted.request()
        responses_accept(request)
        assert request["instructions"] == "Be careful."
        talk.answered({"input_tokens": fitted.tokens, "output_tokens": 9})
    assert [message.role for message in (record.message for record in talk.transcript.records)][:3] == [
        Role.USER,
        Role.ASSISTANT,
        Role.ASSISTANT,
    ]


def _numbered(item: dict[str, Any], turn: int) -> dict[str, Any]:
    return item | {key: f"{item[key]}_{turn}" for key in ("id", "call_id") if key in item}


@pytest.mark.parametrize("window", [400_000, 4_000])
def test_a_loop_over_gemini(window: int) -> None:
    tool = {"functionDeclarations": [{"name": "read", "parametersJsonSchema": SCHEMA}]}
    talk = Conversation(
        dialect="gemini",
        model="gemini-3-pro",
        system="Be careful.",
        tools=[tool],
        config={"temperature": 1},
        window=window,
    )
    talk.user("Fix the failing test.")
    for _ in range(9):
        talk.add(ANSWER)
        talk.result("c2", "line " * 300)
        talk.result("c1", "line " * 300, is_error=True)
        fitted = talk.fit()
        request = fitted.request()
        gemini_accept(request)
        assert request["config"]["systemInstruction"] == {"parts": [{"text": "Be careful."}]}
        assert request["config"]["temperature"] == 1
        talk.answered({"promptTokenCount": fitted.tokens, "candidatesTokenCount": 9})


def test_a_gemini_frame_without_config_is_what_the_rest_interface_takes() -> None:
    frame = frame_of("gemini", system="Be careful.", tools=[{"googleSearch": {}}], generationConfig={"topK": 1})
    assert [name for name, _ in frame.fields] == ["generationConfig", "tools", "systemInstruction"]


def test_several_messages_can_be_added_at_once_in_any_dialect() -> None:
    talk = Conversation(dialect="anthropic", model="m", max_tokens=100)
    added = talk.add_all([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}])
    assert [message.text for message in added] == ["a", "b"]
    assert len({message.id for message in added}) == 2


def test_system_items_that_lead_what_is_added_are_transcript() -> None:
    talk = Conversation(dialect="openai_responses", model="m")
    added = talk.add_all([{"role": "developer", "content": "a"}, {"role": "user", "content": "b"}])
    assert [message.role for message in added] == [Role.SYSTEM, Role.USER]

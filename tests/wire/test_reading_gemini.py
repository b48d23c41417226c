"""What Gemini contents are read as."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest

from unabridged.errors import BadInput
from unabridged.message import (
    Media,
    MediaKind,
    Message,
    Opaque,
    Origin,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.wire import wire

BLOB = b"some bytes"
DATA = base64.b64encode(BLOB).decode()
DIGEST = hashlib.sha256(BLOB).hexdigest()
GEMINI = wire("gemini")


def read(*parts: object, role: str | None = "model") -> Message:
    content = {"parts": parts} if role is None else {"role": role, "parts": parts}
    return GEMINI.read_message(json.dumps(content), id="m")[0]


def part(value: object) -> Part:
    (only,) = read(value).parts
    return only


def response(value: object, **more: Any) -> ToolResult:
    found = part({"functionResponse": {"name": "f", "response": value, **more}})
    assert isinstance(found, ToolResult)
    return found


@pytest.mark.parametrize(
    ("role", "expected", "origin"),
    [
        ("user", Role.USER, Origin.HUMAN),
        (None, Role.USER, Origin.HUMAN),
        ("model", Role.ASSISTANT, Origin.MODEL),
        ("function", Role.TOOL, Origin.TOOL_FEEDBACK),
        ("tool", Role.TOOL, Origin.TOOL_FEEDBACK),
    ],
)
def test_roles(role: str | None, expected: Role, origin: Origin) -> None:
    message = read({"text": "a"}, role=role)
    assert (message.role, message.origin) == (expected, origin)


def test_a_users_turn_of_results_alone_is_feedback() -> None:
    result = {"functionResponse": {"name": "f", "response": {}}}
    assert read(result, result, role="user").origin is Origin.TOOL_FEEDBACK
    assert read(result, {"text": "and"}, role="user").origin is Origin.HUMAN


def test_texts_and_thoughts() -> None:
    assert part({"text": "a"}) == Text("a")
    assert part({"text": ""}) == Text("")
    assert part({"text": "hm", "thought": True}) == Reasoning("hm")
    assert part({"text": "hm", "thought": True, "thoughtSignature": "c2ln"}) == Reasoning("hm", "c2ln")


def test_a_signature_beside_data_is_a_part_of_its_own() -> None:
    signed = Reasoning(signature="c2ln", redacted=True)
    assert read({"text": "a", "thoughtSignature": "c2ln"}).parts == (signed, Text("a"))
    call = {"functionCall": {"name": "f", "args": {}}, "thought_signature": "c2ln"}
    assert read(call).parts == (signed, ToolCall("f", "f", "{}"))


def test_a_text_without_a_word_is_there_for_its_signature() -> None:
    assert part({"text": "", "thoughtSignature": "c2ln"}) == Reasoning(signature="c2ln", redacted=True)


@pytest.mark.parametrize(
    "nothing",
    ["", "skip_thought_signature_validator", base64.b64encode(b"context_engineering_is_the_way_to_go").decode()],
)
def test_what_stands_for_a_signature_that_is_not_to_be_had_is_no_thought(nothing: str) -> None:
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": nothing}
    assert read(call).parts == (ToolCall("f", "f", "{}"),)


def test_calls_have_ids_or_go_by_the_name_of_their_function() -> None:
    assert part({"functionCall": {"id": "c1", "name": "f", "args": {"a": 1}}}) == ToolCall("c1", "f", '{"a": 1}')
    assert part({"function_call": {"name": "f"}}) == ToolCall("f", "f", "")
    assert response({}, id="c1").call_id == "c1"
    assert response({}).call_id == "f"


@pytest.mark.parametrize(
    ("value", "texts", "failed"),
    [
        ({"output": "done"}, ["done"], False),
        ({"error": "no"}, ["no"], True),
        ({"result": "done"}, ["done"], False),
        ({"output": {"a": 1}}, ['{"a": 1}'], False),
        ({"a": 1, "b": "x"}, ['{"a": 1, "b": "x"}'], False),
        ({"output": "a", "error": "b"}, ['{"output": "a", "error": "b"}'], False),
        ({"files": ["a"]}, ['{"files": ["a"]}'], False),
        ({"output": "a", "context": ["b", "c"]}, ["a", "b", "c"], False),
        ({"output": "a", "context": [1]}, ['{"output": "a", "context": [1]}'], False),
        ({"output": ""}, [], False),
        ({}, [], False),
        (None, [], False),
    ],
)
def test_what_a_function_gave_back_is_read_as_text(value: object, texts: list[str], failed: bool) -> None:
    assert response(value) == ToolResult("f", tuple(map(Text, texts)), failed)


def test_media_of_a_result_come_behind_its_text() -> None:
    inline = {"inlineData": {"mimeType": "image/png", "data": DATA}}
    picture = Media(kind=MediaKind.IMAGE, mime="image/png", digest=DIGEST, size=len(BLOB))
    assert response({"output": "see"}, parts=[inline]).parts == (Text("see"), picture)


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        ("image/png", MediaKind.IMAGE),
        ("audio/wav", MediaKind.AUDIO),
        ("video/mp4", MediaKind.VIDEO),
        ("application/pdf", MediaKind.DOCUMENT),
        ("text/plain", MediaKind.DOCUMENT),
    ],
)
def test_media_are_what_their_type_says(mime: str, kind: MediaKind) -> None:
    inline = Media(kind=kind, mime=mime, digest=DIGEST, size=len(BLOB))
    assert part({"inlineData": {"mimeType": mime, "data": DATA}}) == inline
    assert part({"inline_data": {"mime_type": mime, "data": DATA}}) == inline
    assert part({"fileData": {"mimeType": mime, "fileUri": "gs://a/b"}}) == Media(kind=kind, mime=mime, url="gs://a/b")


def test_a_link_to_a_video_needs_no_type() -> None:
    url = "https://www.youtube.com/watch?v=x"
    assert part({"fileData": {"fileUri": url}}) == Media(kind=MediaKind.VIDEO, url=url)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"executableCode": {"code": "1"}, "thoughtSignature": "c2ln"}, "executableCode"),
        ({"codeExecutionResult": {"output": "1"}}, "codeExecutionResult"),
        ({"toolCall": {"id": "x"}, "thoughtSignature": "c2ln"}, "toolCall"),
        ({"functionCall": {"args": {}}}, "functionCall"),
        ({"hologram": 1}, "hologram"),
        ({"thought": True}, ""),
        ({}, ""),
    ],
)
def test_parts_that_we_do_not_read_are_kept_whole(value: object, kind: str) -> None:
    assert part(value) == Opaque(kind, json.dumps(value))


def test_one_string_is_short_for_what_a_user_says() -> None:
    _, (message,), _ = GEMINI.read_request(b'{"contents":"hello"}', id_prefix="r")
    assert (message.role, message.parts) == (Role.USER, (Text("hello"),))


def test_what_is_no_content_is_refused() -> None:
    with pytest.raises(BadInput, match='message m has the unknown `role` "system"'):
        read({"text": "a"}, role="system")
    with pytest.raises(BadInput, match="a content is no JSON object"):
        GEMINI.read_request(b'{"contents":[{"role":"user"},7]}', id_prefix="r")

"""What Anthropic messages are read as."""

from __future__ import annotations

import json

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


def read(message: object) -> Message:
    body = message if isinstance(message, str) else json.dumps(message)
    return wire("anthropic").read_message(body, id="m")[0]


def read_block(block: object) -> Part:
    (part,) = read({"role": "user", "content": [block]}).parts
    return part


def test_a_string_is_one_text() -> None:
    assert read({"role": "user", "content": "hello"}).parts == (Text("hello"),)


@pytest.mark.parametrize("content", ["", [], None])
def test_content_that_says_nothing_has_no_parts(content: object) -> None:
    assert read({"role": "user", "content": content}).parts == ()


def test_content_may_be_missing() -> None:
    assert read({"role": "user"}).parts == ()


def test_thoughts_carry_their_signature() -> None:
    assert read_block({"type": "thinking", "thinking": "hm", "signature": "Eq=="}) == Reasoning("hm", "Eq==")


def test_an_empty_signature_is_none() -> None:
    assert read_block({"type": "thinking", "thinking": "hm", "signature": ""}) == Reasoning("hm")


def test_redacted_thoughts_are_a_signature_without_a_text() -> None:
    assert read_block({"type": "redacted_thinking", "data": "Em=="}) == Reasoning(signature="Em==", redacted=True)


def test_arguments_are_the_exact_text_of_the_input() -> None:
    text = '{ "n" : 1.0e5, "n": 2, "s":"\\u00e9\\ud800" }'
    body = '{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":  ' + text + " }]}"
    assert read(body).calls == (ToolCall("t", "f", text),)


def test_a_result_may_be_a_string() -> None:
    block = {"type": "tool_result", "tool_use_id": "t", "content": "done"}
    assert read_block(block) == ToolResult("t", (Text("done"),))


def test_a_result_may_be_a_list_and_an_error() -> None:
    reference = {"type": "tool_reference", "tool_name": "f"}
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    content = [{"type": "text", "text": "done"}, image, reference]
    block = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": content}
    assert read_block(block) == ToolResult(
        "t",
        (
            Text("done"),
            Media(kind=MediaKind.IMAGE, url="https://example.org/a.png"),
            Opaque("tool_reference", json.dumps(reference)),
        ),
        is_error=True,
    )


@pytest.mark.parametrize("content", [{}, {"content": ""}, {"content": []}, {"content": None}])
def test_a_result_without_output_has_no_parts(content: dict[str, object]) -> None:
    assert read_block({"type": "tool_result", "tool_use_id": "t", **content}) == ToolResult("t")


def test_a_file_that_the_provider_keeps_is_media_known_by_its_id() -> None:
    block = {"type": "document", "source": {"type": "file", "file_id": "file_1"}}
    assert read_block(block) == Media(kind=MediaKind.DOCUMENT, url="file_1")


@pytest.mark.parametrize(
    ("kind", "block"),
    [
        ("server_tool_use", {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}),
        ("web_search_tool_result", {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}),
        ("search_result", {"type": "search_result", "source": "x", "title": "y", "content": []}),
        ("container_upload", {"type": "container_upload", "file_id": "file_1"}),
        ("compaction", {"type": "compaction", "content": None}),
        ("document", {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "x"}}),
        ("text", {"type": "text", "text": None}),
        ("thinking", {"type": "thinking"}),
        ("toolUse", {"toolUse": {"toolUseId": "t", "name": "f", "input": {}}}),
        ("", "a string in place of a block"),
    ],
)
def test_what_is_not_understood_is_kept_verbatim(kind: str, block: object) -> None:
    assert read_block(block) == Opaque(kind, json.dumps(block))


def test_the_last_of_two_members_of_one_name_counts() -> None:
    assert read('{"role":"user","content":"no","content":[{"type":"text","text":"a","text":"b"}]}').parts == (
        Text("b"),
    )


@pytest.mark.parametrize(
    ("message", "role", "origin"),
    [
        ({"role": "user", "content": "hi"}, Role.USER, Origin.HUMAN),
        ({"role": "user", "content": []}, Role.USER, Origin.HUMAN),
        ({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}, Role.USER, Origin.TOOL_FEEDBACK),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}, {"type": "text", "text": "go"}]},
            Role.USER,
            Origin.HUMAN,
        ),
        ({"role": "assistant", "content": "hi"}, Role.ASSISTANT, Origin.MODEL),
        ({"role": "system", "content": "hi"}, Role.SYSTEM, Origin.INJECTED),
    ],
)
def test_role_and_origin_follow_from_the_message(message: object, role: Role, origin: Origin) -> None:
    assert (read(message).role, read(message).origin) == (role, origin)


def test_an_origin_that_is_known_is_not_guessed() -> None:
    body = json.dumps({"role": "user", "content": "<reminder>"})
    read_as, _ = wire("anthropic").read_message(body, id="m", origin=Origin.INJECTED, time="2026-01-01T00:00:00Z")
    assert (read_as.origin, read_as.time) == (Origin.INJECTED, "2026-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("{", "message m is not JSON"),
        ('{"role":"user","content":"a"} x', "message m is not JSON"),
        ("[" * 100_000, "message m is not JSON"),
        ("[]", "message m is no JSON object"),
        ("{}", "message m has no `role`"),
        ('{"role": 1}', "message m has the unknown `role` 1"),
        ('{"role": "tool"}', 'message m has the unknown `role` "tool": give it one of user, assistant, system'),
    ],
)
def test_what_is_no_message_is_refused_by_name(body: str, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read(body)

"""What OpenAI chat messages are read as."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

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


def read(**message: object) -> Message:
    return wire("openai_chat").read_message(json.dumps(message), id="m")[0]


def read_block(block: object) -> Part:
    (part,) = read(role="user", content=[block]).parts
    return part


@pytest.mark.parametrize("role", ["system", "user", "assistant"])
def test_a_string_is_one_text(role: str) -> None:
    assert read(role=role, content="hello").parts == (Text("hello"),)


def test_a_bare_string_among_the_blocks_is_a_text() -> None:
    assert read(role="user", content=["a", {"type": "text", "text": "b"}]).parts == (Text("a"), Text("b"))


@pytest.mark.parametrize("content", ["", [], None])
def test_content_that_says_nothing_has_no_parts(content: object) -> None:
    assert read(role="assistant", content=content).parts == ()


def test_parts_come_in_the_order_they_were_made_whatever_the_order_of_the_members() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    expected = (Reasoning("hm"), Text("I look."), ToolCall("c", "f", "{}"))
    assert read(role="assistant", content="I look.", reasoning_content="hm", tool_calls=[call]).parts == expected
    assert read(tool_calls=[call], reasoning_content="hm", content="I look.", role="assistant").parts == expected


@pytest.mark.parametrize("member", ["reasoning_content", "reasoning", "thinking", "reasoning_text"])
def test_thoughts_are_read_wherever_a_provider_puts_them(member: str) -> None:
    assert read(role="assistant", content="a", **{member: "hm"}).parts == (Reasoning("hm"), Text("a"))


def test_thoughts_given_twice_are_one_part() -> None:
    assert read(role="assistant", content=None, reasoning="hm", reasoning_content="hm").parts == (Reasoning("hm"),)


def test_what_has_to_come_back_with_the_thoughts_is_their_signature() -> None:
    details = [{"type": "reasoning.text", "signature": "Ev=="}]
    message = read(role="assistant", content=None, reasoning="hm", reasoning_details=details)
    assert message.parts == (Reasoning("hm", json.dumps(details)),)


def test_empty_thoughts_are_no_part() -> None:
    assert read(role="assistant", content="a", reasoning_content="", reasoning_details=[]).parts == (Text("a"),)


def test_a_refusal_is_what_the_model_said() -> None:
    assert read(role="assistant", content=None, refusal="No.").parts == (Text("No."),)
    assert read(role="assistant", content=[{"type": "refusal", "refusal": "No."}]).parts == (Text("No."),)


def test_a_recording_of_an_answer_is_kept_verbatim() -> None:
    assert read(role="assistant", content=None, audio={"id": "a"}).parts == (Opaque("audio", '{"id": "a"}'),)


def test_calls_are_functions_or_custom_tools() -> None:
    function = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{ "a" : 1 '}}
    custom = {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "SELECT 1"}}
    unknown = {"id": "c3", "type": "mcp"}
    assert read(role="assistant", content=None, tool_calls=[function, custom, unknown]).parts == (
        ToolCall("c1", "f", '{ "a" : 1 '),
        ToolCall("c2", "g", "SELECT 1", custom=True),
        Opaque("mcp", json.dumps(unknown)),
    )


def test_arguments_that_are_an_object_are_taken_as_their_text() -> None:
    call = {"id": "c", "function": {"name": "f", "arguments": {"a": 1.50}}}
    assert read(role="assistant", tool_calls=[call]).calls == (ToolCall("c", "f", '{"a": 1.5}'),)


def test_a_tool_message_is_one_result() -> None:
    message = read(role="tool", tool_call_id="c", content="done")
    assert (message.role, message.parts) == (Role.TOOL, (ToolResult("c", (Text("done"),)),))
    image = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    assert read(role="tool", tool_call_id="c", content=[{"type": "text", "text": "a"}, image]).parts == (
        ToolResult("c", (Text("a"), Media(kind=MediaKind.IMAGE, url="https://example.org/a.png"))),
    )
    assert read(role="tool", tool_call_id="c", content="").parts == (ToolResult("c"),)


def test_the_old_form_of_a_call_is_paired_by_the_name_of_its_function() -> None:
    call = read(role="assistant", content=None, function_call={"name": "f", "arguments": "{}"})
    result = read(role="function", name="f", content="done")
    assert call.calls == (ToolCall("f", "f", "{}"),)
    assert (result.role, result.parts) == (Role.TOOL, (ToolResult("f", (Text("done"),)),))


@pytest.mark.parametrize(
    ("block", "media"),
    [
        (
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}},
            Media(kind=MediaKind.IMAGE, mime="image/png", digest=DIGEST, size=10),
        ),
        (
            {"type": "image_url", "image_url": "https://example.org/a.png"},
            Media(kind=MediaKind.IMAGE, url="https://example.org/a.png"),
        ),
        (
            {"type": "image_url", "image_url": {"url": f"data:application/pdf;base64,{DATA}"}},
            Media(kind=MediaKind.DOCUMENT, mime="application/pdf", digest=DIGEST, size=10),
        ),
        (
            {"type": "input_audio", "input_audio": {"data": DATA, "format": "mp3"}},
            Media(kind=MediaKind.AUDIO, mime="audio/mpeg", digest=DIGEST, size=10),
        ),
        (
            {"type": "file", "file": {"filename": "a.pdf", "file_data": f"data:application/pdf;base64,{DATA}"}},
            Media(kind=MediaKind.DOCUMENT, mime="application/pdf", digest=DIGEST, size=10),
        ),
        ({"type": "file", "file": {"file_data": DATA}}, Media(kind=MediaKind.DOCUMENT, digest=DIGEST, size=10)),
        ({"type": "file", "file": {"file_id": "file-1"}}, Media(kind=MediaKind.DOCUMENT, url="file-1")),
        (
            {"type": "video_url", "video_url": {"url": "https://example.org/a.mp4"}},
            Media(kind=MediaKind.VIDEO, url="https://example.org/a.mp4"),
        ),
        (
            {"type": "image_url", "image_url": {"url": "data:image/svg+xml,x"}},
            Media(kind=MediaKind.IMAGE, mime="image/svg+xml"),
        ),
    ],
)
def test_media_are_known_by_their_bytes_or_their_address(block: object, media: Media) -> None:
    assert read_block(block) == media


@pytest.mark.parametrize(
    "block",
    [
        {"type": "document_url", "document_url": "https://example.org/a.pdf"},
        {"type": "image_url", "image_url": {"detail": "low"}},
        {"type": "file", "file": {"filename": "a.pdf"}},
        {"type": "input_audio", "input_audio": {"data": None}},
        {"type": "text", "text": 7},
    ],
)
def test_what_is_not_understood_is_kept_verbatim(block: dict[str, object]) -> None:
    assert read_block(block) == Opaque(str(block["type"]), json.dumps(block))


@pytest.mark.parametrize(
    ("role", "expected", "origin"),
    [
        ("system", Role.SYSTEM, Origin.INJECTED),
        ("developer", Role.SYSTEM, Origin.INJECTED),
        ("user", Role.USER, Origin.HUMAN),
        ("assistant", Role.ASSISTANT, Origin.MODEL),
        ("tool", Role.TOOL, Origin.TOOL_FEEDBACK),
        ("function", Role.TOOL, Origin.TOOL_FEEDBACK),
    ],
)
def test_role_and_origin_follow_from_the_message(role: str, expected: Role, origin: Origin) -> None:
    message = read(role=role, content="hi", name="bob")
    assert (message.role, message.origin, message.name) == (expected, origin, "bob")

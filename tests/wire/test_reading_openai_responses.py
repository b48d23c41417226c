"""What OpenAI Responses items are read as."""

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
RESPONSES = wire("openai_responses")

REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}]}
SAID = {
    "type": "message",
    "role": "assistant",
    "id": "msg_1",
    "content": [{"type": "output_text", "text": "I look.", "annotations": []}],
}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": '{"a":1}'}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
ASKED = {"role": "user", "content": "go"}


def read(item: object) -> Message:
    return RESPONSES.read_message(json.dumps(item), id="m")[0]


def read_block(block: object) -> Part:
    (part,) = read({"role": "user", "content": [block]}).parts
    return part


def messages(*items: Any) -> tuple[Message, ...]:
    return RESPONSES.read_request(json.dumps({"input": items}).encode(), id_prefix="r")[1]


@pytest.mark.parametrize("role", ["system", "developer", "user", "assistant"])
@pytest.mark.parametrize("kind", [{}, {"type": "message"}])
def test_a_string_is_one_text(role: str, kind: dict[str, str]) -> None:
    assert read({"role": role, "content": "hello", **kind}).parts == (Text("hello"),)


@pytest.mark.parametrize("content", ["", [], None])
def test_content_that_says_nothing_has_no_parts(content: object) -> None:
    assert read({"role": "assistant", "content": content}).parts == ()


@pytest.mark.parametrize(
    ("item", "role", "origin"),
    [
        (ASKED, Role.USER, Origin.HUMAN),
        ({"role": "developer", "content": "a"}, Role.SYSTEM, Origin.INJECTED),
        (SAID, Role.ASSISTANT, Origin.MODEL),
        (REASONING, Role.ASSISTANT, Origin.MODEL),
        (CALL, Role.ASSISTANT, Origin.MODEL),
        (OUTPUT, Role.TOOL, Origin.TOOL_FEEDBACK),
        ({"type": "computer_call_output", "call_id": "c", "output": {}}, Role.TOOL, Origin.TOOL_FEEDBACK),
        ({"type": "mcp_approval_response", "approval_request_id": "x"}, Role.TOOL, Origin.TOOL_FEEDBACK),
        ({"type": "tool_search_output", "execution": "server", "tools": []}, Role.ASSISTANT, Origin.MODEL),
        ({"type": "tool_search_output", "execution": "client", "tools": []}, Role.TOOL, Origin.TOOL_FEEDBACK),
        ({"type": "additional_tools", "role": "developer", "tools": []}, Role.SYSTEM, Origin.INJECTED),
        ({"type": "compaction", "encrypted_content": "x"}, Role.ASSISTANT, Origin.CLIENT_SUMMARY),
        ({"id": "rs_1"}, Role.ASSISTANT, Origin.MODEL),
    ],
)
def test_every_item_has_somebody_who_speaks_in_it(item: object, role: Role, origin: Origin) -> None:
    message = read(item)
    assert (message.role, message.origin, message.name) == (role, origin, None)


def test_an_answer_is_a_message_of_all_its_items() -> None:
    message = read([REASONING, SAID, CALL])
    assert message.parts == (Reasoning("hm"), Text("I look."), ToolCall("c1", "f", '{"a":1}'))
    assert message.role is Role.ASSISTANT


def test_items_of_a_request_that_belong_together_are_one_message() -> None:
    read = messages(ASKED, REASONING, SAID, CALL, OUTPUT, REASONING, SAID, ASKED)
    assert [(message.id, message.role, len(message.parts)) for message in read] == [
        ("r-000000", Role.USER, 1),
        ("r-000001", Role.ASSISTANT, 3),
        ("r-000002", Role.TOOL, 1),
        ("r-000003", Role.ASSISTANT, 2),
        ("r-000004", Role.USER, 1),
    ]


def test_a_model_that_reasons_anew_begins_another_message() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    read = messages(ASKED, REASONING, search, REASONING, REASONING, SAID, CALL)
    assert [len(message.parts) for message in read] == [1, 2, 4]


def test_results_stay_apart_and_a_compaction_is_nobodys_answer() -> None:
    compaction = {"type": "compaction", "encrypted_content": "x"}
    assert [len(message.parts) for message in messages(ASKED, CALL, OUTPUT, OUTPUT, SAID, compaction, SAID)] == [1] * 7


def test_the_thoughts_shown_are_their_text_and_the_encrypted_ones_their_signature() -> None:
    shown = {**REASONING, "content": [{"type": "reasoning_text", "text": "in full"}]}
    assert read({**REASONING, "encrypted_content": "gAAA"}).parts == (Reasoning("hm", "gAAA"),)
    assert read(shown).parts == (Reasoning("in full"),)
    assert read({"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}).parts == (
        Reasoning("", "gAAA", redacted=True),
    )


def test_calls_and_their_results() -> None:
    assert read({**CALL, "namespace": "n"}).calls == (ToolCall("c1", "f", '{"a":1}'),)
    custom = {"type": "custom_tool_call", "call_id": "c2", "name": "patch", "input": "*** Begin"}
    assert read(custom).calls == (ToolCall("c2", "patch", "*** Begin", custom=True),)
    assert read(OUTPUT).results == (ToolResult("c1", (Text("ok"),)),)
    picture = {"type": "input_image", "image_url": "https://example.org/a.png"}
    several = {**OUTPUT, "type": "custom_tool_call_output", "output": [{"type": "input_text", "text": "a"}, picture]}
    media = Media(kind=MediaKind.IMAGE, url="https://example.org/a.png")
    assert read(several).results == (ToolResult("c1", (Text("a"), media)),)


def test_arguments_that_are_json_themselves_are_read_as_their_text() -> None:
    assert read({**CALL, "arguments": {"a": 1}}).calls[0].arguments == '{"a": 1}'


def test_media_of_a_user() -> None:
    png = f"data:image/png;base64,{DATA}"
    inline = Media(kind=MediaKind.IMAGE, mime="image/png", digest=DIGEST, size=len(BLOB))
    assert read_block({"type": "input_image", "image_url": png, "detail": "auto"}) == inline
    assert read_block({"type": "input_image", "file_id": "file-1"}) == Media(kind=MediaKind.IMAGE, url="file-1")
    pdf = Media(kind=MediaKind.DOCUMENT, mime="application/pdf", digest=DIGEST, size=len(BLOB))
    assert read_block({"type": "input_file", "file_data": f"data:application/pdf;base64,{DATA}"}) == pdf
    bare = Media(kind=MediaKind.DOCUMENT, digest=DIGEST, size=len(BLOB))
    assert read_block({"type": "input_file", "file_data": DATA}) == bare
    link = Media(kind=MediaKind.DOCUMENT, url="https://example.org/a.pdf")
    assert read_block({"type": "input_file", "file_url": "https://example.org/a.pdf"}) == link
    mp3 = Media(kind=MediaKind.AUDIO, mime="audio/mpeg", digest=DIGEST, size=len(BLOB))
    assert read_block({"type": "input_audio", "input_audio": {"data": DATA, "format": "mp3"}}) == mp3


@pytest.mark.parametrize(
    "item",
    [
        {"type": "web_search_call", "id": "ws_1", "status": "completed"},
        {"type": "code_interpreter_call", "id": "ci_1", "code": "1", "container_id": "c"},
        {"type": "mcp_call", "id": "mcp_1", "name": "f", "arguments": "{}", "server_label": "s"},
        {"type": "item_reference", "id": "rs_1"},
        {"type": "function_call", "name": 7},
        {"type": "function_call_output", "output": "no id"},
    ],
)
def test_items_that_we_do_not_read_are_kept_as_they_are(item: dict[str, Any]) -> None:
    assert read(item).parts == (Opaque(item["type"], json.dumps(item)),)


def test_a_refusal_is_what_the_model_said_and_an_unknown_block_is_kept() -> None:
    refusal, odd = {"type": "refusal", "refusal": "no"}, {"type": "hologram", "x": 1}
    message = read({"type": "message", "role": "assistant", "content": [refusal, odd]})
    assert message.parts == (Text("no"), Opaque("hologram", json.dumps(odd)))


def test_one_string_is_short_for_what_a_user_says() -> None:
    _, (message,), _ = RESPONSES.read_request(b'{"input":"hello"}', id_prefix="r")
    assert (message.role, message.parts) == (Role.USER, (Text("hello"),))


@pytest.mark.parametrize(
    ("item", "complaint"),
    [
        (7, "message m is no JSON object: an item is an object with a `type` or a `role`"),
        ({}, "message m has no `role` and no `type`"),
        ({"type": "message"}, "message m has no `role`"),
        ({"role": "tool", "content": "a"}, 'message m has the unknown `role` "tool"'),
        ([], "message m is an empty list"),
        ([SAID, ASKED], "message m is a list of items that are not one message"),
        ([REASONING, SAID, REASONING, SAID], "message m is a list of items that are not one message"),
    ],
)
def test_what_is_no_item_is_refused(item: object, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read(item)


@pytest.mark.parametrize("field", ["previous_response_id", "conversation"])
def test_what_the_provider_keeps_is_not_ours_to_resolve(field: str) -> None:
    body = json.dumps({"input": [ASKED], field: "x_1"}).encode()
    complaint = f"`{field}` stands for messages that only the provider has, so this request cannot be fitted: send them"
    with pytest.raises(BadInput, match=complaint):
        RESPONSES.read_request(body, id_prefix="r")
    assert RESPONSES.read_request(json.dumps({"input": [ASKED], field: None}).encode(), id_prefix="r")[1]

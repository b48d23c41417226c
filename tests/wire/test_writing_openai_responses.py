"""Responses items that are written from the parts of a message."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.odd_json import texts
from tests.wire.sdk import accept
from unabridged.errors import BadInput
from unabridged.message import (
    Media,
    MediaKind,
    Message,
    Opaque,
    Origin,
    Part,
    Raw,
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
PICTURE = Media(kind=MediaKind.IMAGE, mime="image/png", digest=DIGEST, size=len(BLOB))


def message(role: Role, *parts: Part, **more: Any) -> Message:
    return Message(id="m", role=role, parts=parts, **more)


def write(*messages: Message) -> list[Any]:
    texts = RESPONSES.write_messages(messages, {DIGEST: BLOB})
    for text in texts:
        accept("openai_responses", text)
    return [json.loads(text) for text in texts]


def block(part: Part) -> Any:
    (item,) = write(message(Role.USER, Text("see:"), part))
    return item["content"][1]


def test_an_answer_is_an_item_for_each_of_its_parts() -> None:
    call, custom = ToolCall("c1", "f", '{"n": 1.0e5}'), ToolCall("c2", "g", "SELECT 1", custom=True)
    assert write(message(Role.ASSISTANT, Text("I look."), call, Text("And:"), custom)) == [
        {"role": "assistant", "content": "I look."},
        {"type": "function_call", "call_id": "c1", "name": "f", "arguments": '{"n": 1.0e5}'},
        {"role": "assistant", "content": "And:"},
        {"type": "custom_tool_call", "call_id": "c2", "name": "g", "input": "SELECT 1"},
    ]


def test_one_message_of_several_items_is_written_as_their_list() -> None:
    text = RESPONSES.write_message(message(Role.ASSISTANT, Text("a"), ToolCall("c", "f", "")), {})
    assert json.loads(text)[1]["arguments"] == "{}"
    assert RESPONSES.read_message(text, id="m")[0].parts == (Text("a"), ToolCall("c", "f", "{}"))


def test_results_are_written_like_the_calls_that_they_answer() -> None:
    asked = message(Role.ASSISTANT, ToolCall("c1", "f", "{}"), ToolCall("c2", "g", "x", custom=True))
    answers = message(Role.TOOL, ToolResult("c2", (Text("b"),)), ToolResult("c1", (Text("a"), PICTURE)), Text("hint"))
    assert write(asked, answers, message(Role.USER, Text("go on")))[2:] == [
        {"type": "custom_tool_call_output", "call_id": "c2", "output": "b"},
        {
            "type": "function_call_output",
            "call_id": "c1",
            "output": [
                {"type": "input_text", "text": "a"},
                {"type": "input_image", "detail": "auto", "image_url": f"data:image/png;base64,{DATA}"},
            ],
        },
        {"role": "user", "content": "hint"},
        {"role": "user", "content": "go on"},
    ]


def test_a_result_answers_the_nearest_earlier_call_of_its_id() -> None:
    first = message(Role.ASSISTANT, ToolCall("c", "f", "{}"))
    second = message(Role.ASSISTANT, ToolCall("c", "g", "x", custom=True))
    answer = message(Role.TOOL, ToolResult("c"))
    kinds = [item.get("type") for item in write(first, answer, second, answer)]
    assert kinds == ["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"]


def test_roles() -> None:
    assert write(message(Role.SYSTEM, Text("a"))) == [{"role": "system", "content": "a"}]
    assert write(message(Role.SUMMARY, Text("a"))) == [{"role": "user", "content": "a"}]
    for role in Role:
        assert write(message(role, Text("a"), origin=Origin.MARKER)) == [{"role": "user", "content": "a"}]


def test_media() -> None:
    png = f"data:image/png;base64,{DATA}"
    assert block(PICTURE) == {"type": "input_image", "detail": "auto", "image_url": png}
    link = Media(kind=MediaKind.IMAGE, url="https://example.org/a.png")
    assert block(link) == {"type": "input_image", "detail": "auto", "image_url": link.url}
    assert block(Media(kind=MediaKind.IMAGE, url="file-1")) == {
        "type": "input_image",
        "detail": "auto",
        "file_id": "file-1",
    }
    pdf = Media(kind=MediaKind.DOCUMENT, mime="application/pdf", digest=DIGEST)
    data = f"data:application/pdf;base64,{DATA}"
    assert block(pdf) == {"type": "input_file", "filename": "document.pdf", "file_data": data}
    url = "https://example.org/a.pdf"
    assert block(Media(kind=MediaKind.DOCUMENT, url=url)) == {"type": "input_file", "file_url": url}
    assert block(Media(kind=MediaKind.DOCUMENT, url="file-1")) == {"type": "input_file", "file_id": "file-1"}


@pytest.mark.parametrize("kind", [MediaKind.AUDIO, MediaKind.VIDEO])
def test_media_that_are_not_taken_are_named_in_text(kind: MediaKind) -> None:
    written = block(Media(kind=kind, mime="x/y", digest=DIGEST))
    assert written["type"] == "input_text"
    assert written["text"].endswith("(x/y), which this provider does not take here]")


def test_the_id_of_a_file_means_nothing_to_another_provider() -> None:
    kept = Media(kind=MediaKind.DOCUMENT, url="file-1")
    assert "file-1" not in json.dumps(write(message(Role.USER, kept, raw=Raw("another", "{}"))))


def test_thoughts_are_never_written() -> None:
    thoughts = (Reasoning("hm", "gAAA"), Reasoning("hm"), Text("a"))
    for raw in (None, Raw("another", "{}")):
        assert write(message(Role.ASSISTANT, *thoughts, raw=raw)) == [{"role": "assistant", "content": "a"}]


def test_items_without_another_form_go_out_as_they_are_and_anothers_are_named() -> None:
    item = {"type": "item_reference", "id": "msg_1"}
    own = message(Role.ASSISTANT, Opaque("item_reference", json.dumps(item)))
    assert write(own) == [item]
    other = message(Role.ASSISTANT, Opaque("web_search_tool_result", "{}"), raw=Raw("another", "{}"))
    assert write(other)[0]["content"].startswith("[context: web_search_tool_result")


def test_an_answer_of_which_nothing_can_be_written_is_no_item() -> None:
    nothing = message(Role.ASSISTANT, Reasoning("hm", "gAAA"))
    assert write(nothing) == []
    with pytest.raises(BadInput, match="message m takes 0 messages here"):
        RESPONSES.write_message(nothing, {})


def test_results_with_something_beside_them_are_several_messages() -> None:
    with pytest.raises(BadInput, match="message m takes 2 messages here: write it with write_messages"):
        RESPONSES.write_message(message(Role.TOOL, ToolResult("c"), Text("a")), {})


def test_what_comes_with_results_follows_after_the_last_of_them() -> None:
    asked = message(Role.ASSISTANT, ToolCall("c1", "f", "{}"), ToolCall("c2", "f", "{}"))
    one, two = message(Role.USER, ToolResult("c1"), Text("hint")), message(Role.TOOL, ToolResult("c2"))
    written = write(asked, one, two, message(Role.ASSISTANT, Text("a")))
    assert [item.get("call_id") or item["content"] for item in written[2:]] == ["c1", "c2", "hint", "a"]


def test_a_run_may_begin_with_results() -> None:
    assert write(message(Role.TOOL, ToolResult("c", (Text("a"),))))[0]["type"] == "function_call_output"


@given(st.lists(st.builds(Text, texts.filter(bool).map(lambda text: json.loads(json.dumps(text)))), max_size=3))
def test_what_a_model_says_is_read_as_it_was_written(parts: list[Part]) -> None:
    said = message(Role.ASSISTANT, *parts, ToolCall("c", "f", "{}"))
    assert RESPONSES.read_message(RESPONSES.write_message(said, {}), id="m")[0].parts == said.parts

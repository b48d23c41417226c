"""Gemini contents that are written from the parts of a message."""

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
GEMINI = wire("gemini")
PICTURE = Media(kind=MediaKind.IMAGE, mime="image/png", digest=DIGEST, size=len(BLOB))
SKIP = "skip_thought_signature_validator"


def message(role: Role, *parts: Part, **more: Any) -> Message:
    return Message(id="m", role=role, parts=parts, **more)


def home(**content: Any) -> Message:
    return GEMINI.read_message(json.dumps(content), id="h")[0]


def write(*messages: Message) -> list[Any]:
    texts = GEMINI.write_messages(messages, {DIGEST: BLOB})
    for text in texts:
        accept("gemini", text)
    return [json.loads(text) for text in texts]


def part(value: Part) -> Any:
    (content,) = write(message(Role.USER, value))
    return content["parts"][0]


def test_the_first_call_of_a_turn_carries_what_stands_for_a_signature() -> None:
    written = write(message(Role.ASSISTANT, Text("I look."), ToolCall("c1", "f", '{"n": 1}'), ToolCall("c2", "g", "")))
    assert written == [
        {
            "role": "model",
            "parts": [
                {"text": "I look."},
                {"functionCall": {"id": "c1", "name": "f", "args": {"n": 1}}, "thoughtSignature": SKIP},
                {"functionCall": {"id": "c2", "name": "g", "args": {}}},
            ],
        }
    ]


@pytest.mark.parametrize(
    ("call", "args"),
    [
        (ToolCall("c", "f", "some text", custom=True), {"input": "some text"}),
        (ToolCall("c", "f", "[1]"), {"input": "[1]"}),
        (ToolCall("c", "f", '{"a": '), {"input": '{"a": '}),
    ],
)
def test_arguments_that_are_no_object_are_put_into_one(call: ToolCall, args: object) -> None:
    assert write(message(Role.ASSISTANT, call))[0]["parts"][0]["functionCall"]["args"] == args


def test_results_that_answer_one_turn_are_one_content_and_have_the_names_of_their_functions() -> None:
    asked = message(Role.ASSISTANT, ToolCall("c1", "f", "{}"), ToolCall("c2", "g", "{}"))
    answers = [
        message(Role.TOOL, ToolResult("c2", (Text("b"),), is_error=True)),
        message(Role.USER, ToolResult("c1", (Text("a"), Text("more"))), Text("hint")),
    ]
    assert write(asked, *answers, message(Role.USER, Text("go on")))[1:] == [
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "c2", "name": "g", "response": {"error": "b"}}},
                {"functionResponse": {"id": "c1", "name": "f", "response": {"output": "a", "context": ["more"]}}},
            ],
        },
        {"role": "user", "parts": [{"text": "hint"}]},
        {"role": "user", "parts": [{"text": "go on"}]},
    ]


def test_media_of_a_result_follow_in_the_users_next_turn() -> None:
    asked = message(Role.ASSISTANT, ToolCall("c1", "f", "{}"))
    _, results, media = write(asked, message(Role.TOOL, ToolResult("c1", (Text("see"), PICTURE))))
    assert results["parts"][0]["functionResponse"]["response"]["output"] == "see"
    assert "an image (image/png)" in results["parts"][0]["functionResponse"]["response"]["context"][0]
    assert media == {"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": DATA}}]}


def test_a_call_whose_name_stands_for_its_id_has_none_and_neither_has_its_result() -> None:
    asked, answer = message(Role.ASSISTANT, ToolCall("f", "f", "{}")), message(Role.TOOL, ToolResult("f"))
    called, answered = write(asked, answer)
    assert "id" not in called["parts"][0]["functionCall"]
    assert answered["parts"] == [{"functionResponse": {"name": "f", "response": {}}}]


def test_a_result_whose_call_is_not_in_the_run_has_a_name_all_the_same() -> None:
    (content,) = write(message(Role.TOOL, ToolResult("c")))
    assert content["parts"][0]["functionResponse"]["name"] == "unknown"


def test_roles() -> None:
    for role in (Role.SYSTEM, Role.SUMMARY, Role.USER):
        assert write(message(role, Text("a"))) == [{"role": "user", "parts": [{"text": "a"}]}]
    for role in Role:
        marker = message(role, Text("a"), origin=Origin.MARKER)
        assert write(marker) == [{"role": "user", "parts": [{"text": "a"}]}]


def test_media() -> None:
    assert part(PICTURE) == {"inlineData": {"mimeType": "image/png", "data": DATA}}
    for kind, mime in ((MediaKind.AUDIO, "audio/flac"), (MediaKind.VIDEO, "video/mp4"), (MediaKind.DOCUMENT, "a/b")):
        assert part(Media(kind=kind, mime=mime, digest=DIGEST)) == {"inlineData": {"mimeType": mime, "data": DATA}}
    png = {"fileUri": "https://example.org/a.png", "mimeType": "image/png"}
    assert part(Media(kind=MediaKind.IMAGE, url="https://example.org/a.png")) == {"fileData": png}
    odd = Media(kind=MediaKind.VIDEO, url="https://example.org/watch?v=1")
    assert part(odd) == {"fileData": {"fileUri": odd.url}}


@pytest.mark.parametrize(
    ("kind", "address", "mime"),
    [
        (MediaKind.IMAGE, "https://example.org/a.png?w=2.5#top.gif", "image/png"),
        (MediaKind.IMAGE, "https://example.org/picture", "image/jpeg"),
        (MediaKind.DOCUMENT, "https://example.org/papers/17.4", "application/pdf"),
        (MediaKind.AUDIO, "https://example.org/a.WAV", "audio/wav"),
    ],
)
def test_an_address_goes_out_with_a_type_whatever_follows_its_ending(kind: MediaKind, address: str, mime: str) -> None:
    assert part(Media(kind=kind, url=address)) == {"fileData": {"fileUri": address, "mimeType": mime}}


@pytest.mark.parametrize(
    "media", [Media(kind=MediaKind.IMAGE, digest=DIGEST), Media(kind=MediaKind.IMAGE, url="file-1")]
)
def test_media_without_a_type_or_an_address_are_named_in_text(media: Media) -> None:
    assert part(media)["text"].startswith("[context: an image (")


def test_thoughts_are_never_written() -> None:
    thoughts = (Reasoning("hm", "c2ln"), Reasoning("hm"), Text("a"))
    for raw in (None, Raw("another", "{}")):
        assert write(message(Role.ASSISTANT, *thoughts, raw=raw)) == [{"role": "model", "parts": [{"text": "a"}]}]


def test_an_answer_of_which_nothing_can_be_written_is_no_content() -> None:
    nothing = message(Role.ASSISTANT, Reasoning("hm"), Text(""))
    assert write(nothing) == []
    with pytest.raises(BadInput, match="message m takes 0 Gemini contents"):
        GEMINI.write_message(nothing, {})


def test_parts_without_another_form_go_out_as_they_are_and_anothers_are_named() -> None:
    code = '{"executableCode":{"language":"PYTHON","code":"1"}}'
    assert write(message(Role.ASSISTANT, Opaque("executableCode", code)))[0]["parts"] == [json.loads(code)]
    other = message(Role.ASSISTANT, Opaque("web_search_call", "{}"), raw=Raw("another", "{}"))
    assert write(other)[0]["parts"][0]["text"].startswith("[context: web_search_call")


def test_answers_in_a_row_are_one_turn_where_one_of_them_calls() -> None:
    text, call = message(Role.ASSISTANT, Text("a")), message(Role.ASSISTANT, ToolCall("c", "f", "{}"))
    assert [len(content["parts"]) for content in write(text, call, message(Role.TOOL, ToolResult("c")))] == [2, 1]
    assert [len(content["parts"]) for content in write(text, text)] == [1, 1]


def test_contents_that_become_one_keep_every_character_of_their_parts() -> None:
    one, other = '{ "text":"\\u0061" }', '{"functionCall":{"name":"f","args":{ "n":1.0e5}},"thought_signature":"c2ln"}'
    first, second = [GEMINI.read_message(f'{{"parts":[{part}],"role":"model"}}', id="m")[0] for part in (one, other)]
    assert GEMINI.write_messages([first, second], {}) == [f'{{"parts":[{one},{other}],"role":"model"}}']


def test_results_of_its_own_become_one_content_and_what_came_with_them_follows() -> None:
    calls = home(role="model", parts=[{"functionCall": {"name": "f"}}, {"functionCall": {"name": "g"}}])
    one = home(role="user", parts=[{"function_response": {"name": "f", "response": {}}}, {"text": "hint"}])
    two = home(role="user", parts=[{"functionResponse": {"name": "g", "response": {}}}])
    _, results, hint = write(calls, one, two)
    assert [list(found) for found in results["parts"]] == [["function_response"], ["functionResponse"]]
    assert hint == {"role": "user", "parts": [{"text": "hint"}]}


def test_one_content_of_results_stays_as_it_is_whatever_else_is_in_it() -> None:
    calls = home(role="model", parts=[{"functionCall": {"name": "f"}}])
    both = home(role="user", parts=[{"text": "hint"}, {"functionResponse": {"name": "f", "response": {}}}])
    assert both.raw is not None
    assert GEMINI.write_messages([calls, both], {})[1] == both.raw.body


def test_a_conversation_can_be_written_run_by_run_where_calls_and_results_are_in_one() -> None:
    asked, said = message(Role.USER, Text("go")), message(Role.ASSISTANT, Text("done"))
    called = [message(Role.ASSISTANT, ToolCall("c", "f", "{}")), message(Role.TOOL, ToolResult("c"))]
    whole = [asked, *called, said]
    for at in (1, 3):
        assert write(*whole[:at]) + write(*whole[at:]) == write(*whole)


def test_results_with_something_beside_them_are_several_contents() -> None:
    with pytest.raises(BadInput, match="message m takes 2 Gemini contents: write it with write_messages"):
        GEMINI.write_message(message(Role.TOOL, ToolResult("c"), Text("a")), {})


@given(
    st.lists(st.builds(Text, texts.filter(bool).map(lambda text: json.loads(json.dumps(text)))), min_size=1, max_size=3)
)
def test_what_is_said_is_read_as_it_was_written(parts: list[Part]) -> None:
    for said in (message(Role.ASSISTANT, *parts, ToolCall("c", "f", "{}")), message(Role.USER, *parts, PICTURE)):
        text = GEMINI.write_message(said, {DIGEST: BLOB})
        assert GEMINI.read_message(text, id="m")[0].parts == said.parts

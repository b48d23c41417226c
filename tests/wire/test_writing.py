"""Messages that have no form of this wire's own are written from their parts."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.wire.odd_json import texts, values
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
MEDIA = {DIGEST: BLOB}

DIALECTS = ["anthropic", "openai_chat"]


def as_json_reads(text: str) -> str:
    """Two halves of a surrogate pair that stand side by side are one character once they are read."""
    return json.loads(json.dumps(text))


def message(role: Role, *parts: Part, **more: Any) -> Message:
    return Message(id="m", role=role, parts=parts, **more)


def foreign(role: Role, *parts: Part) -> Message:
    return message(role, *parts, raw=Raw("another", "{}"))


def write(dialect: str, written: Message) -> list[Any]:
    texts = wire(dialect).write_messages([written], MEDIA)
    for text in texts:
        accept(dialect, text)
    return [json.loads(text) for text in texts]


def block(dialect: str, part: Part) -> Any:
    (written,) = write(dialect, message(Role.USER, Text("see:"), part))
    return written["content"][1]


def picture(**more: Any) -> Media:
    return Media(kind=MediaKind.IMAGE, mime="image/png", **(more or {"digest": DIGEST}))


def test_the_sdk_types_are_asked_about_every_item() -> None:
    with pytest.raises(ValidationError):
        accept("anthropic", '{"role":"user","content":[{"type":"text","text":7}]}')
    with pytest.raises(ValidationError):
        accept("openai_chat", '{"role":"assistant","content":null,"tool_calls":[{"id":"c"}]}')


@pytest.mark.parametrize("dialect", DIALECTS)
def test_one_text_is_a_string_and_several_are_blocks(dialect: str) -> None:
    assert write(dialect, message(Role.USER, Text("a"))) == [{"role": "user", "content": "a"}]
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    assert write(dialect, message(Role.ASSISTANT, Text("a"), Text("b"))) == [{"role": "assistant", "content": blocks}]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_summaries_and_markers_are_the_users_never_the_systems(dialect: str) -> None:
    assert write(dialect, message(Role.SUMMARY, Text("a"))) == [{"role": "user", "content": "a"}]
    for role in Role:
        assert write(dialect, message(role, Text("a"), origin=Origin.MARKER)) == [{"role": "user", "content": "a"}]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_system_text_in_mid_conversation_stays_system_text(dialect: str) -> None:
    assert write(dialect, message(Role.SYSTEM, Text("a"))) == [{"role": "system", "content": "a"}]


def test_a_call_with_text_for_anthropic() -> None:
    written = write("anthropic", message(Role.ASSISTANT, Text("I look."), ToolCall("c", "f", '{"n": 1.0e5}')))
    use = {"type": "tool_use", "id": "c", "name": "f", "input": {"n": 1.0e5}}
    assert written == [{"role": "assistant", "content": [{"type": "text", "text": "I look."}, use]}]
    text = wire("anthropic").write_message(message(Role.ASSISTANT, ToolCall("c", "f", '{"n": 1.0e5}')), {})
    assert '"input":{"n": 1.0e5}' in text


@pytest.mark.parametrize(
    ("call", "given"),
    [
        (ToolCall("c", "f", ""), {}),
        (ToolCall("c", "f", '{"a": '), {"input": '{"a": '}),
        (ToolCall("c", "f", "[1]"), {"input": "[1]"}),
        (ToolCall("c", "f", "{}", custom=True), {"input": "{}"}),
    ],
)
def test_arguments_are_an_object_for_anthropic_whatever_the_model_wrote(call: ToolCall, given: object) -> None:
    (written,) = write("anthropic", message(Role.ASSISTANT, call))
    assert written["content"][0]["input"] == given


def test_calls_for_openai() -> None:
    calls = (ToolCall("c1", "f", '{"n": 1.0e5}'), ToolCall("c2", "g", "SELECT 1", custom=True), ToolCall("c3", "h", ""))
    assert write("openai_chat", message(Role.ASSISTANT, *calls)) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"n": 1.0e5}'}},
                {"id": "c2", "type": "custom", "custom": {"name": "g", "input": "SELECT 1"}},
                {"id": "c3", "type": "function", "function": {"name": "h", "arguments": "{}"}},
            ],
        }
    ]


def test_results_for_anthropic_come_first_in_the_users_message() -> None:
    results = (
        ToolResult("c1", (Text("a"), picture()), is_error=True),
        ToolResult("c2"),
        ToolResult("c3", (Text("b"),)),
    )
    (written,) = write("anthropic", message(Role.TOOL, Text("go on"), *results))
    source = {"type": "base64", "media_type": "image/png", "data": DATA}
    assert written == {
        "role": "user",
        "content": [
            {
                "type": "tool_result",
                "tool_use_id": "c1",
                "content": [{"type": "text", "text": "a"}, {"type": "image", "source": source}],
                "is_error": True,
            },
            {"type": "tool_result", "tool_use_id": "c2"},
            {"type": "tool_result", "tool_use_id": "c3", "content": "b"},
            {"type": "text", "text": "go on"},
        ],
    }


def test_each_result_is_a_message_for_openai_and_its_media_follow_as_the_users() -> None:
    written = write("openai_chat", message(Role.TOOL, ToolResult("c1", (Text("a"), picture())), ToolResult("c2")))
    stand_in = "[context: an image (image/png), which this provider does not take here]"
    assert written == [
        {
            "role": "tool",
            "tool_call_id": "c1",
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": stand_in}],
        },
        {"role": "tool", "tool_call_id": "c2", "content": ""},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}]},
    ]


def test_one_message_that_would_be_several_is_refused() -> None:
    with pytest.raises(BadInput, match="message m takes 2 OpenAI messages: write it with write_messages"):
        wire("openai_chat").write_message(message(Role.TOOL, ToolResult("c1"), ToolResult("c2")), {})


def test_media_for_anthropic() -> None:
    png = {"type": "base64", "media_type": "image/png", "data": DATA}
    assert block("anthropic", picture()) == {"type": "image", "source": png}
    jpg = Media(kind=MediaKind.IMAGE, mime="image/jpg", digest=DIGEST)
    assert block("anthropic", jpg)["source"]["media_type"] == "image/jpeg"
    link = {"type": "url", "url": "https://example.org/a.png"}
    assert block("anthropic", picture(url="https://example.org/a.png")) == {"type": "image", "source": link}
    pdf = Media(kind=MediaKind.DOCUMENT, mime="application/pdf", digest=DIGEST)
    source = {"type": "base64", "media_type": "application/pdf", "data": DATA}
    assert block("anthropic", pdf) == {"type": "document", "source": source}
    text = Media(kind=MediaKind.DOCUMENT, mime="text/markdown", digest=DIGEST)
    source = {"type": "text", "media_type": "text/plain", "data": "some bytes"}
    assert block("anthropic", text) == {"type": "document", "source": source}
    kept = Media(kind=MediaKind.DOCUMENT, url="file_1")
    assert block("anthropic", kept) == {"type": "document", "source": {"type": "file", "file_id": "file_1"}}


def test_media_for_openai() -> None:
    png = {"url": f"data:image/png;base64,{DATA}"}
    assert block("openai_chat", picture()) == {"type": "image_url", "image_url": png}
    link = {"url": "https://example.org/a.png"}
    assert block("openai_chat", picture(url=link["url"])) == {"type": "image_url", "image_url": link}
    mp3 = Media(kind=MediaKind.AUDIO, mime="audio/mpeg", digest=DIGEST)
    assert block("openai_chat", mp3) == {"type": "input_audio", "input_audio": {"data": DATA, "format": "mp3"}}
    pdf = Media(kind=MediaKind.DOCUMENT, mime="application/pdf", digest=DIGEST)
    file = {"filename": "document.pdf", "file_data": f"data:application/pdf;base64,{DATA}"}
    assert block("openai_chat", pdf) == {"type": "file", "file": file}
    kept = Media(kind=MediaKind.DOCUMENT, url="file-1")
    assert block("openai_chat", kept) == {"type": "file", "file": {"file_id": "file-1"}}


@pytest.mark.parametrize(
    ("dialect", "media", "described"),
    [
        ("anthropic", Media(kind=MediaKind.AUDIO, mime="audio/wav", digest=DIGEST), "a recording (audio/wav)"),
        ("anthropic", Media(kind=MediaKind.IMAGE, mime="image/bmp", digest=DIGEST), "an image (image/bmp)"),
        ("anthropic", Media(kind=MediaKind.IMAGE), "an image (unknown type)"),
        ("openai_chat", Media(kind=MediaKind.VIDEO, url="https://a.b/c"), "a video (https://a.b/c)"),
        ("openai_chat", Media(kind=MediaKind.DOCUMENT, url="https://a.b/c"), "a document (https://a.b/c)"),
        ("openai_chat", Media(kind=MediaKind.AUDIO, mime="audio/flac", digest=DIGEST), "a recording (audio/flac)"),
    ],
)
def test_media_that_a_provider_does_not_take_are_named_in_text(dialect: str, media: Media, described: str) -> None:
    text = f"[context: {described}, which this provider does not take here]"
    assert block(dialect, media) == {"type": "text", "text": text}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_id_of_a_file_means_nothing_to_another_provider(dialect: str) -> None:
    written = write(dialect, foreign(Role.USER, Media(kind=MediaKind.DOCUMENT, url="file_1"), Text("a")))
    assert "file_1" not in json.dumps(written)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_providers_items_are_named_in_text(dialect: str) -> None:
    (written,) = write(dialect, foreign(Role.ASSISTANT, Opaque("web_search_tool_result", '{"secret":1}'), Text("a")))
    text = "[context: web_search_tool_result, which only the provider that made it can read]"
    assert written["content"][0] == {"type": "text", "text": text}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_models_thoughts_are_left_out(dialect: str) -> None:
    thoughts = (Reasoning("hm", "Eg=="), Reasoning("hm"), Reasoning(signature="Em==", redacted=True))
    assert write(dialect, foreign(Role.ASSISTANT, *thoughts, Text("a"))) == [{"role": "assistant", "content": "a"}]


def test_thoughts_of_its_own_go_back_to_anthropic_if_signed() -> None:
    thoughts = (Reasoning("hm", "Eg=="), Reasoning("unsigned"), Reasoning(signature="Em==", redacted=True))
    (written,) = write("anthropic", message(Role.ASSISTANT, *thoughts, Text("a")))
    assert written["content"] == [
        {"type": "thinking", "thinking": "hm", "signature": "Eg=="},
        {"type": "redacted_thinking", "data": "Em=="},
        {"type": "text", "text": "a"},
    ]


def test_thoughts_have_no_place_in_what_a_user_says() -> None:
    assert write("anthropic", message(Role.USER, Reasoning("hm", "Eg=="), Text("a"))) == [
        {"role": "user", "content": "a"}
    ]


def test_thoughts_of_its_own_go_back_to_openai_chat_if_not_signed() -> None:
    (written,) = write("openai_chat", message(Role.ASSISTANT, Reasoning("hm"), Reasoning("no", "s"), Text("a")))
    assert written == {"role": "assistant", "content": "a", "reasoning_content": "hm"}


def test_a_message_of_which_nothing_can_be_written_is_refused_by_anthropic() -> None:
    with pytest.raises(BadInput, match="message m has nothing that an Anthropic message can hold"):
        wire("anthropic").write_message(foreign(Role.ASSISTANT, Reasoning("hm", "Eg==")), {})


def test_a_name_goes_along_to_openai() -> None:
    assert write("openai_chat", message(Role.USER, Text("a"), name="bob")) == [
        {"role": "user", "name": "bob", "content": "a"}
    ]


def test_half_a_surrogate_pair_is_written_as_an_escape() -> None:
    text = wire("openai_chat").write_message(message(Role.USER, Text("é\ud800")), {})
    assert text == '{"role":"user","content":"é\\ud800"}'


same_everywhere = st.one_of(
    st.builds(Text, texts.map(as_json_reads)),
    st.builds(Media, kind=st.just(MediaKind.IMAGE), url=st.just("https://example.org/a.png")),
    st.just(picture(digest=DIGEST, size=len(BLOB))),
)
some_calls = st.builds(ToolCall, st.sampled_from(["c1", "c2"]), st.just("f"), values.map(json.dumps))


@given(st.lists(same_everywhere, min_size=1, max_size=4), st.sampled_from(DIALECTS))
def test_what_a_user_says_is_read_as_it_was_written(parts: list[Part], dialect: str) -> None:
    (text,) = wire(dialect).write_messages([message(Role.USER, *parts)], MEDIA)
    read, _ = wire(dialect).read_message(text, id="m")
    assert read.parts == tuple(parts)


@given(st.builds(Text, texts.filter(bool).map(as_json_reads)), st.lists(some_calls, max_size=3))
def test_what_a_model_says_is_read_as_it_was_written(said: Text, calls: list[ToolCall]) -> None:
    written = message(Role.ASSISTANT, said, *calls)
    read, _ = wire("openai_chat").read_message(wire("openai_chat").write_message(written, {}), id="m")
    assert read.parts == written.parts


@given(st.lists(same_everywhere, max_size=3), st.booleans())
def test_results_are_read_as_they_were_written(parts: list[Any], is_error: bool) -> None:
    written = message(Role.TOOL, ToolResult("c", tuple(parts), is_error))
    read, _ = wire("anthropic").read_message(wire("anthropic").write_message(written, MEDIA), id="m")
    assert read.parts == written.parts

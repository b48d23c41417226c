"""Whole requests of Responses and Gemini: what is beside their items and contents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Role, Text
from unabridged.wire import Wire, wire

RESPONSES, GEMINI = wire("openai_responses"), wire("gemini")


def frame_of(dialect: Wire, body: dict[str, Any]) -> Frame:
    return dialect.read_request(json.dumps(body).encode(), id_prefix="r")[0]


def round_trip(dialect: Wire, body: bytes) -> bytes:
    frame, messages, media = dialect.read_request(body, id_prefix="r")
    return dialect.write_request(frame, dialect.write_messages(messages, media))


STRINGS = [
    (RESPONSES, b'{"model":"m", "input" : "He\\u006clo", "x":1}'),
    (RESPONSES, b'{"input":""}'),
    (GEMINI, b'{"model":"m","contents": "He\\u006clo","config":{ }}'),
]


@pytest.mark.parametrize(("dialect", "body"), STRINGS)
def test_one_string_goes_back_out_as_one_string(dialect: Wire, body: bytes) -> None:
    assert round_trip(dialect, body) == body


@pytest.mark.parametrize(("dialect", "body"), STRINGS)
def test_one_string_becomes_a_list_when_more_is_said(dialect: Wire, body: bytes) -> None:
    frame, messages, media = dialect.read_request(body, id_prefix="r")
    more = Message(id="x", role=Role.USER, parts=(Text("more"),))
    written = json.loads(dialect.write_request(frame, dialect.write_messages([*messages, more], media)))
    assert len(written.get("input", written.get("contents"))) == 2
    assert {key: value for key, value in written.items() if key not in ("input", "contents")} == {
        key: value for key, value in json.loads(body).items() if key not in ("input", "contents")
    }


@pytest.mark.parametrize(("dialect", "body"), STRINGS)
def test_the_output_limit_can_be_set_beside_a_string(dialect: Wire, body: bytes) -> None:
    frame, messages, media = dialect.read_request(body, id_prefix="r")
    lowered = dialect.with_max_output(frame, 7)
    assert dialect.max_output(lowered) == 7
    assert json.loads(dialect.write_request(lowered, dialect.write_messages(messages, media))) == {
        **json.loads(body),
        **({"max_output_tokens": 7} if dialect is RESPONSES else {"config": {"maxOutputTokens": 7}}),
    }


def test_items_that_lead_with_system_text_are_the_frames() -> None:
    tools = {"type": "additional_tools", "role": "developer", "tools": [{"type": "function", "name": "f"}]}
    items = [{"role": "developer", "content": "be kind"}, tools, {"role": "user", "content": "a"}]
    body = json.dumps({"input": items, "instructions": "be brief"}).encode()
    frame, messages, _ = RESPONSES.read_request(body, id_prefix="r")
    assert [message.id for message in frame.system] == ["r-000000", "r-000001"]
    assert [message.id for message in messages] == ["r-000002"]
    assert list(RESPONSES.frame_texts(frame)) == [
        "be brief",
        "be kind",
        '{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f"}]}',
    ]
    assert round_trip(RESPONSES, body) == body


def test_everything_that_responses_tokenizes_of_a_frame_is_given() -> None:
    frame = frame_of(
        RESPONSES,
        {
            "input": "a",
            "instructions": "be brief",
            "tools": [{"type": "function", "name": "f", "parameters": {}}],
            "text": {"format": {"type": "json_schema", "name": "s"}, "verbosity": "low"},
        },
    )
    assert list(RESPONSES.frame_texts(frame)) == [
        "be brief",
        '{"type":"function","name":"f","parameters":{}}',
        '{"type":"json_schema","name":"s"}',
    ]


REST = {
    "contents": [],
    "systemInstruction": {"role": "user", "parts": [{"text": "be kind"}, {"text": "be brief"}]},
    "tools": [{"functionDeclarations": [{"name": "f"}, {"name": "g"}]}, {"googleSearch": {}}],
    "generationConfig": {"maxOutputTokens": 9, "responseSchema": {"type": "OBJECT"}},
}
SDK = {
    "model": "gemini-3-pro",
    "contents": [],
    "config": {
        "system_instruction": "be kind",
        "tools": [{"function_declarations": [{"name": "f"}]}],
        "max_output_tokens": 9,
        "response_json_schema": {"type": "object"},
    },
}


def test_everything_that_gemini_tokenizes_of_a_frame_is_given() -> None:
    assert list(GEMINI.frame_texts(frame_of(GEMINI, REST))) == [
        "be kind",
        "be brief",
        '{"name":"f"}',
        '{"name":"g"}',
        '{"googleSearch":{}}',
        '{"type":"OBJECT"}',
    ]
    assert list(GEMINI.frame_texts(frame_of(GEMINI, SDK))) == ["be kind", '{"name":"f"}', '{"type":"object"}']
    several = frame_of(GEMINI, {"contents": [], "system_instruction": ["be kind", {"text": "be brief"}]})
    assert list(GEMINI.frame_texts(several)) == ["be kind", "be brief"]


@pytest.mark.parametrize(
    ("body", "limit", "lowered"),
    [
        (REST, 9, ("generationConfig", {"maxOutputTokens": 7, "responseSchema": {"type": "OBJECT"}})),
        (
            {"contents": [], "generation_config": {"max_output_tokens": 9}},
            9,
            ("generation_config", {"max_output_tokens": 7}),
        ),
        (
            {"contents": [], "generationConfig": {"topK": 1}},
            None,
            ("generationConfig", {"topK": 1, "maxOutputTokens": 7}),
        ),
        ({"contents": [], "config": None}, None, ("config", {"maxOutputTokens": 7})),
        ({"contents": []}, None, ("generationConfig", {"maxOutputTokens": 7})),
        (SDK, 9, ("config", {**SDK["config"], "max_output_tokens": 7})),
    ],
)
def test_the_output_limit_of_gemini_is_set_where_it_is(
    body: dict[str, Any], limit: int | None, lowered: tuple[str, object]
) -> None:
    frame = frame_of(GEMINI, body)
    assert GEMINI.max_output(frame) == limit
    written = json.loads(GEMINI.write_request(GEMINI.with_max_output(frame, 7), []))
    assert written == {**body, lowered[0]: lowered[1]}


def test_the_output_limit_of_responses_is_set_where_it_is() -> None:
    frame = frame_of(RESPONSES, {"input": [], "max_output_tokens": 9, "model": "m"})
    assert RESPONSES.max_output(frame) == 9
    assert RESPONSES.write_request(RESPONSES.with_max_output(frame, 7), []) == (
        b'{"input": [], "max_output_tokens": 7, "model": "m"}'
    )


def test_a_frame_without_an_envelope_is_written_from_its_fields() -> None:
    fields = (("model", '"m"'),)
    assert RESPONSES.write_request(Frame(dialect="openai_responses", fields=fields), ["{}"]) == (
        b'{"model":"m","input":[{}]}'
    )
    assert GEMINI.write_request(Frame(dialect="gemini", fields=fields), ["{}"]) == b'{"model":"m","contents":[{}]}'


def test_several_items_in_one_text_stand_one_by_one_in_a_request() -> None:
    frame = frame_of(RESPONSES, {"input": [{"id": "msg_1"}, {"id": "msg_2"}]})
    assert RESPONSES.write_request(frame, ['[{"a":1},{"b" :2}]', '{"c":3}']) == (
        b'{"input": [{"a":1}, {"b" :2}, {"c":3}]}'
    )


@pytest.mark.parametrize(
    ("dialect", "body", "complaint"),
    [
        (RESPONSES, b"{}", "`input` is missing or no list"),
        (RESPONSES, b'{"input":{}}', "`input` is missing or no list"),
        (RESPONSES, b"[]", "send an object with the field `input`"),
        (GEMINI, b"{}", "`contents` is missing or no list"),
        (GEMINI, b'{"contents":{"role":"user"}}', "`contents` is missing or no list"),
        (GEMINI, b'{"contents":["hello"]}', "a content is no JSON object"),
    ],
)
def test_what_is_no_request_is_refused_by_the_name_of_the_field(dialect: Wire, body: bytes, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        dialect.read_request(body, id_prefix="r")


def test_system_messages_in_a_gemini_frame_are_refused_not_lost() -> None:
    frame = Frame(dialect="gemini", system=(Message(id="s", role=Role.SYSTEM, parts=(Text("a"),)),))
    with pytest.raises(BadInput, match="field `systemInstruction`"):
        GEMINI.write_request(frame, [])


@pytest.mark.parametrize("dialect", [RESPONSES, GEMINI])
def test_another_dialects_frame_is_refused(dialect: Wire) -> None:
    with pytest.raises(BadInput, match=f"the frame speaks openai_chat and the request goes out as {dialect.name}"):
        dialect.write_request(Frame(dialect="openai_chat"), [])

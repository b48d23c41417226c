"""Whole requests: taken apart and put together again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.wire.crossings import LISTED
from tests.wire.odd_json import Pairs, texts, values, written
from tests.wire.strategies import MESSAGES
from unabridged.errors import BadInput
from unabridged.frame import Frame
from unabridged.message import Message, Role, Text
from unabridged.wire import Wire, wire

DIALECTS = ["anthropic", "openai_chat"]
ANTHROPIC, OPENAI = wire("anthropic"), wire("openai_chat")


def round_trip(dialect: Wire, body: bytes) -> bytes:
    frame, messages, media = dialect.read_request(body, id_prefix="r")
    return dialect.write_request(frame, dialect.write_messages(messages, media))


def body_of(dialect: str, **fields: Any) -> bytes:
    return json.dumps({"model": "m", "messages": [], **fields}).encode()


@st.composite
def requests(draw: st.DrawFn, dialect: str) -> bytes:
    """A request body of any fields, with the messages anywhere among them and evenly apart."""
    one = MESSAGES[dialect].filter(lambda body: not body.lstrip().startswith("["))  # several items have no bracket here
    messages = draw(st.lists(one, max_size=4))
    space = st.sampled_from(["", " ", "\n  "])
    apart = f"{draw(space)},{draw(space)}"
    name = LISTED.get(dialect, "messages")
    fields = Pairs(draw(st.lists(st.tuples(texts.filter(lambda key: key != name), values), max_size=4)))
    members = [
        written(Pairs([field]), draw(st.randoms(use_true_random=False))).strip()[1:-1].strip() for field in fields
    ]
    at = draw(st.integers(0, len(members)))
    listed = f'"{name}"{draw(space)}:{draw(space)}[{draw(space)}{apart.join(messages)}{draw(space)}]'
    members.insert(at, listed)
    return ("{" + ",".join(members) + "}" + draw(space)).encode("utf-8", "backslashreplace")


@given(st.data(), st.sampled_from(sorted(MESSAGES)))
def test_a_request_goes_back_out_as_the_bytes_that_came_in(data: st.DataObject, dialect: str) -> None:
    body = data.draw(requests(dialect))
    frame, messages, media = wire(dialect).read_request(body, id_prefix="r")
    # One by one: a run may be put in the order that the provider wants.
    out = [wire(dialect).write_message(message, media) for message in messages]
    assert wire(dialect).write_request(frame, out) == body


def test_the_frame_holds_everything_but_the_messages_in_order() -> None:
    body = b'{"model": "m", "x": 1.0e5, "messages": [{"role": "user", "content": "a"}], "tools":[ ], "x": 2}'
    frame, messages, _ = ANTHROPIC.read_request(body, id_prefix="abc")
    assert frame.dialect == "anthropic"
    assert frame.fields == (("model", '"m"'), ("x", "1.0e5"), ("tools", "[ ]"), ("x", "2"))
    assert [message.id for message in messages] == ["abc-000000"]


def test_system_messages_that_lead_the_list_are_the_frames() -> None:
    roles = ["system", "developer", "user", "system"]
    body = json.dumps({"messages": [{"role": role, "content": role} for role in roles]}).encode()
    frame, messages, _ = OPENAI.read_request(body, id_prefix="r")
    assert [(message.id, message.text) for message in frame.system] == [
        ("r-000000", "system"),
        ("r-000001", "developer"),
    ]
    assert [(message.id, message.role) for message in messages] == [("r-000002", Role.USER), ("r-000003", Role.SYSTEM)]
    assert round_trip(OPENAI, body) == body


def test_a_leading_system_message_of_anthropic_is_transcript() -> None:
    frame, messages, _ = ANTHROPIC.read_request(b'{"messages":[{"role":"system","content":"a"}]}', id_prefix="r")
    assert (frame.system, len(messages)) == ((), 1)


def test_a_frame_keeps_the_media_of_its_system_messages() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "AAAA" * 100}}
    body = json.dumps({"messages": [{"role": "system", "content": [image]}]}).encode()
    assert round_trip(OPENAI, body) == body


def test_more_messages_are_written_as_far_apart_as_the_others() -> None:
    body = b'{"messages": [\n {"role":"user","content":"a"},\n {"role":"user","content":"b"}\n]}'
    frame, messages, media = ANTHROPIC.read_request(body, id_prefix="r")
    out = ANTHROPIC.write_messages(messages, media)
    assert ANTHROPIC.write_request(frame, [*out, "{}"]) == body.replace(b"\n]", b",\n {}\n]")
    assert ANTHROPIC.write_request(frame, out[:1]) == body.replace(b',\n {"role":"user","content":"b"}', b"")


def test_uneven_white_space_between_messages_is_made_even() -> None:
    body = b'{"messages":[{"role":"user"}, {"role":"user"},\n{"role":"user"}]}'
    assert round_trip(ANTHROPIC, body) == body.replace(b",\n", b", ")


def test_a_frame_without_an_envelope_is_written_from_its_fields() -> None:
    frame = Frame(
        dialect="openai_chat",
        system=(Message(id="s", role=Role.SYSTEM, parts=(Text("be kind"),)),),
        fields=(("model", '"m"'), ("tools", "[1.0e5]")),
    )
    expected = '{"model":"m","tools":[1.0e5],"messages":[{"role":"system","content":"be kind"},{"role":"user"}]}'
    assert OPENAI.write_request(frame, ['{"role":"user"}']) == expected.encode()


def test_half_a_surrogate_pair_outside_an_escape_becomes_one() -> None:
    frame = Frame(dialect="anthropic", fields=(("x", '"\ud800"'),))
    assert ANTHROPIC.write_request(frame, []) == b'{"x":"\\ud800","messages":[]}'


def test_another_dialects_frame_is_refused() -> None:
    with pytest.raises(BadInput, match="the frame speaks openai_chat and the request goes out as anthropic"):
        ANTHROPIC.write_request(Frame(dialect="openai_chat"), [])


def test_system_messages_in_an_anthropic_frame_are_refused_not_lost() -> None:
    frame = Frame(dialect="anthropic", system=(Message(id="s", role=Role.SYSTEM, parts=(Text("a"),)),))
    with pytest.raises(BadInput, match="field `system`"):
        ANTHROPIC.write_request(frame, [])


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "the request is not JSON"),
        (b'{"messages":[]', "the request is not JSON"),
        (b'{"messages":["\xff"]}', r"the request is not UTF-8 \(byte 14\)"),
        (b"[]", "the request is no JSON object"),
        (b"{}", "`messages` is missing or no list"),
        (b'{"messages":{}}', "`messages` is missing or no list"),
        (b'{"messages":[{"role":"user"},7]}', r"messages\[1\] is no JSON object"),
        (b'{"messages":[{"content":"a"}]}', r"messages\[0\] has no `role`"),
    ],
)
def test_what_is_no_request_is_refused_by_the_name_of_the_field(dialect: str, body: bytes, complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        wire(dialect).read_request(body, id_prefix="r")


@pytest.mark.parametrize(
    ("dialect", "fields", "limit"),
    [
        ("anthropic", {"max_tokens": 5}, 5),
        ("anthropic", {}, None),
        ("anthropic", {"max_tokens": "many"}, None),
        ("anthropic", {"max_tokens": 1.5}, None),
        ("openai_chat", {"max_tokens": 5}, 5),
        ("openai_chat", {"max_tokens": 5, "max_completion_tokens": 7}, 7),
        ("openai_chat", {"max_tokens": None}, None),
    ],
)
def test_the_output_limit_is_read_from_the_field_that_counts(dialect: str, fields: Any, limit: int | None) -> None:
    frame, _, _ = wire(dialect).read_request(body_of(dialect, **fields), id_prefix="r")
    assert wire(dialect).max_output(frame) == limit


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ('{"max_tokens" : 9000, "messages": [{"role":"user"}]}', '{"max_tokens" : 7, "messages": [{"role":"user"}]}'),
        ('{"messages": [{"role":"user"}], "max_tokens" : 9000 }', '{"messages": [{"role":"user"}], "max_tokens" : 7 }'),
        ('{"messages": [{"role":"user"}] }', '{"messages": [{"role":"user"}],"max_tokens":7 }'),
        ('{"messages": [], "model":"m" }', '{"messages": [], "model":"m","max_tokens":7 }'),
    ],
)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_another_output_limit_changes_nothing_else(dialect: str, body: str, expected: str) -> None:
    frame, messages, media = wire(dialect).read_request(body.encode(), id_prefix="r")
    lowered = wire(dialect).with_max_output(frame, 7)
    assert wire(dialect).max_output(lowered) == 7
    out = wire(dialect).write_messages(messages, media)
    assert wire(dialect).write_request(lowered, out).decode() == expected


def test_of_two_fields_of_one_name_the_last_counts() -> None:
    body = b'{"max_tokens":5,"max_tokens":9,"messages":[]}'
    frame, _, _ = ANTHROPIC.read_request(body, id_prefix="r")
    assert ANTHROPIC.max_output(frame) == 9
    lowered = ANTHROPIC.with_max_output(frame, 7)
    assert (ANTHROPIC.max_output(lowered), lowered.fields[0]) == (7, ("max_tokens", "5"))
    assert ANTHROPIC.write_request(lowered, []) == body.replace(b"9", b"7")


def test_the_newer_limit_of_openai_is_lowered_where_it_is_used() -> None:
    frame, _, _ = OPENAI.read_request(b'{"max_completion_tokens":9000,"messages":[]}', id_prefix="r")
    assert OPENAI.write_request(OPENAI.with_max_output(frame, 7), []) == b'{"max_completion_tokens":7,"messages":[]}'


def test_a_limit_can_be_set_on_a_frame_built_by_hand() -> None:
    frame = ANTHROPIC.with_max_output(Frame(dialect="anthropic", fields=(("max_tokens", "9"), ("model", '"m"'))), 7)
    assert frame.fields == (("max_tokens", "7"), ("model", '"m"'))


def test_everything_that_anthropic_tokenizes_of_a_frame_is_given() -> None:
    body = body_of(
        "anthropic",
        system=[{"type": "text", "text": "be kind", "cache_control": {}}, {"type": "text", "text": "be brief"}],
        tools=[{"name": "f", "input_schema": {"type": "object"}}, {"type": "web_search_20250305"}],
        output_config={"format": {"type": "json_schema"}},
        max_tokens=5,
    )
    frame, _, _ = ANTHROPIC.read_request(body, id_prefix="r")
    assert list(ANTHROPIC.frame_texts(frame)) == [
        "be kind",
        "be brief",
        '{"name":"f","input_schema":{"type":"object"}}',
        '{"type":"web_search_20250305"}',
        '{"format":{"type":"json_schema"}}',
    ]
    frame, _, _ = ANTHROPIC.read_request(body_of("anthropic", system="be kind"), id_prefix="r")
    assert list(ANTHROPIC.frame_texts(frame)) == ["be kind"]


def test_everything_that_openai_tokenizes_of_a_frame_is_given() -> None:
    body = body_of(
        "openai_chat",
        messages=[{"role": "system", "content": "be kind"}, {"role": "user", "content": "a"}],
        tools=[{"type": "function", "function": {"name": "f", "description": "日"}}],
        functions=[{"name": "g"}],
        response_format={"type": "json_object"},
    )
    frame, _, _ = OPENAI.read_request(body, id_prefix="r")
    assert list(OPENAI.frame_texts(frame)) == [
        "be kind",
        '{"type":"function","function":{"name":"f","description":"日"}}',
        '{"name":"g"}',
        '{"type":"json_object"}',
    ]


def test_a_schema_that_cannot_be_made_compact_is_given_as_it_is() -> None:
    frame = Frame(dialect="anthropic", fields=(("tools", '[{"name" :"\\ud800"}]'),))
    assert list(ANTHROPIC.frame_texts(frame)) == ['{"name" :"\\ud800"}']


def test_wires_are_found_by_name() -> None:
    assert [wire(name).name for name in DIALECTS] == DIALECTS
    known = "anthropic, gemini, openai_chat, openai_responses"
    with pytest.raises(BadInput, match=f"unknown wire 'cobol': use one of {known}"):
        wire("cobol")

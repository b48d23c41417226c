"""Editing changes what it is told to, and nothing else."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.wire.odd_json import texts
from tests.wire.strategies import MESSAGES
from unabridged.errors import BadInput
from unabridged.message import (
    Media,
    Message,
    Opaque,
    Part,
    Raw,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.wire import wire

dialects = st.sampled_from(sorted(MESSAGES))
new_texts = texts.filter(bool).map(lambda text: Text(json.loads(json.dumps(text))))


def new_parts(part: Part, message: Message) -> st.SearchStrategy[Part | None]:
    """What a part may become: itself, nothing, and what cutting makes of its kind."""
    stays_or_goes = st.just(part) | st.none()
    match part:
        case Text() | Media():
            return stays_or_goes | new_texts
        case ToolCall():
            arguments = texts if part.custom else st.dictionaries(texts, texts, max_size=2).map(json.dumps)
            as_read = arguments.map(lambda text: json.loads(json.dumps(text)))
            return stays_or_goes | as_read.map(lambda text: ToolCall(part.id, part.name, text, part.custom))
        case ToolResult():
            # The old form of a result has no id of its own: the name of its function stands for it.
            return stays_or_goes | new_results(part, [part.call_id] if part.call_id == message.name else ["another"])
        case Opaque() if message.raw is not None and message.raw.dialect == "anthropic":
            return stays_or_goes | new_texts
        case _:
            return stays_or_goes


@st.composite
def new_results(draw: st.DrawFn, result: ToolResult, ids: list[str]) -> ToolResult:
    """A result with pieces cut or taken out, and some put in; media stay or go, in their order."""
    pieces: list[Any] = []
    for piece in result.parts:
        pieces += draw(st.lists(new_texts, max_size=1))
        pieces.append(draw(st.just(piece) | st.none() | new_texts | st.just(Text(""))))
    return ToolResult(
        draw(st.sampled_from(ids)), tuple(piece for piece in pieces if piece is not None), result.is_error
    )


def must_stay(message: Message, dialect: str) -> bool:
    """Whether the provider's form of a message cannot be empty."""
    return dialect != "openai_chat" or message.role is Role.TOOL


@given(st.data(), dialects)
def test_the_changed_message_reads_as_exactly_the_parts_given(data: st.DataObject, dialect: str) -> None:
    message, media = wire(dialect).read_message(data.draw(MESSAGES[dialect]), id="m")
    for _ in range(2):
        parts = [data.draw(new_parts(part, message)) for part in message.parts]
        assume(any(parts) or not must_stay(message, dialect))
        message = wire(dialect).edit(message, parts)
        kept = [part for part in parts if part is not None]
        assert list(map(loosely, message.parts)) == list(map(loosely, kept))
        again, _ = wire(dialect).read_message(wire(dialect).write_message(message, media), id="m")
        assert (again.parts, again.raw) == (message.parts, message.raw)


def loosely(part: Part) -> object:
    """A part but for what the form of some providers settles: that texts come first, the ids of their own items."""
    if isinstance(part, ToolResult):
        return part.call_id, sorted(part.parts, key=lambda piece: not isinstance(piece, Text))
    return part.kind if isinstance(part, Opaque) else part


@given(st.data(), dialects)
def test_what_is_not_a_part_stays(data: st.DataObject, dialect: str) -> None:
    body = data.draw(MESSAGES[dialect])
    message, media = wire(dialect).read_message(body, id="m")
    parts = [data.draw(st.just(part) | new_texts) if isinstance(part, Text) else part for part in message.parts]
    edited = wire(dialect).write_message(wire(dialect).edit(message, parts), media)
    assert without_content(edited) == without_content(body)


def without_content(body: str) -> str:
    """A message, or its items, as if no text had ever been in it."""
    value = json.loads(body, parse_int=str)
    return repr([wordless(item) for item in value] if isinstance(value, list) else wordless(value))


def wordless(message: dict[str, Any]) -> dict[str, Any]:
    parts = message.get("parts", ())
    silent = [part | {"text": None} if isinstance(part, dict) and "text" in part else part for part in parts]
    return message | {"content": None, "refusal": None, "parts": silent}


def read(dialect: str, body: str) -> Message:
    return wire(dialect).read_message(body, id="m")[0]


def edited(dialect: str, body: str, *parts: Part | None) -> str:
    message = wire(dialect).edit(read(dialect, body), parts)
    return wire(dialect).write_message(message, {})


def test_only_the_characters_of_the_text_change() -> None:
    block = '{"cache_control":{"type":"ephemeral"}, "text":"l\\u006fng", "type":"text"}'
    body = f'{{ "role":"user",  "content" : [ {block} ], "n":1.0e5}}'
    assert edited("anthropic", body, Text("short")) == body.replace("l\\u006fng", "short")
    body = '{ "role":"user" , "content":\n"l\\u006fng", "n":1.0e5}'
    assert edited("anthropic", body, Text("short")) == body.replace("l\\u006fng", "short")
    assert edited("openai_chat", body, Text("short")) == body.replace("l\\u006fng", "short")


def test_a_block_that_is_taken_out_takes_one_comma_with_it() -> None:
    blocks = '[ {"type":"text","text":"a"} , {"type":"text","text":"b"},\n{"type":"text","text":"c"} ]'
    body = f'{{"role":"user","content":{blocks}}}'
    a, b, c = Text("a"), Text("b"), Text("c")
    assert edited("anthropic", body, None, b, c) == body.replace('{"type":"text","text":"a"} , ', "")
    assert edited("anthropic", body, a, None, c) == body.replace('{"type":"text","text":"b"},\n', "")
    assert edited("anthropic", body, a, None, None) == body.replace(
        ' , {"type":"text","text":"b"},\n{"type":"text","text":"c"}', ""
    )


def test_a_picture_becomes_a_text_block_and_its_cache_mark_stays() -> None:
    data = base64.b64encode(bytes(300)).decode()
    source = f'{{"type":"base64","media_type":"image/png","data":"{data}"}}'
    image = f'{{"type":"image","source":{source},"cache_control":{{"type":"ephemeral"}}}}'
    body = f'{{"role":"user","content":[{image},{{"type":"text","text":"look"}}]}}'
    text = '{"type":"text","text":"[gone]","cache_control":{"type":"ephemeral"}}'
    assert edited("anthropic", body, Text("[gone]"), Text("look")) == body.replace(image, text)


def test_media_behind_a_change_come_back_where_they_belong() -> None:
    data = base64.b64encode(bytes(300)).decode()
    image = f'{{"type":"image_url","image_url":{{"url":"data:image/png;base64,{data}"}}}}'
    body = f'{{"role":"user","content":[{image},{{"type":"text","text":"long"}},{image}]}}'
    message, media = wire("openai_chat").read_message(body, id="m")
    first, _, last = message.parts
    longer = wire("openai_chat").edit(message, [first, Text("much longer"), last])
    assert wire("openai_chat").write_message(longer, media) == body.replace("long", "much longer")
    without_first = wire("openai_chat").edit(longer, [None, Text("x"), last])
    assert without_first.raw is not None
    assert len(without_first.raw.media) == 1
    expected = f'{{"role":"user","content":[{{"type":"text","text":"x"}},{image}]}}'
    assert wire("openai_chat").write_message(without_first, media) == expected


def test_a_result_keeps_its_shape_and_everything_around_it() -> None:
    string = (
        '{"role":"user","content":[{"tool_use_id":"t","content":"long","is_error":true,"type":"tool_result","x":1}]}'
    )
    blocks = string.replace(
        '"long"', '[{"text":"long","type":"text","cache_control":{}},{"type":"text","text":"more"}]'
    )
    short = ToolResult("t", (Text("short"),), is_error=True)
    assert edited("anthropic", string, short) == string.replace("long", "short")
    assert edited("anthropic", blocks, short) == string.replace(
        '"long"', '[{"text":"short","type":"text","cache_control":{}}]'
    )


def test_a_result_without_output_can_be_given_one() -> None:
    body = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t"}]}'
    given_one = '{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"(empty)"}]}'
    assert edited("anthropic", body, ToolResult("t", (Text("(empty)"),))) == given_one
    body = '{"role":"tool","tool_call_id":"t","content":[]}'
    assert edited("openai_chat", body, ToolResult("t", (Text("(empty)"),))) == body.replace("[]", '"(empty)"')


def test_arguments_change_and_the_signature_beside_them_stays() -> None:
    function = '{"name":"f","arguments":"{\\"a\\":\\"long\\"}"}'
    call = f'{{"id":"c","type":"function","function":{function},"extra_content":{{"s":"Eg=="}}}}'
    body = f'{{"role":"assistant","content":null,"tool_calls":[ {call} ]}}'
    assert edited("openai_chat", body, ToolCall("c", "f", '{"a":"s"}')) == body.replace("long", "s")
    body = '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"a":"long"},"caller":{}}]}'
    assert edited("anthropic", body, ToolCall("c", "f", '{"a": "s"}')) == body.replace('{"a":"long"}', '{"a": "s"}')


def test_arguments_have_to_be_json_where_the_provider_wants_an_object() -> None:
    body = '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]}'
    with pytest.raises(BadInput, match="the arguments of call c of message m is not JSON"):
        edited("anthropic", body, ToolCall("c", "f", "{"))


def test_a_new_id_reaches_only_what_has_ids() -> None:
    body = '{"role":"tool","tool_call_id":"a","content":"done"}'
    assert edited("openai_chat", body, ToolResult("b", (Text("done"),))) == body.replace('"a"', '"b"')
    body = '{"role":"function","name":"f","content":"done"}'
    assert edited("openai_chat", body, ToolResult("b", (Text("done"),))) == body


def test_the_last_call_takes_the_member_with_it() -> None:
    call = '{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}'
    body = f'{{"role":"assistant","content":"a","tool_calls":[{call},{call}],"x":1}}'
    a, c = Text("a"), ToolCall("c", "f", "{}")
    assert edited("openai_chat", body, a, c, None) == body.replace(f",{call}", "")
    assert edited("openai_chat", body, a, None, None) == '{"role":"assistant","content":"a","x":1}'


def test_all_forms_of_the_thoughts_leave_together() -> None:
    body = '{"reasoning":"hm","role":"assistant","content":"a","reasoning_content":"hm","reasoning_details":[{}]}'
    assert edited("openai_chat", body, None, Text("a")) == '{"role":"assistant","content":"a"}'


@pytest.mark.parametrize(("role", "nothing"), [("assistant", "null"), ("user", '""')])
def test_content_that_is_taken_out_is_never_an_empty_list(role: str, nothing: str) -> None:
    body = f'{{"role":"{role}","content":[{{"type":"text","text":"a"}}]}}'
    assert edited("openai_chat", body, None) == f'{{"role":"{role}","content":{nothing}}}'


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("anthropic", '{"role":"user","content":"a"}'),
        ("anthropic", '{"role":"user","content":[{"type":"text","text":"a"}]}'),
        ("openai_chat", '{"role":"tool","tool_call_id":"c","content":"a"}'),
    ],
)
def test_a_message_that_cannot_be_empty_is_not_made_empty(dialect: str, body: str) -> None:
    with pytest.raises(BadInput, match="nothing would be left of message m"):
        edited(dialect, body, None)


@pytest.mark.parametrize(
    ("dialect", "body"),
    [
        ("anthropic", '{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"E"}]}'),
        ("openai_chat", '{"role":"assistant","reasoning":"hm","reasoning_details":[{}]}'),
    ],
)
def test_signed_thoughts_are_never_edited(dialect: str, body: str) -> None:
    (thoughts,) = read(dialect, body).parts
    assert isinstance(thoughts, Reasoning)
    with pytest.raises(BadInput):
        edited(dialect, body, Reasoning("h", thoughts.signature))
    with pytest.raises(BadInput):
        edited(dialect, body, Reasoning("h"))


def test_more_that_is_known_of_media_changes_no_character() -> None:
    body = '{"role":"user","content":[{"type":"image","source":{"type":"url","url":"https://example.org/a.png"}}]}'
    message = read("anthropic", body)
    (media,) = message.parts
    assert isinstance(media, Media)
    known = wire("anthropic").edit(message, [Media(kind=media.kind, url=media.url, width=3, height=4)])
    assert known.raw == message.raw
    assert known.parts[0] != media


def test_parts_are_replaced_one_for_one() -> None:
    with pytest.raises(BadInput, match="message m has 1 parts and 2 were given"):
        edited("anthropic", '{"role":"user","content":"a"}', Text("a"), Text("b"))


def test_a_raw_form_that_holds_other_parts_is_refused() -> None:
    message = Message(id="m", role=Role.USER, parts=(Text("a"), Text("b")), raw=Raw("openai_chat", '{"role":"user"}'))
    with pytest.raises(BadInput, match="a raw form holds 0 parts and its message 2"):
        wire("openai_chat").edit(message, [Text("x"), Text("b")])


def test_a_message_without_a_raw_form_changes_in_its_parts() -> None:
    message = Message(id="m", role=Role.USER, parts=(Text("a"), Text("b")))
    assert wire("openai_chat").edit(message, [None, Text("c")]).parts == (Text("c"),)


def test_another_providers_message_keeps_its_providers_form() -> None:
    message = read("anthropic", '{"role":"user","content":"long"}')
    changed = wire("openai_chat").edit(message, [Text("short")])
    assert changed.raw == Raw("anthropic", '{"role":"user","content":"short"}')


def test_an_edit_that_changes_nothing_gives_the_same_message() -> None:
    message = read("anthropic", '{"role":"user","content":"a"}')
    assert wire("anthropic").edit(message, message.parts) is message

"""Editing Responses items and Gemini contents: what else changes when something is taken out, and what does not."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from unabridged.errors import BadInput
from unabridged.message import Media, MediaKind, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.wire import wire

REASONING = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}'
SAID = '{"id":"msg_1", "type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}],"phase":"x"}'
CALL = '{"type":"function_call","call_id":"c1","name":"f","arguments":"{\\"a\\":\\"long\\"}","id":"fc_1"}'
SEARCH = '{"type":"web_search_call","id":"ws_1","status":"completed"}'
PICTURE = base64.b64encode(bytes(300)).decode()
SKIP = "skip_thought_signature_validator"


def read(dialect: str, body: str) -> Message:
    return wire(dialect).read_message(body, id="m")[0]


def edited(dialect: str, body: str, *parts: Part | None) -> str:
    message = wire(dialect).edit(read(dialect, body), parts)
    again, _ = wire(dialect).read_message(wire(dialect).write_message(message, {}), id="m")
    assert again.parts == message.parts
    return wire(dialect).write_message(message, {})


def responses(body: str, *parts: Part | None) -> str:
    return edited("openai_responses", body, *parts)


def gemini(body: str, *parts: Part | None) -> str:
    return edited("gemini", body, *parts)


def test_only_the_characters_of_the_arguments_change() -> None:
    body = f"[ {REASONING} , {SAID},{CALL}]"
    reasoning, said, _ = read("openai_responses", body).parts
    short = ToolCall("c1", "f", '{"a":"s"}')
    assert responses(body, reasoning, said, short) == body.replace("long", "s")
    assert responses(CALL, short) == CALL.replace("long", "s")


def test_items_behind_reasoning_that_is_taken_out_lose_their_ids() -> None:
    body = f"[{REASONING},{SAID},{CALL}]"
    _, said, call = read("openai_responses", body).parts
    nameless = f"[{SAID},{CALL}]".replace('"id":"msg_1", ', "").replace(',"id":"fc_1"', "")
    assert responses(body, None, said, call) == nameless


def test_items_behind_other_reasoning_keep_their_ids() -> None:
    other = REASONING.replace("rs_1", "rs_2")
    body = f"[{REASONING},{SAID},{other},{CALL}]"
    with pytest.raises(BadInput, match="not one message"):
        read("openai_responses", body)
    body = f"[{REASONING},{other},{CALL}]"
    _, second, call = read("openai_responses", body).parts
    assert responses(body, None, second, call) == f"[{other},{CALL}]"


def test_items_of_the_providers_own_lose_their_ids_too_but_references_are_nothing_else() -> None:
    reference = '{"type":"item_reference","id":"msg_2"}'
    body = f"[{REASONING},{SEARCH},{reference}]"
    _, search, pointer = read("openai_responses", body).parts
    nameless = SEARCH.replace('"id":"ws_1",', "")
    assert responses(body, None, search, pointer) == f"[{nameless},{reference}]"
    message = wire("openai_responses").edit(read("openai_responses", body), [None, search, pointer])
    assert message.parts == (Opaque("web_search_call", nameless), pointer)


def test_a_message_item_leaves_when_its_last_block_does() -> None:
    body = f"[{SAID},{CALL}]"
    _, call = read("openai_responses", body).parts
    assert responses(body, None, call) == f"[{CALL}]"


def test_a_picture_becomes_a_text_block_of_its_own_side() -> None:
    image = '{"type":"input_image","image_url":"https://a.b/c.png"}'
    body = f'{{"role":"user","content":[{image}]}}'
    assert responses(body, Text("[gone]")) == body.replace(image, '{"type":"input_text","text":"[gone]"}')
    output = f'{{"type":"function_call_output","call_id":"c","output":[{image}]}}'
    assert responses(output, ToolResult("c", (Text("[gone]"),))) == output.replace(
        image, '{"type":"input_text","text":"[gone]"}'
    )
    odd = '{"type":"message","role":"assistant","content":[{"type":"hologram"}]}'
    assert json.loads(responses(odd, Text("[gone]")))["content"] == [
        {"type": "output_text", "text": "[gone]", "annotations": []}
    ]


def test_an_output_keeps_its_shape() -> None:
    body = '{"type":"function_call_output","call_id":"c", "output":"long","x":1}'
    assert responses(body, ToolResult("c", (Text("s"),))) == body.replace("long", "s")
    assert responses(body, ToolResult("d", (Text("long"),))) == body.replace('"c"', '"d"')


@pytest.mark.parametrize(
    ("dialect", "body", "part"),
    [
        ("openai_responses", REASONING, Reasoning("h", "gAAA")),
        ("openai_responses", REASONING, Text("h")),
        ("openai_responses", CALL, Text("h")),
        ("openai_responses", CALL, ToolCall("c1", "f", "x", custom=True)),
        ("gemini", '{"parts":[{"text":"hm","thought":true,"thoughtSignature":"c2ln"}]}', Reasoning("h", "c2ln")),
        ("gemini", '{"parts":[{"text":"","thoughtSignature":"c2ln"}]}', Reasoning("h", "c2ln")),
        ("gemini", '{"parts":[{"functionCall":{"name":"f"}}]}', Text("h")),
    ],
)
def test_what_a_place_cannot_hold_is_refused(dialect: str, body: str, part: Part) -> None:
    with pytest.raises(BadInput, match="of message m"):
        edited(dialect, body, part)


@pytest.mark.parametrize(
    ("dialect", "body"), [("openai_responses", SAID), ("gemini", '{"role":"user","parts":[{"text":"a"}]}')]
)
def test_a_message_that_cannot_be_empty_is_not_made_empty(dialect: str, body: str) -> None:
    with pytest.raises(BadInput, match="nothing would be left of message m"):
        edited(dialect, body, None)


def test_a_call_whose_signature_leaves_carries_what_stands_for_one() -> None:
    body = '{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":"long"}},"thoughtSignature":"c2ln"}]}'
    signature, _ = read("gemini", body).parts
    short = ToolCall("f", "f", '{"a":"s"}')
    assert gemini(body, signature, short) == body.replace("long", "s")
    assert gemini(body, None, short) == body.replace("long", "s").replace("c2ln", SKIP)
    snake = body.replace("thoughtSignature", "thought_signature")
    assert gemini(snake, None, short) == snake.replace("long", "s").replace("c2ln", SKIP)


def test_a_text_whose_signature_leaves_has_none() -> None:
    body = '{"role":"model","parts":[{"text":"a","thoughtSignature":"c2ln"},{"text":"b"}]}'
    signature, a, b = read("gemini", body).parts
    assert gemini(body, None, a, b) == body.replace(',"thoughtSignature":"c2ln"', "")
    assert gemini(body, signature, None, b) == body.replace('"text":"a"', '"text":""')
    assert gemini(body, None, None, b) == body.replace('{"text":"a","thoughtSignature":"c2ln"},', "")


def test_a_result_keeps_the_member_that_its_text_stands_in() -> None:
    body = '{"role":"user","parts":[{"functionResponse":{"name":"f", "response":{"stdout":"long" }, "x":1}}]}'
    assert gemini(body, ToolResult("f", (Text("s"),))) == body.replace("long", "s")
    several = body.replace('{"stdout":"long" }', '{"stdout":"long","code":0}')
    assert gemini(several, ToolResult("f", (Text("s"),))) == several.replace(
        '{"stdout":"long","code":0}', '{"output":"s"}'
    )


def result(*held: Any, **response: Any) -> str:
    inner = {"name": "f", "response": response, "parts": held}
    return json.dumps({"role": "user", "parts": [{"functionResponse": inner}]})


def test_a_picture_of_a_result_gives_way_to_a_text_behind_the_others() -> None:
    picture = {"inlineData": {"mimeType": "image/png", "data": PICTURE}}
    message, media = wire("gemini").read_message(result(picture, picture, output="see"), id="m")
    (found,) = message.results
    cut = ToolResult("f", (found.parts[0], found.parts[1], Text("[gone]")))
    changed = wire("gemini").edit(message, [cut])
    assert [type(piece) for piece in changed.results[0].parts] == [Text, Text, Media]
    written = json.loads(wire("gemini").write_message(changed, media))["parts"][0]["functionResponse"]
    assert written["response"] == {"output": "see", "context": ["[gone]"]}
    assert written["parts"] == [picture]


def test_a_result_cannot_be_given_media_that_it_did_not_bring() -> None:
    with pytest.raises(BadInput, match="the result of call f cannot hold media that it did not bring"):
        gemini(result(output="a"), ToolResult("f", (Media(kind=MediaKind.IMAGE, url="https://a.b/c.png"),)))


def test_a_result_that_failed_says_so_in_another_member() -> None:
    failed = gemini(result(output="a"), ToolResult("f", (Text("a"),), is_error=True))
    assert json.loads(failed)["parts"][0]["functionResponse"]["response"] == {"error": "a"}


def test_what_went_by_a_name_can_be_given_an_id() -> None:
    call = '{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}'
    assert gemini(call, ToolCall("c1", "f", "{}")) == call.replace('"args":{}', '"args":{},"id":"c1"')
    answer = '{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}'
    assert gemini(answer, ToolResult("c1")) == answer.replace('"response":{}', '"response":{},"id":"c1"')
    assert json.loads(gemini(call, ToolCall("f", "g", "{}")))["parts"][0]["functionCall"]["id"] == "f"


def test_a_picture_that_becomes_text_keeps_its_place_and_its_signature() -> None:
    body = (
        '{"role":"model","parts":[{"fileData":{"fileUri":"gs://a","mimeType":"image/png"},"thoughtSignature":"c2ln"}]}'
    )
    signature, _ = read("gemini", body).parts
    assert (
        gemini(body, signature, Text("[gone]"))
        == '{"role":"model","parts":[{"text":"[gone]","thoughtSignature":"c2ln"}]}'
    )
    assert gemini(body, None, Text("[gone]")) == '{"role":"model","parts":[{"text":"[gone]"}]}'

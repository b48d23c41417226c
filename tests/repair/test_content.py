"""No message goes out with nothing in it."""

from __future__ import annotations

import json

import pytest

from tests.repair.mending import Mended, anthropic, mended_contents, mended_items, openai
from tests.scene import Scene
from unabridged.wire import wire


def test_an_answer_that_says_nothing_is_left_out() -> None:
    mended = anthropic("U:task A:0 U:next A:done")
    assert str(mended) == "U:task U:next A:done"
    assert mended.repairs == {"content": 1}


def test_a_question_that_says_nothing_gets_a_placeholder() -> None:
    mended = anthropic("U:task A:done U:0")
    assert mended.items[2].message.text == "[context: empty]"


def test_an_empty_string_stays_where_the_provider_takes_it() -> None:
    mended = openai("U:task A:0 U:0")
    assert mended.items == mended.came
    assert mended.repairs == {}


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({"role": "assistant", "content": None}, []),
        ({"role": "assistant", "content": None, "reasoning_content": "Hm."}, []),
        ({"role": "user", "content": None}, [{"role": "user", "content": "[context: empty]"}]),
    ],
)
def test_what_openai_refuses_as_null_is_mended(body: dict[str, object], shown: list[dict[str, object]]) -> None:
    scene = Scene("U:task")
    message, _ = wire("openai_chat").read_message(json.dumps(body), id="odd")
    scene.transcript.append(message)
    scene.say("U:next")
    assert scene.fit().messages()[1:-1] == shown


def test_a_call_without_a_text_keeps_its_call() -> None:
    assert str(anthropic("U:task A[c1]:0 T(c1)")) == "U:task A[c1] T(c1)"
    assert str(openai("U:task A[c1]:0 T(c1)")) == "U:task A[c1]:0 T(c1)"


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
def test_an_empty_result_stays_an_answer(dialect: str) -> None:
    mended = Mended("U:task A[c1] T(c1):0 A:done", dialect)
    assert [item.source for item in mended.items] == ["U:task", "A[c1]", "T(c1):0", "A:done"]


def test_an_empty_block_in_a_result_gets_a_placeholder() -> None:
    scene = Scene("U:task A[c1]", dialect="anthropic")
    block = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": ""}]}
    message, _ = wire("anthropic").read_message(json.dumps({"role": "user", "content": [block]}), id="T(c1)")
    scene.transcript.append(message)
    assert scene.view() == "U:task A[c1] T(c1=empty)"


def test_a_message_of_thoughts_alone_is_left_out() -> None:
    assert str(anthropic("U:task A{think} U:next A:done")) == "U:task U:next A:done"


def test_thoughts_before_a_call_stay() -> None:
    mended = anthropic("U:task A{think}[c1] T(c1)")
    assert mended.items == mended.came


@pytest.mark.parametrize(("second", "kept"), [("", 1), (" \n", 2)])
def test_of_several_texts_only_the_empty_one_goes(second: str, kept: int) -> None:
    scene = Scene(dialect="anthropic")
    blocks = [{"type": "text", "text": "Look."}, {"type": "text", "text": second}]
    message, _ = wire("anthropic").read_message(json.dumps({"role": "user", "content": blocks}), id="U:look")
    scene.transcript.append(message)
    assert scene.fit().messages() == [{"role": "user", "content": blocks[:kept]}]


ASKED = {"role": "user", "content": "go"}


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        ({"role": "user", "content": None}, [{"role": "user", "content": "[context: empty]"}]),
        ({"type": "message", "role": "assistant"}, []),
        ({"type": "message", "role": "assistant", "content": [], "id": "msg_1", "status": "completed"}, None),
        ({"role": "user", "content": ""}, None),
    ],
)
def test_what_responses_refuses_as_missing_is_mended(item: dict[str, object], shown: list[object] | None) -> None:
    sent, repairs = mended_items(ASKED, item)
    assert sent[1:] == ([item] if shown is None else shown)
    assert repairs == ({} if shown is None else {"content": 1})


def test_an_item_without_content_leaves_the_answer_that_it_stands_in() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
    broken = {"type": "message", "role": "assistant", "content": None}
    assert mended_items(ASKED, [broken, call], output) == ([ASKED, call, output], {"content": 1})


def test_an_output_that_is_missing_gets_a_placeholder() -> None:
    call = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": "{}"}
    sent, repairs = mended_items(ASKED, call, {"type": "function_call_output", "call_id": "c1"})
    assert (sent[2]["output"], repairs) == ("[context: empty]", {"content": 1})


@pytest.mark.parametrize("parts", [[], [{}], [{"thought": True}], None])
def test_contents_without_parts_and_parts_without_data_are_mended_for_gemini(parts: object) -> None:
    sent, repairs = mended_contents(
        {"role": "user", "parts": [{"text": "go"}]}, {"role": "model", "parts": parts}, {"role": "user", "parts": parts}
    )
    assert sent[1:] == [{"role": "user", "parts": [{"text": "[context: empty]"}]}]
    assert repairs == {"content": 2}


def test_of_a_content_only_the_part_without_data_leaves() -> None:
    content = {"role": "model", "parts": [{"text": "a"}, {}]}
    assert mended_contents({"role": "user", "parts": [{"text": "go"}]}, content)[0][1]["parts"] == [{"text": "a"}]


def test_an_empty_text_and_thoughts_alone_stay_where_gemini_takes_them() -> None:
    contents = [
        {"role": "user", "parts": [{"text": ""}]},
        {"role": "model", "parts": [{"text": "hm", "thought": True}]},
    ]
    assert mended_contents(*contents) == (contents, {})


def test_an_empty_last_answer_of_another_provider_is_left_out() -> None:
    scene = Scene("U:task", dialect="anthropic")
    message, _ = wire("openai_chat").read_message('{"role":"assistant","content":""}', id="A:0")
    scene.transcript.append(message)
    assert scene.view() == "U:task"


def test_thoughts_with_an_empty_answer_behind_them_are_left_out() -> None:
    scene = Scene("U:task A{think}", dialect="anthropic")
    message, _ = wire("anthropic").read_message('{"role":"assistant","content":[]}', id="A:0")
    scene.transcript.append(message)
    assert [item.source for item in scene.fit().items] == ["U:task", "A:0"]

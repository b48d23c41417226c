"""No message goes out with nothing in it."""

from __future__ import annotations

import json

import pytest

from tests.repair.mending import Mended, anthropic, openai
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

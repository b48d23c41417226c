"""The notation says what it says: sizes are exact, and a view prints as it was written."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from tests.scene import Scene
from tests.verify.payload import count
from unabridged import Conversation
from unabridged.errors import BadInput
from unabridged.message import Media, Message, Origin, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.testing import violations
from unabridged.testing.bodies import LISTED
from unabridged.testing.notation import bodies, body, messages, png, read, say, shown, tokens


@pytest.mark.parametrize("size", [1, 2, 99, 2_000])
def test_sizes_are_exact_by_a_second_tokenizer(size: int) -> None:
    (sized, labelled) = messages(f"U:{size} U:task:{size}")
    assert count(sized.text) == count(labelled.text) == size


def test_texts_of_equal_size_differ() -> None:
    one, two = messages("A:90 A:90")
    assert one.text != two.text
    assert tokens(90, "seed") == tokens(90, "seed")


def test_a_repeated_word_gets_a_number() -> None:
    assert [message.id for message in messages("U:go A U:go U:go")] == ["U:go", "A", "U:go#2", "U:go#3"]


def test_an_injected_message_is_a_user_message_that_nobody_typed() -> None:
    (message,) = messages("I:reminder")
    assert (message.role, message.origin) == ("user", Origin.INJECTED)


def test_a_word_may_hold_thoughts_text_and_calls_in_that_order() -> None:
    (message,) = messages("A{think:30}[c1,c2:200]:look", "anthropic")
    assert [type(part) for part in message.parts] == [Reasoning, Text, ToolCall, ToolCall]


def test_a_word_may_hold_several_results_each_with_its_size() -> None:
    (message,) = messages("T(c1:2k,c2)", "anthropic")
    sizes = [count(piece.text) for result in message.results for piece in result.parts if isinstance(piece, Text)]
    assert sizes == [2_000, 1]


def test_pictures_have_the_size_that_they_say() -> None:
    ((message, media),) = read("U{img:2100x300}")
    (picture,) = [part for part in message.parts if isinstance(part, Media)]
    assert picture.digest is not None
    assert (
        media[picture.digest][16:24] == png(2_100, 300)[16:24] == (2_100).to_bytes(4, "big") + (300).to_bytes(4, "big")
    )


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("U:task X:task", r"word 2, 'X:task' at character 1: begin with one of S U I A T"),
        ("U:Task", r"word 1, 'U:Task' at character 2: a label is small letters and a size is tokens, in this order"),
        ("U:task:", r"at character 7: a label is small letters"),
        ("U:2k:task", r"at character 5: a label is small letters"),
        ("A:go A[c1", r"word 2, 'A\[c1' at character 2: close the bracket with \]"),
        ("A[c1]{think}", r"at character 6: write the pieces of a word in this order and each once, as in A\{think\}"),
        ("U!", r"at character 2: write the pieces"),
        ("T:2k", r"at character 2: a result names its call, as in T\(c1\)"),
        ("U(c1)", r"at character 2: only T brings results"),
        ("U[c1]", r"at character 2: only A calls tools"),
        ("U{think}", r"at character 3: only A thinks"),
        ("A[c1,,c2]", r"at character 6: something is missing between the brackets"),
        ("U{img,film}", r"at character 7: a block is \{think\}"),
        ("U{img:large}", r"at character 7: a picture is width x height in pixels"),
        ("U{img:0x100}", r"at character 7: a picture is width x height"),
        ("U:1.2.3", r"at character 3: a size is a whole number of tokens"),
        ("A[c1:1.5]", r"at character 6: a size is a whole number"),
        ("U:9000k", r"at character 3: a size is a whole number of tokens up to 1,000,000"),
    ],
)
def test_what_is_no_notation_is_refused_with_word_character_and_remedy(script: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        messages(script)


@pytest.mark.parametrize("dialect", ["openai_chat", "openai_responses"])
def test_several_results_in_one_message_are_refused_where_a_dialect_has_no_such_message(dialect: str) -> None:
    with pytest.raises(
        BadInput, match=r"word 2, 'T\(c1,c2\)': in openai_.* each result is a message, as in T\(c1\) T\(c2\)"
    ):
        messages("A[c1,c2] T(c1,c2)", dialect)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(BadInput, match="no messages can be written for the dialect 'morse': use one of anthropic, "):
        bodies("U:task", "morse")


def test_a_script_that_is_refused_leaves_the_conversation_as_it_was() -> None:
    talk = Conversation(model="m", window=8_000)
    with pytest.raises(BadInput, match="word 2"):
        say(talk, "U:task X:task")
    assert talk.transcript.records == []


@pytest.mark.parametrize(
    ("dialect", "script"),
    [
        ("openai_responses", "U:task A{think}[c1,c2:300]:look T(c1) T(c2):2k A:done I:note U{img}:look A U:next"),
        ("gemini", "U:task A{think}[c1,c2:300] T(c1:90,c2) A:done I:note U{img:640x480}:look A U:next"),
        ("openai_chat", "U:task S:rules A[c1,c2:300] T(c1) T(c2):2k A:done I:note U{img}:look A U:next"),
        ("anthropic", "U:task A{think}[c1,c2:300] T(c1:90,c2) A:done I:note U{img:640x480}:look A U:next"),
    ],
)
def test_a_view_that_nobody_cut_prints_as_it_was_written(dialect: str, script: str) -> None:
    assert Scene(script, dialect=dialect, window=100_000).view() == script


def test_results_are_told_from_calls() -> None:
    call, result = messages("A[c1] T(c1)")
    assert isinstance(call.parts[0], ToolCall)
    assert isinstance(result.parts[0], ToolResult)


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "openai_chat", "openai_responses"])
def test_a_conversation_says_a_script_and_shows_what_became_of_it(dialect: str) -> None:
    limit: dict[str, Any] = {"max_tokens": 500} if dialect == "anthropic" else {}
    talk = Conversation(dialect=dialect, model="m", window=8_000, **limit)
    say(talk, "U:task A[c1]")
    say(talk, "T(c1):30k")
    fitted = talk.fit()
    assert shown(fitted.items) == "U:task A[c1] T(c1~)"
    assert violations(dialect, fitted.body()) == []


def test_a_conversation_is_given_the_pictures_of_a_script() -> None:
    talk = Conversation(dialect="anthropic", model="m", window=8_000, max_tokens=500)
    say(talk, "U{img:640x480}:look")
    (block,) = [block for block in talk.fit().messages()[0]["content"] if block["type"] == "image"]
    assert base64.b64decode(block["source"]["data"]) == png(640, 480, "U{img:640x480}:look0")


def test_a_message_of_another_kind_prints_as_its_id_as_long_as_it_is_whole() -> None:
    talk = Conversation(model="m", window=8_000)
    say(talk, "U:task A[c1]")
    talk.add(Message(id="mine", role=Role.TOOL, parts=(ToolResult("c1", (Text(tokens(9_000)),)),)))
    talk.window = 20_000
    assert shown(talk.fit().items) == "U:task A[c1] mine"
    talk.window = 8_000
    with pytest.raises(BadInput, match="'mine' at character 1"):
        shown(talk.fit().items)


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "openai_chat", "openai_responses"])
def test_bodies_are_what_a_request_of_the_dialect_lists(dialect: str) -> None:
    listed = bodies("U:task A{think}[c1]:look T(c1):90 A:done U{img}:look", dialect)
    request = {LISTED[dialect]: listed, **({"model": "m", "max_tokens": 500} if dialect == "anthropic" else {})}
    assert violations(dialect, request) == []


def test_an_answer_is_a_list_of_items_in_responses() -> None:
    kinds = [item["type"] for item in bodies("A{think}[c1,c2]:look", "openai_responses")]
    assert kinds == ["reasoning", "message", "function_call", "function_call"]
    assert [item["type"] for item in body("A[c1,c2]", "openai_responses")] == ["function_call", "function_call"]
    assert body("A[c1]", "openai_responses")["type"] == "function_call"


def test_another_seed_gives_another_text_of_the_same_size() -> None:
    one, two = (body("U:90", seed=seed)["content"] for seed in ("a", "b"))
    assert one != two
    assert count(one) == count(two) == 90

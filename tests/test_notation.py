"""The notation says what it says: sizes are exact, and a view prints as it was written."""

from __future__ import annotations

import pytest

from tests.notation import messages, png, read, tokens
from tests.scene import Scene
from tests.verify.payload import count
from unabridged.message import Media, Origin, Reasoning, Text, ToolCall, ToolResult


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


@pytest.mark.parametrize("word", ["X:task", "U:Task", "U:task:", "A[c1"])
def test_what_is_no_notation_is_refused(word: str) -> None:
    with pytest.raises((ValueError, AssertionError)):
        messages(word)


@pytest.mark.parametrize(
    ("dialect", "script"),
    [
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

"""Where a text may be cut, how much of it fits, and what a cut text looks like."""

from __future__ import annotations

import pytest

from unabridged import markers
from unabridged.cutting import head_and_tail, render, safe_cut, shorten
from unabridged.testing.notation import tokens
from unabridged.tokens import default_counter

COUNTER = default_counter()


@pytest.mark.parametrize("at", [-3, 0, 5, 11, 99])
def test_plain_text_may_be_cut_anywhere(at: int) -> None:
    assert safe_cut("hello world", at) == max(0, min(at, 11))


@pytest.mark.parametrize(
    "whole",
    [
        pytest.param("👩‍👩‍👧‍👦", id="an emoji joined of four"),
        pytest.param("👍🏽", id="a coloured emoji"),
        pytest.param("❤️", id="a sign and its emoji form"),
        pytest.param("🇩🇪", id="a flag"),
        pytest.param("🏴󠁧󠁢󠁳󠁣󠁴󠁿", id="a flag of tags"),
        pytest.param("1️⃣", id="a keycap"),
        pytest.param("a\u0308\u0323", id="a letter with two accents"),
        pytest.param("\u05d1\u05bc", id="a Hebrew letter with its point"),
        pytest.param("\u0628\u0651\u064e", id="an Arabic letter with its marks"),
        pytest.param("\ud83d\ude00", id="two halves of a surrogate pair"),
        pytest.param("\\n", id="an escape"),
        pytest.param("\\u00e9", id="an escape of four digits"),
        pytest.param("\\ud83d\\ude00", id="an escaped surrogate pair"),
        pytest.param("\\x1b", id="an escape of two digits"),
        pytest.param("\x1b[38;5;208m", id="a terminal colour"),
        pytest.param("&amp;", id="an entity"),
        pytest.param("&#128512;", id="an entity by number"),
        pytest.param("%E2%82%AC", id="percent-encoded bytes"),
        pytest.param("\r\n", id="a line end"),
    ],
)
def test_no_cut_splits_what_a_reader_sees_as_one(whole: str) -> None:
    text = f"words {whole} words"
    start, end = 6, 6 + len(whole)
    assert [safe_cut(text, at) for at in range(start, end + 1)] == [start] * (end - start) + [end]


def test_a_cut_between_two_flags_falls_between_them() -> None:
    text = "🇩🇪🇯🇵🇦🇹"
    assert [safe_cut(text, at) for at in range(7)] == [0, 0, 2, 2, 4, 4, 6]


def test_a_cut_after_an_escaped_backslash_is_no_cut_inside_an_escape() -> None:
    text = "C:\\\\new"  # two backslashes are one escape; the n after them is a letter
    assert [safe_cut(text, at) for at in range(7)] == [0, 1, 2, 2, 4, 5, 6]


def test_head_and_tail_keep_three_fifths_at_the_start() -> None:
    assert head_and_tail("x" * 1_000, 100) == ((0, 60), (960, 1_000))


def test_a_cut_moves_to_a_line_border_that_is_near() -> None:
    text = "a" * 55 + "\n" + "b" * 904 + "\n" + "c" * 39
    assert head_and_tail(text, 100) == ((0, 56), (961, 1_000))


def test_a_line_border_that_is_far_is_left_alone() -> None:
    text = "a" * 20 + "\n" + "b" * 979
    assert head_and_tail(text, 100) == ((0, 60), (960, 1_000))


def test_a_tail_does_not_begin_inside_a_character() -> None:
    text = "x" * 500 + "👩‍👩‍👧‍👦" + "x" * 30
    (_, (start, _)) = head_and_tail(text, 80)
    assert text[start:] == "x" * 30


def test_ranges_do_not_overlap() -> None:
    ((_, head_end), (tail_start, _)) = head_and_tail("x" * 100, 100)
    assert head_end <= tail_start


def test_the_marker_stands_on_a_line_of_its_own() -> None:
    assert render("first second third", ((0, 5), (13, 18)), "[gone]") == "first\n[gone]\nthird"


def test_no_empty_line_is_put_before_the_marker() -> None:
    assert render("first\nsecond\nthird", ((0, 6), (13, 18)), "[gone]") == "first\n[gone]\nthird"


def test_a_text_without_its_tail_ends_with_the_marker() -> None:
    assert render("first second", ((0, 5),), "[gone]") == "first\n[gone]"


def test_a_text_without_its_head_begins_with_the_marker() -> None:
    assert render("first second", ((0, 0), (6, 12)), "[gone]") == "[gone]\nsecond"


@pytest.mark.parametrize("size", [60, 120, 500, 3_999])
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(tokens(4_000), id="words"),
        pytest.param("line of a log\n" * 1_000, id="lines"),
        pytest.param("文脈窓が溢れる前に" * 600, id="CJK"),
        pytest.param("👩‍👩‍👧‍👦🇩🇪" * 400, id="emoji"),
        pytest.param("deadbeef01" * 900, id="hex"),
        pytest.param("\ud83d " * 3_000, id="lone surrogates"),
    ],
)
def test_a_shortened_text_takes_no_more_than_it_may_with_its_marker(text: str, size: int) -> None:
    keep, taken = shorten(text, size, COUNTER, markers.shortened)
    shown = render(text, keep, markers.shortened(keep, len(text)))
    assert COUNTER.count(shown) == taken <= size


def test_a_shortened_text_uses_most_of_what_it_may_take() -> None:
    _, taken = shorten(tokens(4_000), 500, COUNTER, markers.shortened)
    assert 450 <= taken <= 500


def test_what_is_shown_of_a_text_is_verbatim() -> None:
    text = tokens(4_000)
    keep, _ = shorten(text, 500, COUNTER, markers.shortened)
    head, tail = render(text, keep, "[gone]").split("\n[gone]\n")
    assert text.startswith(head)
    assert text.endswith(tail)


def test_the_same_text_is_cut_in_the_same_place() -> None:
    assert shorten(tokens(900), 200, COUNTER, markers.shortened) == shorten(
        tokens(900), 200, COUNTER, markers.shortened
    )

"""What crashes, power cuts and editors do to files of one record a line (pain log C73 and C74)."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.importers.lines import read_lines


class Note(msgspec.Struct):
    n: int
    said: str = ""


def read(data: bytes) -> tuple[list[tuple[int, int, str]], list[str]]:
    """Line, number and words of every note, and the problems."""
    lines = read_lines(data, Note)
    return [(line, note.n, note.said) for line, note in lines.records], lines.problems


def test_records_come_with_the_number_of_their_line() -> None:
    assert read(b'{"n":1}\n\n{"n":2}\r\n  {"n":3}') == ([(1, 1, ""), (3, 2, ""), (4, 3, "")], [])


def test_a_bad_line_hides_none_of_its_neighbours() -> None:
    notes, problems = read(b'{"n":1}\n{"n":2,\n{"n":"x"}\n[4]\n{"n":5}\n{"n":6')

    assert [n for _, n, _ in notes] == [1, 5]
    assert problems == [
        "line 2: torn or not JSON, 7 characters not readable",
        "line 3: not a record of this format: Expected `int`, got `str` - at `$.n`",
        "line 4: not a record of this format: Expected `object`, got `array`",
        "line 6: torn or not JSON, 6 characters not readable",
    ]


def test_a_record_glued_to_a_torn_one_is_read() -> None:
    notes, problems = read(b'{"n":1}\n{"n":2,"said":"tr{"n":3}\n{"n":4}\n')

    assert notes == [(1, 1, ""), (2, 3, ""), (3, 4, "")]
    assert problems == ["line 2: a torn write: whole records read: 1, characters not readable: 17"]


def test_two_whole_records_on_one_line_are_both_read() -> None:
    assert read(b'{"n":1}{"n":2}\n') == (
        [(1, 1, ""), (1, 2, "")],
        ["line 1: a torn write: 2 records on one line, all read"],
    )


def test_an_object_inside_a_torn_record_is_no_record() -> None:
    notes, _ = read(b'{"n":1,"inner":{"n":7},"said":"to')

    assert notes == []


def test_bytes_of_zero_are_taken_out() -> None:
    notes, problems = read(b'{"n":1}\n' + bytes(512) + b'\n\0\0{"n":2}\n')

    assert notes == [(1, 1, ""), (3, 2, "")]
    assert problems == ["line 2: 512 bytes of zero taken out", "line 3: 2 bytes of zero taken out"]


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\x1e"])
def test_only_a_line_feed_ends_a_line(separator: str) -> None:
    notes, _ = read(json.dumps({"n": 1, "said": f"a{separator}b"}, ensure_ascii=False).encode())

    assert notes == [(1, 1, f"a{separator}b")]


def test_a_real_line_break_inside_a_record_is_put_back() -> None:
    notes, problems = read(b'{"n":1}\n{"n":2,"said":"one\n\n\ttwo\n"}\n{"n":3}\n')

    assert notes == [(1, 1, ""), (2, 2, "one\n\n\ttwo\n"), (6, 3, "")]
    assert problems[0].startswith("line 2: raw control characters")


def test_lone_surrogates_are_mended_and_whole_pairs_kept() -> None:
    notes, problems = read(rb'{"n":1,"said":"\ud800 \udc00\ud83d \ud83d\ude00 \\ud800 \n"}')

    assert notes == [(1, 1, "\ufffd \ufffd\ufffd \U0001f600 \\ud800 \n")]
    assert len(problems) == 1


def test_bytes_that_are_no_text_are_replaced() -> None:
    notes, problems = read(b'{"n":1,"said":"caf\xe9"}\n{"n":2,"said":"caf\xc3\xa9"}\n')

    assert notes == [(1, 1, "caf\ufffd"), (2, 2, "café")]
    assert problems == ["line 1: bytes that are no UTF-8 became U+FFFD"]


def test_a_byte_order_mark_is_no_problem() -> None:
    assert read(b'\xef\xbb\xbf{"n":1}\n') == ([(1, 1, "")], [])


def test_depth_without_end_is_a_problem_and_no_crash() -> None:
    notes, problems = read(b'{"n":' * 50_000 + b'\n{"n":1}\n')

    assert notes == [(2, 1, "")]
    assert problems == ["line 1: torn or not JSON, 250,000 characters not readable"]


SAID = st.lists(st.text(st.characters(codec="utf-8"), max_size=20), min_size=1, max_size=6)


@given(said=SAID, cut=st.integers(min_value=0))
def test_a_cut_anywhere_costs_one_record_at_most(said: list[str], cut: int) -> None:
    lines = [json.dumps({"n": n, "said": words}, ensure_ascii=False).encode() for n, words in enumerate(said)]
    whole = b"\n".join(lines)
    end = cut % (len(whole) + 1)
    notes, _ = read(whole[:end])

    assert [(n, words) for _, n, words in notes][: whole[:end].count(b"\n")] == [
        (n, words) for n, words in enumerate(said)
    ][: whole[:end].count(b"\n")]


@given(said=SAID, junk=st.binary(max_size=30).filter(lambda junk: b"{" not in junk), where=st.integers(min_value=0))
def test_junk_between_two_records_costs_none_of_them(said: list[str], junk: bytes, where: int) -> None:
    lines = [json.dumps({"n": n, "said": words}).encode() for n, words in enumerate(said)]
    lines.insert(where % (len(lines) + 1), junk)
    notes, _ = read(b"\n".join(lines))

    assert [(n, words) for _, n, words in notes] == list(enumerate(said))


@given(st.binary(max_size=200))
def test_no_bytes_whatever_make_the_reading_fail(data: bytes) -> None:
    lines = read_lines(data, Note)

    assert all(0 < line <= data.count(b"\n") + 1 for line, _ in lines.records)

"""Events are the same however the network cuts them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.models.failing import Broken
from unabridged.models.server_events import EventReader, ServerEvent


def read(*pieces: bytes) -> list[ServerEvent]:
    reader = EventReader()
    found = [event for piece in pieces for event in reader.feed(piece)]
    return [*found, *reader.finish()]


STREAM = (
    "\ufeff: hello\nevent: a\ndata: one\r\ndata:  two é😀\r\n\r\nid: 1\n\ndata\ndata: x\r\revent: b\n\ndata: last"
).encode()
SAID = [ServerEvent("a", "one\n two é😀"), ServerEvent("", "\nx"), ServerEvent("", "last")]


def test_the_standard_is_kept() -> None:
    assert read(STREAM) == SAID


@given(st.sets(st.integers(1, len(STREAM) - 1)))
def test_cuts_change_nothing(cuts: set[int]) -> None:
    edges = [0, *sorted(cuts), len(STREAM)]
    assert read(*(STREAM[start:end] for start, end in pairwise(edges))) == SAID


@given(st.sets(st.integers(1, 30)))
def test_a_body_is_one_event(cuts: set[int]) -> None:
    body = b' \n{"a": 1,\n\n "data: x": 2}\n'
    edges = [0, *sorted(cut for cut in cuts if cut < len(body)), len(body)]
    assert read(*(body[start:end] for start, end in pairwise(edges))) == [
        ServerEvent("", '{"a": 1,\n\n "data: x": 2}', is_whole=True)
    ]


@pytest.mark.parametrize("text", [b"", b"\n\n", b": only a comment\n\n", b"event: a\n\n"])
def test_nothing_is_no_event(text: bytes) -> None:
    assert read(text) == []


@pytest.mark.parametrize("pieces", [(b"<html>down</html>",), (b"\xef\xbb\xbf\n", b" <", b"!DOCTYPE html>")])
def test_a_page_is_said_to_be_one(pieces: tuple[bytes, ...]) -> None:
    with pytest.raises(Broken, match="web page"):
        read(*pieces)


def test_an_event_comes_as_soon_as_it_is_there() -> None:
    reader = EventReader()
    assert list(reader.feed(b"data: 1\n")) == []
    assert list(reader.feed(b"\n")) == [ServerEvent("", "1")]


def test_data_that_was_cut_off_is_broken() -> None:
    with pytest.raises(Broken):
        ServerEvent("", '{"a": ').node()


def test_halves_of_characters_and_whole_numbers_are_read() -> None:
    assert ServerEvent("", '{"a": "\\ud83d", "n": 3}').node().members == {"a": "\ud83d", "n": 3}

"""Stored bytes: one form for each value, for any text, and the same value back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from tests.store.entries import payloads, said
from unabridged.codec import complaint, payload_bytes, payload_from, without_surrogates
from unabridged.entry import InterruptionEntry, MessageEntry, Payload, UndoEntry, UnknownEntry, UsageEntry
from unabridged.errors import BadInput
from unabridged.message import Media, MediaKind, Message, Role
from unabridged.report import Usage


@given(payloads)
def test_a_payload_reads_back_equal_from_one_line_of_json(payload: Payload) -> None:
    stored = payload_bytes(payload)

    assert payload_from(stored) == payload
    assert payload_bytes(payload_from(stored)) == stored
    assert b"\n" not in stored


def test_the_bytes_are_compact_json_in_the_order_of_the_class_without_defaults() -> None:
    assert payload_bytes(said("Grüß Gott")) == (
        '{"type":"message","message":{"id":"m-1","role":"user","parts":[{"type":"text","text":"Grüß Gott"}]}}'.encode()
    )


def test_a_lone_surrogate_is_written_as_an_escape_and_the_rest_as_it_is() -> None:
    assert payload_bytes(UndoEntry("ü \ud800 \udfff")) == b'{"type":"undo","checkpoint":"\xc3\xbc \\ud800 \\udfff"}'


def test_two_surrogates_that_make_a_pair_are_stored_as_their_character() -> None:
    apart = UndoEntry("\ud83d" + "\ude00")

    assert payload_bytes(apart) == payload_bytes(UndoEntry("\U0001f600"))
    assert payload_bytes(UndoEntry(apart.checkpoint + "\ud800")) == payload_bytes(UndoEntry("\U0001f600\ud800"))


def test_a_number_that_json_does_not_have_is_stored_as_null_beside_a_lone_surrogate_too() -> None:
    endless = Media(kind=MediaKind.AUDIO, seconds=float("inf"), mime="\ud800")
    stored = payload_bytes(MessageEntry(Message(id="m-1", role=Role.USER, parts=(endless,))))

    assert json.loads(stored)["message"]["parts"][0]["seconds"] is None


def test_a_number_above_64_bits_is_kept() -> None:
    usage = UsageEntry(usage=Usage(input=10**40), last="m-1")

    assert payload_from(payload_bytes(usage)) == usage


def test_a_field_of_a_newer_version_is_passed_over() -> None:
    assert payload_from(b'{"type":"undo","checkpoint":"c","by":"somebody"}') == UndoEntry("c")


@pytest.mark.parametrize(
    "stored",
    [
        b'{"type":"vote","for":[1, 2]}',
        b'{"for":"\\ud800","type":"vote"}',
        b'{"for":123456789012345678901234567890,"type":"vote"}',
        b'{"for":%b,"type":"vote"}' % (b"9" * 5000),
        b'{"for":"\\\\ud800 \\ud83d\\ude00","type":"vote"}',
    ],
)
def test_a_payload_of_an_unknown_kind_keeps_its_bytes(stored: bytes) -> None:
    entry = payload_from(stored)

    assert entry == UnknownEntry("vote", stored.decode())
    assert payload_bytes(entry) == stored
    assert "vote" in complaint(stored)


@pytest.mark.parametrize(
    ("stored", "kind", "field"),
    [
        (b'{"type":"message","message":{"id":7,"role":"user"}}', "message", "$.message.id"),
        (b'{"type":"message","message":{"id":"\\ud800","role":"pope"}}', "message", "$.message.role"),
        (b'{"type":"undo"}', "undo", "checkpoint"),
        (b'{"checkpoint":"c"}', "", "type"),
        (b'{"type":5}', "", "type"),
        (b"[1]", "", "array"),
    ],
)
def test_a_shape_that_cannot_be_read_is_kept_and_the_complaint_names_the_field(
    stored: bytes, kind: str, field: str
) -> None:
    entry = payload_from(stored)

    assert entry == UnknownEntry(kind, stored.decode())
    assert payload_bytes(entry) == stored
    assert field in complaint(stored)


def test_nothing_is_complained_of_in_a_payload_that_can_be_read() -> None:
    assert complaint(payload_bytes(said("\ud800"))) == ""


@pytest.mark.parametrize(
    "stored",
    [
        b"",
        b'{"type":"undo","checkpoint":"c"',
        b'{"type":"vote","for":NaN}',
        b'{"type":"vote","for":"\xff"}',
        b'{"type":"undo","checkpoint":"\xff"}',
        b'{"type":"undo","checkpoint":"\\ud800 \xff"}',
        b'{"type":5, broken}',
        b"[" * 100_000 + b"]" * 100_000,
    ],
)
def test_what_is_not_json_in_utf8_is_refused(stored: bytes) -> None:
    with pytest.raises(BadInput, match="not JSON in UTF-8"):
        payload_from(stored)


def test_masking_takes_lone_surrogates_only_and_keeps_the_length() -> None:
    text = rb'"\ud800 \\ud800 \\\ud800 \ud83d\ude00 \udc00\ud800\udc00 \uD800"'

    assert without_surrogates(text) == rb'"\ufffd \\ud800 \\\ufffd \ud83d\ude00 \ufffd\ud800\udc00 \ufffd"'


def test_an_unknown_entry_made_by_hand_holds_any_text() -> None:
    for data in ("", "not json", "{\n}", '{"type":"other"}', '{"type":"vote"} ', "\ud800"):
        entry = UnknownEntry("vote", data)
        assert payload_from(payload_bytes(entry)) == entry


def test_text_that_looks_like_an_escape_stays_text() -> None:
    entry = InterruptionEntry("a backslash, then ud800: \\ud800", ("\ud800",))

    assert payload_from(payload_bytes(entry)) == entry


def test_a_number_of_seconds_given_as_a_whole_one_comes_back_as_the_same_bytes() -> None:
    sound = Media(kind=MediaKind.AUDIO, seconds=12)
    stored = payload_bytes(MessageEntry(Message(id="m", role=Role.USER, parts=(sound,))))
    assert payload_bytes(payload_from(stored)) == stored

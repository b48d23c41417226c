"""A log file that something happened to: every line that was left whole is read, and the others are reported."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.store.entries import TIME, chained, logged, said
from unabridged.codec import payload_bytes
from unabridged.entry import Entry, MessageEntry, UndoEntry, UnknownEntry
from unabridged.errors import BadInput
from unabridged.message import Media, MediaKind, Message, Role, Text
from unabridged.store.jsonl import JsonlWriter, Opened, ProblemKind, encode_entry, read_log

HEADER = b'{"kind":"unabridged","version":1,"session":"s-1","counter":"o200k"}'
PICTURE = b"\x89PNG a picture"
DIGEST = sha256(PICTURE).hexdigest()
SHOWN = MessageEntry(
    Message(id="m-9", role=Role.USER, parts=(Text("look"), Media(kind=MediaKind.IMAGE, digest=DIGEST)))
)
ENTRIES = logged(
    [said("one"), said('zwei ü \u2028 {"kind":'), SHOWN, UndoEntry("c"), said("\ud800"), said("six " * 30), said("\\")]
)
LINES = [encode_entry(entry) for entry in ENTRIES]
MEDIA_LINE = b'{"kind":"media","digest":"%b","data":"iVBORyBhIHBpY3R1cmU="}' % DIGEST.encode()


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[bytes], Opened]:
    """Opens these bytes as a log."""

    def open_bytes(content: bytes) -> Opened:
        path = tmp_path / "log.jsonl"
        path.write_bytes(content)
        return read_log(path)

    return open_bytes


def joined(*lines: bytes) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def found(opened: Opened) -> list[tuple[int, ProblemKind]]:
    """Problems by line; a lone surrogate of the fixture is no damage."""
    return [
        (problem.line, problem.what) for problem in opened.problems if problem.what is not ProblemKind.LONE_SURROGATE
    ]


Open = Callable[[bytes], Opened]


def test_a_torn_last_line_costs_that_line(opened: Open) -> None:
    result = opened(joined(HEADER, *LINES[:2]) + LINES[2][:50])

    assert result.entries == tuple(ENTRIES[:2])
    assert found(result) == [(4, ProblemKind.TORN_LAST_LINE)]


def test_a_whole_last_line_without_its_end_is_an_entry(opened: Open) -> None:
    result = opened(joined(HEADER, LINES[0]) + LINES[1])

    assert result.entries == tuple(ENTRIES[:2])
    assert found(result) == []


def test_a_torn_line_in_the_middle_costs_that_line(opened: Open) -> None:
    result = opened(joined(HEADER, LINES[0], LINES[1][:60], *LINES[2:]))

    assert result.entries == (ENTRIES[0], *ENTRIES[2:])
    assert found(result) == [(3, ProblemKind.NOT_JSON), (4, ProblemKind.GAP_IN_SEQ)]


def test_a_stub_with_the_next_record_glued_to_it_costs_the_stub(opened: Open) -> None:
    for cut in range(1, len(LINES[1])):
        result = opened(joined(HEADER, LINES[0] + LINES[1][:cut] + LINES[2], *LINES[3:]))

        assert result.entries == (ENTRIES[0], *ENTRIES[2:])
        # A cut inside a character leaves bytes that are not UTF-8, too.
        assert found(result)[-2:] == [(2, ProblemKind.GLUED_RECORDS), (2, ProblemKind.GAP_IN_SEQ)]


def test_a_record_with_a_stub_before_or_behind_it_is_read(opened: Open) -> None:
    before = opened(joined(HEADER, LINES[3][:70] + LINES[0], *LINES[1:]))
    behind = opened(joined(HEADER, LINES[0] + LINES[3][:70], *LINES[1:]))

    assert before.entries == behind.entries == tuple(ENTRIES)
    assert found(before) == found(behind) == [(2, ProblemKind.GLUED_RECORDS)]


def test_several_records_on_one_line_are_all_read(opened: Open) -> None:
    result = opened(HEADER + LINES[0] + b"  " + LINES[1] + b"\n" + b"".join(LINES[2:]) + LINES[0][:9])

    assert result.entries == tuple(ENTRIES)
    assert found(result) == [
        (1, ProblemKind.GLUED_RECORDS),
        (2, ProblemKind.GLUED_RECORDS),
        (2, ProblemKind.TORN_LAST_LINE),
    ]


@pytest.mark.parametrize("zeros", [1, 512])
def test_nul_bytes_between_before_and_after_records_cost_nothing(opened: Open, zeros: int) -> None:
    block = b"\0" * zeros

    for content in (
        block + joined(HEADER, *LINES),
        joined(HEADER, *LINES) + block,
        joined(HEADER, LINES[0], block, *LINES[1:]),
        joined(HEADER, LINES[0] + block + LINES[1], *LINES[2:]),
        joined(HEADER, block + LINES[0] + block, *LINES[1:]),
        joined(HEADER, LINES[0][:30] + block + LINES[0][30:], *LINES[1:]),
    ):
        result = opened(content)
        assert result.entries == tuple(ENTRIES)
        assert ProblemKind.NUL_BYTES in {what for _, what in found(result)}


def test_a_record_that_nul_bytes_wrote_over_is_still_read_and_its_digest_tells(opened: Open) -> None:
    hole = LINES[5].replace(b"six six six ", b"\0" * 12)

    result = opened(joined(HEADER, *LINES[:5], hole, *LINES[6:]))

    assert [entry.seq for entry in result.entries] == [0, 1, 2, 3, 4, 5, 6]
    assert result.entries[6] == ENTRIES[6]
    assert (7, ProblemKind.NUL_BYTES) in found(result)
    assert (7, ProblemKind.BAD_DIGEST) in found(result)


def test_windows_line_ends_and_a_byte_order_mark_cost_nothing(opened: Open) -> None:
    result = opened(b"\xef\xbb\xbf" + joined(HEADER, *LINES).replace(b"\n", b"\r\n"))

    assert (result.session, result.entries) == ("s-1", tuple(ENTRIES))
    assert found(result) == [(1, ProblemKind.CRLF), (1, ProblemKind.BYTE_ORDER_MARK)]


def test_empty_lines_are_nothing(opened: Open) -> None:
    assert found(opened(joined(HEADER, b"", LINES[0], b" \t", b"", LINES[1]))) == []


@pytest.mark.parametrize("line", [b"null", b"[1,2]", b'"text"', b"17"])
def test_json_that_is_no_object_is_reported(opened: Open, line: bytes) -> None:
    result = opened(joined(HEADER, LINES[0], line, *LINES[1:]))

    assert result.entries == tuple(ENTRIES)
    assert found(result) == [(3, ProblemKind.NOT_JSON)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'{"kind":"entry","seq":"one"}', ProblemKind.WRONG_SHAPE),
        (b'{"kind":"entry","seq":1,"branch":"main"}', ProblemKind.WRONG_SHAPE),
        (b'{"kind":"media","digest":"ab","data":"%%%"}', ProblemKind.WRONG_SHAPE),
        (b'{"seq":1}', ProblemKind.WRONG_SHAPE),
        (b"{}", ProblemKind.WRONG_SHAPE),
        (b'{"kind":"index","of":"\\ud800"}', ProblemKind.UNKNOWN_KIND),
        (b'{"kind":"unabridged","version":7,"session":"s-1"}', ProblemKind.NEWER_VERSION),
        (HEADER, ProblemKind.SECOND_HEADER),
    ],
)
def test_an_object_of_another_kind_or_shape_is_reported_and_passed_over(
    opened: Open, line: bytes, what: ProblemKind
) -> None:
    result = opened(joined(HEADER, LINES[0], line, *LINES[1:]))

    assert result.entries == tuple(ENTRIES)
    assert found(result) == [(3, what)]


@pytest.mark.parametrize(
    ("payload", "kind", "what"),
    [
        (b'{"type":"vote","for":[1, 2.50]}', "vote", ProblemKind.UNKNOWN_KIND),
        (b'{"type":"message","message":{"id":"m-2","role":"jester"}}', "message", ProblemKind.WRONG_SHAPE),
        (b'{"type":17}', "", ProblemKind.UNKNOWN_KIND),
    ],
)
def test_an_entry_with_a_payload_that_cannot_be_read_keeps_its_place_and_its_text(
    opened: Open, payload: bytes, kind: str, what: ProblemKind
) -> None:
    later = LINES[1].replace(payload_bytes(ENTRIES[1].payload), payload)
    later = later.replace(ENTRIES[1].log_digest.encode(), chained(ENTRIES[0].log_digest, payload).encode())

    result = opened(joined(HEADER, LINES[0], later))

    assert result.entries[1].payload == UnknownEntry(kind, payload.decode())
    assert found(result) == [(3, what)]
    assert "$" in result.problems[0].detail
    assert encode_entry(result.entries[1]) == later


def test_fields_of_a_newer_version_are_passed_over_and_the_digest_still_holds(opened: Open) -> None:
    payload = b'{"type":"undo","checkpoint":"c","by":"somebody"}'
    line = encode_entry(logged([UnknownEntry("", payload.decode())])[0])
    line = b'{"kind":"entry","seq":0,"branch":"main","time":"%b","log_digest":"%b","mood":"good","payload":%b}' % (
        TIME.encode(),
        chained("", payload).encode(),
        payload,
    )

    result = opened(joined(HEADER.replace(b"}", b',"place":"here"}'), line))

    assert result.entries[0].payload == UndoEntry("c")
    assert found(result) == []


def test_a_changed_text_is_given_and_its_digest_tells(opened: Open) -> None:
    result = opened(joined(HEADER, LINES[0], LINES[1].replace(b"zwei", b"drei"), *LINES[2:]))

    assert len(result.entries) == len(ENTRIES)
    assert found(result) == [(3, ProblemKind.BAD_DIGEST)]


def test_bytes_that_are_not_utf8_become_replacement_characters(opened: Open) -> None:
    result = opened(joined(HEADER, LINES[0].replace(b"one", b"on\xff"), *LINES[1:]))

    assert result.entries[0].payload == said("on\ufffd")
    assert result.entries[1:] == tuple(ENTRIES[1:])
    assert found(result) == [(2, ProblemKind.NOT_UTF8), (2, ProblemKind.BAD_DIGEST)]


def test_media_that_are_not_what_was_written_are_not_given(opened: Open) -> None:
    good = opened(joined(HEADER, MEDIA_LINE, *LINES))
    bad = opened(joined(HEADER, MEDIA_LINE.replace(b"iVBO", b"iVBQ"), *LINES))

    assert (good.media, found(good)) == ({DIGEST: PICTURE}, [])
    assert (bad.media, found(bad)) == ({}, [(2, ProblemKind.BAD_DIGEST)])
    assert bad.entries == tuple(ENTRIES)


def test_a_line_that_stands_twice_is_read_once(opened: Open) -> None:
    result = opened(joined(HEADER, LINES[0], LINES[1], LINES[1], LINES[0], *LINES[2:]))

    assert (result.entries, result.aside) == (tuple(ENTRIES), ())
    assert found(result) == [(4, ProblemKind.DUPLICATE_SEQ), (5, ProblemKind.DUPLICATE_SEQ)]


def test_of_two_entries_with_one_position_the_one_whose_digest_follows_is_kept(opened: Open) -> None:
    other = logged([said("said by another process")], after=ENTRIES[:1])[0]

    first = opened(joined(HEADER, LINES[0], encode_entry(other), *LINES[1:]))
    second = opened(joined(HEADER, *LINES, encode_entry(other)))

    # Both follow from entry 0, and nothing but the order of writing tells them apart.
    assert (first.entries[1], first.aside) == (other, (ENTRIES[1],))
    assert (second.entries[1], second.aside) == (ENTRIES[1], (other,))
    assert found(second) == [(9, ProblemKind.DUPLICATE_SEQ)]


def test_an_entry_that_damage_renumbered_does_not_take_the_place_of_another(opened: Open) -> None:
    for seq in (2, 4, 6):
        renumbered = LINES[1].replace(b'"seq":1', b'"seq":%d' % seq)

        result = opened(joined(HEADER, LINES[0], renumbered, *LINES[2:]))

        assert result.entries == (ENTRIES[0], *ENTRIES[2:])
        assert [entry.payload for entry in result.aside] == [ENTRIES[1].payload]


def test_a_digest_that_follows_counts_for_more_than_the_place_of_the_line(opened: Open) -> None:
    forged = LINES[5].replace(b'"seq":5', b'"seq":2')

    result = opened(joined(HEADER, LINES[0], forged, *[b"junk"] * 5, *LINES[1:3]))

    assert result.entries == tuple(ENTRIES[:3])
    assert [entry.payload for entry in result.aside] == [ENTRIES[5].payload]


def test_entries_are_given_in_order_though_the_lines_are_not(opened: Open) -> None:
    result = opened(joined(HEADER, LINES[0], LINES[2], LINES[1], *LINES[3:]))

    assert result.entries == tuple(ENTRIES)
    assert found(result) == [(4, ProblemKind.OUT_OF_ORDER)]


def test_entries_behind_the_header_of_another_session_are_put_aside(opened: Open) -> None:
    other = logged([said("of the other one"), *(said("more") for _ in range(9))])

    result = opened(joined(HEADER, *LINES, HEADER.replace(b"s-1", b"s-2"), *map(encode_entry, other)))

    assert (result.session, result.entries) == ("s-1", tuple(ENTRIES))
    assert result.aside == tuple(other)
    assert found(result) == [(9, ProblemKind.OTHER_SESSION)]


def test_behind_its_own_header_a_log_goes_on(opened: Open) -> None:
    stranger = encode_entry(logged([said("of the other one")])[0])

    result = opened(joined(HEADER, LINES[0], HEADER.replace(b"s-1", b"s-2"), stranger, HEADER, *LINES[1:]))

    assert result.entries == tuple(ENTRIES)
    assert [entry.payload for entry in result.aside] == [said("of the other one")]


def test_a_damaged_header_costs_the_header(opened: Open) -> None:
    for cut in range(len(HEADER)):
        result = opened(joined(HEADER[:cut], *LINES))

        assert result.entries == tuple(ENTRIES)
        assert (result.session, result.counter) == ("", "")
        assert (1, ProblemKind.NO_HEADER) in found(result)


@pytest.mark.parametrize("content", [b"", b"\n", b"\0" * 512, HEADER[:1], HEADER[:-1], b'{"kind":"unabridged",\n'])
def test_what_a_crash_leaves_of_a_new_file_opens_and_goes_on(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(content)

    assert read_log(path).entries == ()
    with JsonlWriter(path, session="s-1", counter="o200k") as writer:
        writer.append(ENTRIES)

    result = read_log(path)
    assert (result.session, result.counter, result.entries) == ("s-1", "o200k", tuple(ENTRIES))
    assert path.read_bytes().startswith(content)


def test_a_file_that_was_cut_anywhere_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    whole = joined(HEADER, *LINES[:2])
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with JsonlWriter(path, session="s-1", fsync=False) as writer:
            writer.append(ENTRIES[writer.next_seq :])

        result = read_log(path)
        assert (result.session, result.entries) == ("s-1", tuple(ENTRIES))
        assert path.read_bytes().startswith(whole[:cut])


def test_one_huge_damaged_line_hides_nothing_that_follows_it(opened: Open) -> None:
    stubs = b"".join(line[: len(line) // 2] for line in LINES) * 2_000

    result = opened(joined(HEADER, stubs + LINES[0], *LINES[1:], b"{" * 500_000, b"[" * 500_000, b"{}" * 50_000))

    assert result.entries == tuple(ENTRIES)


blocks = st.binary(max_size=40) | st.sampled_from(
    [b"\n", b"\0" * 512, b'"', b"\\", b"{", b"}\n", b'{"kind":', b"\xef\xbb\xbf"]
)
CONTENT = joined(HEADER, LINES[0], MEDIA_LINE, *LINES[1:])
places = st.integers(0, len(CONTENT))


class Damage:
    """The bytes of a file, and for each byte the place it had before anything happened."""

    def __init__(self) -> None:
        self.content = CONTENT
        self.places: list[int | None] = list(range(len(CONTENT)))

    def put(self, start: int, length: int, block: bytes) -> None:
        """Put a block in the place of some bytes."""
        start = min(start, len(self.content))
        end = min(start + length, len(self.content))
        self.content = self.content[:start] + block + self.content[end:]
        self.places[start:end] = [None] * len(block)

    def is_whole(self, line: bytes) -> bool:
        """All bytes of the line are there, and nothing stands between them."""
        start = CONTENT.index(line + b"\n")
        if start not in self.places:
            return False
        now = self.places.index(start)
        return self.places[now : now + len(line)] == list(range(start, start + len(line)))


def reopened(damage: Damage) -> Opened | None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        path.write_bytes(damage.content)
        try:
            return read_log(path)
        except BadInput as error:
            # A header that was changed may say that it is newer; and a file without one whole line is no log.
            newer = "update" in str(error) and not damage.is_whole(HEADER)
            assert newer or not any(map(damage.is_whole, [HEADER, MEDIA_LINE, *LINES]))
            return None


def whole(damage: Damage) -> list[Entry]:
    return [entry for entry, line in zip(ENTRIES, LINES, strict=True) if damage.is_whole(line)]


@given(places, st.integers(0, 400), blocks)
@example(0, len(CONTENT), b"")
def test_one_place_of_damage_costs_no_line_that_it_did_not_touch(start: int, length: int, block: bytes) -> None:
    damage = Damage()
    damage.put(start, length, block)

    result = reopened(damage)

    if result is not None:
        assert [entry for entry in whole(damage) if entry not in result.entries] == []
        assert (result.media == {DIGEST: PICTURE}) or not damage.is_whole(MEDIA_LINE)
        assert (result.session == "s-1") or not damage.is_whole(HEADER)
        assert len(result.entries) == len({entry.seq for entry in result.entries})


slices = st.builds(lambda start, length: CONTENT[start : start + length], places, st.integers(0, 600))


@given(st.lists(st.tuples(places, st.integers(0, 60), blocks | slices), max_size=6))
def test_damage_in_many_places_loses_no_line_that_was_left_whole(hits: list[tuple[int, int, bytes]]) -> None:
    damage = Damage()
    for start, length, block in hits:
        damage.put(start, length, block)

    result = reopened(damage)

    if result is not None:
        read = [*result.entries, *result.aside]
        assert [entry for entry in whole(damage) if entry not in read] == []
        assert (result.media == {DIGEST: PICTURE}) or not damage.is_whole(MEDIA_LINE)


@given(st.lists(st.tuples(places, st.integers(0, 60), blocks | slices), max_size=4))
def test_a_damaged_file_that_opens_goes_on(hits: list[tuple[int, int, bytes]]) -> None:
    damage = Damage()
    for start, length, block in hits:
        damage.put(start, length, block)
    before = reopened(damage)
    if before is None:
        return

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        path.write_bytes(damage.content)
        with JsonlWriter(path, session=before.session, fsync=False) as writer:
            seq = writer.next_seq
            assert seq == max([entry.seq for entry in before.entries], default=-1) + 1
            new = Entry(seq=seq, branch="main", time=TIME, payload=said("it goes on"), log_digest="d")
            writer.append([new])
        after = read_log(path)

    assert after.entries == (*before.entries, new)

"""A log file that nothing happened to: what is written is what is read."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import tempfile
from io import FileIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shared import REPOSITORY
from tests.store.entries import entries, logged, payloads, said
from unabridged.codec import PAYLOAD_KINDS
from unabridged.entry import Entry, MessageEntry, Payload, UndoEntry, UnknownEntry
from unabridged.errors import BadInput, Conflict
from unabridged.log import Log
from unabridged.message import Media, MediaKind, MediaSpan, Message, Raw, Role, Text, ToolResult
from unabridged.store.jsonl import JsonlWriter, ProblemKind, decode_entry, encode_entry, read_log

PICTURE = b"\x89PNG a picture"
DIGEST = hashlib.sha256(PICTURE).hexdigest()


def shown(id: str) -> MessageEntry:
    picture = Media(kind=MediaKind.IMAGE, digest=DIGEST)
    return MessageEntry(Message(id=id, role=Role.TOOL, parts=(ToolResult("c1", (Text("here"), picture)),)))


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().split("\n")[:-1]]


@given(entries)
def test_an_entry_reads_back_equal_from_one_line(entry: Entry) -> None:
    line = encode_entry(entry)

    assert decode_entry(line) == entry
    assert b"\n" not in line
    assert json.loads(line)["kind"] == "entry"


@given(st.lists(payloads, max_size=5))
def test_a_log_reads_back_equal_from_its_file(made: list[Payload]) -> None:
    written = logged(made)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        with JsonlWriter(path, session="s-1", counter="o200k", fsync=False) as writer:
            for entry in written:
                writer.append([entry])
        opened = read_log(path)

    assert (opened.session, opened.counter) == ("s-1", "o200k")
    assert opened.entries == tuple(written)
    assert {problem.what for problem in opened.problems} <= {
        ProblemKind.LONE_SURROGATE,
        ProblemKind.UNKNOWN_KIND,
        ProblemKind.WRONG_SHAPE,
    }


def test_the_lines_are_a_header_and_entries_as_documented(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log("s-1", counter="o200k", clock=lambda: "2026-11-30T08:00:00.000Z")
    with JsonlWriter(path, session=log.session, counter=log.counter) as writer:
        writer.append(log.append(said("hello")))
        writer.append(log.append(UndoEntry("c-1")))

    header, first, second = lines_of(path)

    assert header == {"kind": "unabridged", "version": 1, "session": "s-1", "counter": "o200k"}
    assert first == {
        "kind": "entry",
        "seq": 0,
        "branch": "main",
        "time": "2026-11-30T08:00:00.000Z",
        "log_digest": log.entries[0].log_digest,
        "transcript_digest": log.entries[0].transcript_digest,
        "normal_digest": log.entries[0].normal_digest,
        "payload": {
            "type": "message",
            "message": {"id": "m-1", "role": "user", "parts": [{"type": "text", "text": "hello"}]},
        },
    }
    assert list(second) == ["kind", "seq", "branch", "time", "log_digest", "payload"]


def test_the_digests_can_be_checked_from_the_text_of_the_lines_alone(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(logged([said("one"), said("\ud800"), UndoEntry("c-1")]))

    previous = ""
    for line in path.read_bytes().split(b"\n")[1:-1]:
        stored = line[line.index(b'"payload":') + len(b'"payload":') : -1]
        previous = hashlib.sha256(previous.encode() + hashlib.sha256(stored).digest()).hexdigest()
        assert json.loads(line)["log_digest"] == previous


def test_line_separators_of_unicode_do_not_end_a_line(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written = logged([said("a\u2028b\u2029c\x85d\fe\vf\x1cg\rh\ni")])
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(written)

    opened = read_log(path)

    assert opened.entries == tuple(written)
    assert opened.problems == ()
    assert "\u2028".encode() in path.read_bytes()


def test_a_lone_surrogate_comes_back_and_its_line_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    log = Log("session \ud800", clock=lambda: "\udfff")
    with JsonlWriter(path, session=log.session) as writer:
        writer.append(log.append(said("half \ud83d of it"), UnknownEntry("vote", '{"type":"vote","x":"\\ud800"}')))

    opened = read_log(path)

    assert opened.session == "session \ud800"
    assert opened.entries == log.entries
    assert [(problem.line, problem.what) for problem in opened.problems] == [
        (2, ProblemKind.LONE_SURROGATE),
        (3, ProblemKind.UNKNOWN_KIND),
        (3, ProblemKind.LONE_SURROGATE),
    ]


def test_media_stand_once_and_before_the_first_entry_that_refers_to_them(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    raw = Raw("openai_chat", '{"url":""}', (MediaSpan(8, DIGEST),))
    only_raw = MessageEntry(Message(id="m-2", role=Role.USER, raw=raw))
    written = logged([said("look"), only_raw, shown("m-3"), shown("m-4")])
    media = {DIGEST: PICTURE, "f" * 64: b"nobody refers to it"}
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(written[:3], media)
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(written[3:], media)

    kinds = [line["kind"] for line in lines_of(path)]
    opened = read_log(path)

    assert kinds == ["unabridged", "entry", "media", "entry", "entry", "entry"]
    assert opened.media == {DIGEST: PICTURE}
    assert opened.entries == tuple(written)
    assert opened.problems == ()


def test_media_whose_bytes_are_not_there_do_not_keep_an_entry_from_being_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(logged([shown("m-1")]))

    assert len(read_log(path).entries) == 1


def test_media_under_a_digest_that_is_not_theirs_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    with JsonlWriter(path, session="s-1") as writer:
        with pytest.raises(BadInput, match=DIGEST):
            writer.append(logged([said("first"), shown("m-1")]), {DIGEST: b"another picture"})

        assert writer.next_seq == 0
    assert len(lines_of(path)) == 1


def test_an_entry_that_does_not_follow_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written = logged([said("one"), said("two"), said("three")])
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(written[:2])
        before = path.read_bytes()

        with pytest.raises(Conflict) as behind:
            writer.append(written[1:])
        with pytest.raises(Conflict) as ahead:
            writer.append(logged([said("five")], after=[*written, *logged([said("four")], after=written)]))

        assert (behind.value.expected, behind.value.actual) == (1, 2)
        assert (ahead.value.expected, ahead.value.actual) == (4, 2)
        assert path.read_bytes() == before


def test_entries_of_one_append_have_to_be_in_order(tmp_path: Path) -> None:
    one, two = logged([said("one"), said("two")])
    with JsonlWriter(tmp_path / "log.jsonl", session="s-1") as writer:
        with pytest.raises(BadInput, match="order"):
            writer.append([two, one])
        writer.append([])
        writer.append([one, two])

    assert read_log(tmp_path / "log.jsonl").entries == (one, two)


def test_a_file_goes_on_where_it_ended_and_keeps_its_counter(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written = logged([said("one"), said("two")])
    with JsonlWriter(path, session="s-1", counter="o200k") as writer:
        writer.append(written[:1])
    with JsonlWriter(path, session="s-1", counter="another") as writer:
        assert writer.next_seq == 1
        writer.append(written[1:])

    opened = read_log(path)

    assert opened.entries == tuple(written)
    assert opened.counter == "o200k"


def test_the_log_of_another_session_is_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    JsonlWriter(path, session="s-1").close()
    before = path.read_bytes()

    with pytest.raises(BadInput, match="'s-1', not 's-2'"):
        JsonlWriter(path, session="s-2")

    assert path.read_bytes() == before


def test_a_closed_writer_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    writer = JsonlWriter(path, session="s-1")
    writer.close()
    writer.close()
    before = path.read_bytes()

    with pytest.raises(ValueError, match="closed"):
        writer.append(logged([said("late")]))

    assert path.read_bytes() == before


def test_a_file_that_lost_its_end_meanwhile_is_not_added_to(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    written = logged([said("one"), said("two")])
    with JsonlWriter(path, session="s-1") as writer:
        writer.append(written[:1])
        path.write_bytes(path.read_bytes()[:100])

        with pytest.raises(BadInput, match="lost its end"):
            writer.append(written[1:])

    assert path.stat().st_size == 100


@pytest.mark.parametrize(("fsync", "synced"), [(True, ["file", "folder", "file"]), (False, [])])
def test_with_fsync_the_disk_has_it_before_an_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fsync: bool, synced: list[str]
) -> None:
    seen: list[str] = []

    def sync(file: int | FileIO) -> None:
        mode = os.fstat(file if isinstance(file, int) else file.fileno()).st_mode
        seen.append("folder" if stat.S_ISDIR(mode) else "file")

    monkeypatch.setattr(os, "fsync", sync)
    with JsonlWriter(tmp_path / "log.jsonl", session="s-1", fsync=fsync) as writer:
        writer.append(logged([said("one"), said("two")]))

    assert seen == synced


def test_only_the_owner_may_read_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    JsonlWriter(path, session="s-1").close()

    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "content", [b"hello\n", b'{"type":"user","message":{}}\n' * 3, b'{\n "a": 1\n}\n', b"\x89PNG\r\n"]
)
def test_what_is_no_log_is_refused_by_reader_and_writer(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_bytes(content)

    with pytest.raises(BadInput, match="no log of a session"):
        read_log(path)
    with pytest.raises(BadInput, match="no log of a session"):
        JsonlWriter(path, session="s-1")

    assert path.read_bytes() == content


def test_a_path_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"missing\.jsonl"):
        read_log(tmp_path / "missing.jsonl")
    with pytest.raises(BadInput, match="cannot open"):
        JsonlWriter(tmp_path / "missing" / "log.jsonl", session="s-1")


@pytest.mark.parametrize("header", ['"version":2,"session":"s-1"', '"version":3,"session":{"id":"s-1"}'])
def test_a_newer_version_of_the_format_is_refused_by_reader_and_writer(tmp_path: Path, header: str) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"kind":"unabridged",' + header + "}\n")

    with pytest.raises(BadInput, match="update"):
        read_log(path)
    with pytest.raises(BadInput, match="update"):
        JsonlWriter(path, session="s-1")


@pytest.mark.parametrize(
    "line", [b'{"kind":"media","digest":"","data":""}', b'{"kind":"entry","seq":-1}', b"{", b"[" * 10**5]
)
def test_a_line_that_is_no_entry_is_refused(line: bytes) -> None:
    with pytest.raises(BadInput, match="a line of a log"):
        decode_entry(line)


def test_the_documentation_names_every_kind_of_payload_and_of_problem() -> None:
    page = (REPOSITORY / "docs" / "file-format.md").read_text()

    assert [kind for kind in {*PAYLOAD_KINDS, *ProblemKind} if f"`{kind}`" not in page] == []

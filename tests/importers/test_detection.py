"""What a file is, told by its content alone; and one clear line where it is nothing that can be read."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.importers.sessions import Session, shown, text
from unabridged.errors import BadInput
from unabridged.importers import read_bytes, read_file
from unabridged.importers.detection import Head

HI = {"role": "user", "content": "Hi"}


def refusal(data: bytes, name: str = "notes.txt") -> str:
    with pytest.raises(BadInput) as refused:
        read_bytes(data, name)
    return str(refused.value)


def lines(*records: Any) -> bytes:
    return "\n".join(map(json.dumps, records)).encode()


def test_a_packed_file_gives_the_same_messages_as_the_plain_one(tmp_path: Path) -> None:
    data = Session().user("Go").assistant("m1", text("Done.")).data()
    (plain, packed) = (tmp_path / "a.jsonl", tmp_path / "a.jsonl.zip")
    plain.write_bytes(data)
    packed.write_bytes(gzip.compress(data))

    (from_plain,), (from_packed,) = read_file(plain), read_file(packed)
    assert from_packed.messages == from_plain.messages
    assert (from_plain.name, from_packed.name) == ("a.jsonl", "a.jsonl.zip")


def test_the_name_of_a_file_decides_nothing() -> None:
    session = Session().user("Go").data()
    assert [shown(conversation) for conversation in read_bytes(session, "openai.json")] == [["human: Go"]]
    (conversation,) = read_bytes(lines([HI]), "claude.jsonl")
    assert conversation.dialect == "openai_chat"


@pytest.mark.parametrize(
    "first",
    [
        {"type": "summary", "summary": "Old work", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        {"type": "queue-operation", "operation": "enqueue", "sessionId": "s"},
        {"type": "mode", "mode": "normal", "sessionId": "s"},
    ],
)
def test_a_session_is_known_whatever_kind_of_line_it_begins_with(first: Any) -> None:
    data = lines(first) + b"\n" + Session().user("Go").data()
    assert [shown(conversation) for conversation in read_bytes(data, "a.jsonl")] == [["human: Go"]]


def test_a_session_is_known_behind_a_torn_first_line() -> None:
    data = b'itten before"}}\n' + Session().user("Go").data()
    (conversation,) = read_bytes(data, "a.jsonl")

    assert shown(conversation) == ["human: Go"]
    assert len(conversation.problems) == 1


def test_a_session_is_known_by_its_first_mebibyte() -> None:
    long = Session().user("x" * 700_000).user("y" * 700_000).data()

    assert len(Head(long).start) < 800_000
    assert [len(conversation.messages) for conversation in read_bytes(long, "a.jsonl")] == [2]


@pytest.mark.parametrize("data", [b"", b" \n\r\n\t", b"\0\0\0\0", b"\xef\xbb\xbf\n", gzip.compress(b"", mtime=0)])
def test_an_empty_file_is_refused(data: bytes) -> None:
    assert refusal(data).startswith("notes.txt: the file is empty: expected a session of Claude Code, ")


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n\0\0", b"# A chat\n> hello\n", b"PK\x03\x04zip", b'# A\n{"type": 1}\n']
)
def test_what_is_not_json_is_refused_with_its_beginning(data: bytes) -> None:
    assert refusal(data).startswith(
        f"notes.txt: not JSON, it begins with {data!r}: expected a session of Claude Code, "
    )


@pytest.mark.parametrize("data", [b"[]", b"[1, 2]", b'"text"', b"12"])
def test_json_without_an_object_is_refused(data: bytes) -> None:
    assert refusal(data).startswith("notes.txt: JSON without an object that can be read: expected ")


def test_json_that_is_torn_all_over_is_refused() -> None:
    assert refusal(b"{'a': 1}").startswith("notes.txt: JSON without an object that can be read: expected ")


def test_json_of_another_shape_is_refused_with_its_fields() -> None:
    told = refusal(lines([{"qa": [], "conversation": {}, "sample_id": "conv-26"}]), "locomo10.json")
    assert told.startswith(
        "locomo10.json: JSON of an unknown shape, with the fields 'qa', 'conversation', 'sample_id':"
    )


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"localId": "x", "seq": 1, "content": {}}, "a Happy client log"),
        ({"title": "t", "mapping": {}, "current_node": "n"}, "a ChatGPT export"),
        ({"uuid": "u", "name": "n", "chat_messages": []}, "a Claude.ai export"),
    ],
)
def test_a_format_that_is_known_and_not_read_is_called_by_its_name(record: Any, name: str) -> None:
    for data in (lines(record), lines(record, record)):
        assert refusal(data).startswith(f"notes.txt: {name}, which cannot be imported yet: expected ")


def test_a_torn_gzip_file_is_refused() -> None:
    torn = gzip.compress(Session().user("Go").data())[:-12]
    assert refusal(torn, "a.gz").startswith("a.gz: this gzip file cannot be unpacked (")


def test_every_refusal_is_one_line() -> None:
    for data in (b"", b"\n\n# A\nchat", b"[]", lines({"a\nb": 1}), lines({"messages": 1})):
        assert "\n" not in refusal(data)


def test_a_file_that_cannot_be_opened_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"^gone\.jsonl: cannot be opened \(No such file or directory\): check the path$"
    ):
        read_file(tmp_path / "gone.jsonl")
    with pytest.raises(BadInput, match="cannot be opened"):
        read_file(tmp_path)

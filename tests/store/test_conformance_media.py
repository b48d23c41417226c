"""Media and large outputs lie once beside the log, and nothing that a session has is ever changed."""

from __future__ import annotations

from threading import Thread

import pytest

from tests.store.entries import said
from tests.store.talking import again, blobs, conversation, digest, shown, texts
from unabridged.codec import payload_bytes
from unabridged.entry import MessageEntry
from unabridged.errors import BadInput, NotFound, UnabridgedError
from unabridged.store import Session, Store, open_store
from unabridged.store.database import Taken
from unabridged.testing.pictures import png
from unabridged.transcript import Transcript


def test_media_are_kept_once_and_come_in_pieces(store: Store, session: Session) -> None:
    data = png(10, 10) + bytes(range(256)) * 10_000
    for number in range(3):
        transcript = Transcript((session if number else store.project("home").create(id="s-0")).log)
        transcript.append(shown(data, id=f"m-{number}"), media={digest(data): data})
    opened = again(store, session).log
    pieces = list(opened.blobs.chunks(digest(data), 100_000))
    assert b"".join(pieces) == data == opened.media[digest(data)]
    assert max(map(len, pieces)) <= 100_000
    assert opened.blobs.size(digest(data)) == len(data)
    assert blobs(store) == 1


def test_media_without_a_byte_are_media(store: Store, session: Session) -> None:
    session.log.media[digest(b"")] = b""
    assert session.log.media[digest(b"")] == b""
    session.log.append(MessageEntry(shown(b"", id="m-1")))
    assert again(store, session).log.media[digest(b"")] == b""


def test_media_are_there_before_they_are_written(session: Session) -> None:
    session.log.media[digest(b"abc")] = b"abc"
    assert list(session.log.blobs.chunks(digest(b"abc"), 2)) == [b"ab", b"c"]
    assert session.log.blobs.size(digest(b"abc")) == 3


def test_media_under_another_digest_are_refused(session: Session) -> None:
    for name in ("nobody", "", "ab" * 32, digest(b"abc").upper()):
        with pytest.raises(BadInput, match="digest"):
            session.log.media[name] = b"abc"
        assert name not in session.log.media
        with pytest.raises(KeyError):
            session.log.media[name]


def test_media_that_no_entry_refers_to_are_not_written(store: Store, session: Session) -> None:
    session.log.media[digest(b"abc")] = b"abc"
    session.log.append(said("hello"))
    assert blobs(store) == 0


def test_a_large_output_is_kept_once_in_however_many_messages_and_forms(store: Store, session: Session) -> None:
    output = 'line of a log: «é» "quoted" \\ \t\n' * 2_000
    talk = conversation(session, window=900_000)
    talk.user("task")
    for number in range(6):
        call = {"id": f"c{number}", "type": "function", "function": {"name": "cat", "arguments": "{}"}}
        talk.add({"role": "assistant", "content": None, "tool_calls": [call]})
        talk.add({"role": "tool", "tool_call_id": f"c{number}", "content": output})
    assert blobs(store) == 1
    rows = store.database.rows("SELECT max(length(payload)) FROM entries")
    assert rows[0][0] < 2_000
    opened = again(store, session)
    assert conversation(opened, window=900_000).preview().body() == talk.fit().body()
    assert opened.log.damaged() == ()


def test_no_sql_changes_or_deletes_what_a_session_has(store: Store, session: Session) -> None:
    conversation(session).user("x" * 50_000)
    before = [payload_bytes(entry.payload) for entry in session.log.entries]
    for sql in (
        "UPDATE entries SET payload = payload",
        "UPDATE entries SET place = NULL",
        "DELETE FROM entries",
        "UPDATE blobs SET data = data",
        "DELETE FROM blobs",
    ):
        it_is_refused(store, sql)
    assert [payload_bytes(entry.payload) for entry in again(store, session).log.entries] == before


def test_no_entry_is_replaced_and_no_table_emptied(store: Store, session: Session) -> None:
    session.log.append(said("hello"))
    columns = "id, session, seq, branch, time, kind, name, payload, log_digest"
    copy = f"INTO entries ({columns}) SELECT {columns} FROM entries"
    it_is_refused(store, "DELETE FROM sessions")
    if store.database.name == "sqlite":
        it_is_refused(store, f"INSERT OR REPLACE {copy}")
    else:
        it_is_refused(store, "UPDATE sessions SET key = DEFAULT")
        it_is_refused(store, "TRUNCATE sessions CASCADE")
        it_is_refused(store, f"INSERT {copy} ON CONFLICT (id) DO UPDATE SET seq = 1")
        it_is_refused(store, "TRUNCATE entries CASCADE")
        it_is_refused(store, "TRUNCATE blobs CASCADE")
    assert texts(again(store, session).log) == ["hello"]


def it_is_refused(store: Store, sql: str) -> None:
    with pytest.raises(Taken), store.database.transaction() as writing:
        writing.run(sql)


def test_a_session_is_erased_while_others_write_and_nobody_waits_for_ever(lasting: str) -> None:
    raised: list[UnabridgedError] = []
    with open_store(lasting) as store, open_store(lasting) as other:
        project = store.project("home")
        staying = conversation(project.create(id="stays"))
        for number in range(12):
            project.create(id=f"s-{number}").log.append(said("x" * 40_000))
            writer = Thread(target=write_until_refused, args=(other.project("home").open(f"s-{number}"), raised))
            writer.start()
            staying.user(f"{number % 2}" * 40_000)
            project.erase(f"s-{number}")
            writer.join()
        assert [type(error) for error in raised] == [NotFound] * 12
        assert [head.id for head in project.sessions()] == ["stays"]
        assert blobs(store) == 2
        assert project.open("stays").log.damaged() == ()


def write_until_refused(session: Session, raised: list[UnabridgedError]) -> None:
    try:
        for number in range(10_000):
            session.log.append(said(f"{number % 2}" * 40_000, id=f"m-{number}"))
    except UnabridgedError as error:
        raised.append(error)

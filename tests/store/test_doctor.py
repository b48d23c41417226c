"""The doctor finds what is damaged, names it with its place, and reports nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from unabridged import Conversation
from unabridged.codec import payload_bytes
from unabridged.entry import MessageEntry
from unabridged.message import Message, Role, Text
from unabridged.store import Project, Session, Store, open_store
from unabridged.store.doctor import MEANINGS, REMEDIES, Damage, Finding, Health, examine, examine_engine
from unabridged.testing.notation import say

LARGE = "river stone " * 4_000


@pytest.fixture
def store(lasting: str) -> Iterator[Store]:
    with open_store(lasting) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    """A session with a picture, a large output, branches and fits; and another one that stays as it is."""
    project = store.project("home")
    filled(project.create(id="other"))
    return filled(project.create(id="s"))


def filled(session: Session) -> Session:
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    say(talk, "U{img}:task A[c1]")
    talk.result("c1", LARGE + session.id)
    talk.fit()
    for number in range(10):
        say(talk, f"A[d{number}] T(d{number}):900")
        talk.fit()
    talk.transcript.branch_from(talk.transcript.records[3].message.id, why="rewind")
    say(Conversation(model="m", window=8_000, log=session.log), "U:again A:done")
    return session


def plant(store: Store, table: str, sql: str, *values: Any) -> None:
    """Change what nobody may change."""
    with store.database.transaction() as writing:
        names = [f"{table}_stay", "entries_last" if table == "entries" else "blobs_last"]
        for name in names if store.database.name == "sqlite" else names[:1]:
            writing.run(f"DROP TRIGGER {name}" + (f" ON {table}" if store.database.name == "postgres" else ""))
        writing.run(sql, *values)


def findings(store: Store) -> list[Finding]:
    return [finding for health in examine(store) for finding in health.findings]


def placed(found: list[Finding]) -> list[tuple[Damage, str, str, int | None]]:
    return [(each.damage, each.project, each.session, each.seq) for each in found]


def blob_of(session: Session, *, large: bool) -> str:
    """The digest of the session's own large output, or of its picture."""
    by_size = sorted(session.log.media, key=session.log.blobs.size)
    return by_size[-1] if large else by_size[0]


def seq_of_result(session: Session) -> int:
    return next(
        entry.seq
        for entry in session.log.entries
        if isinstance(entry.payload, MessageEntry) and entry.payload.message.results
    )


def test_a_whole_store_has_no_findings(store: Store, session: Session) -> None:
    assert list(examine(store)) == [
        Health("home", "other", len(store.project("home").open("other").log), ()),
        Health("home", "s", len(session.log), ()),
    ]
    assert examine_engine(store) == ()


def test_an_empty_store_and_an_empty_session_are_whole(store: Store) -> None:
    assert list(examine(store)) == []
    store.project("home").create(id="empty")
    assert list(examine(store)) == [Health("home", "empty", 0, ())]


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff\xfe", b"[]", b'{"message":{}}', b"\x00\x00"])
def test_an_entry_that_cannot_be_read_is_found(store: Store, session: Session, payload: bytes) -> None:
    plant(store, "entries", "UPDATE entries SET payload = ? WHERE session = ? AND seq = 2", payload, session.key)

    assert placed(findings(store)) == [(Damage.UNREADABLE, "home", "s", 2)]
    assert examine_engine(store) == ()


def test_a_branch_that_cannot_be_read_hides_nothing_of_the_session(store: Store, session: Session) -> None:
    sql = "SELECT seq FROM entries WHERE session = ? AND kind = 'branch'"
    ((seq,),) = store.database.rows(sql, session.key)
    length = len(session.log)
    plant(store, "entries", "UPDATE entries SET payload = ? WHERE session = ? AND seq = ?", b"{", session.key, seq)

    _, health = examine(store)
    assert health.entries == length
    assert placed(list(health.findings)) == [(Damage.UNREADABLE, "home", "s", seq)]


def test_an_entry_with_other_words_is_found(store: Store, session: Session) -> None:
    other = payload_bytes(MessageEntry(Message(id="x", role=Role.USER, parts=(Text("never said"),))))
    plant(store, "entries", "UPDATE entries SET payload = ? WHERE session = ? AND seq = 0", other, session.key)

    found = findings(store)
    assert (Damage.DIGEST, "home", "s", 0) in placed(found)
    # The picture of the message that was overwritten is there, and nobody needs it: no damage.
    assert [each.damage for each in found] == [Damage.DIGEST]


def test_another_digest_is_found_where_it_stands_and_at_the_entry_that_followed(store: Store, session: Session) -> None:
    digest = sha256(b"other").digest()
    plant(store, "entries", "UPDATE entries SET log_digest = ? WHERE session = ? AND seq = 3", digest, session.key)

    assert placed(findings(store)) == [(Damage.DIGEST, "home", "s", 3), (Damage.DIGEST, "home", "s", 4)]


@pytest.mark.parametrize(("first", "last"), [(0, 0), (4, 4), (4, 9)])
def test_missing_entries_are_found_once(store: Store, session: Session, first: int, last: int) -> None:
    sql = "DELETE FROM entries WHERE session = ? AND seq BETWEEN ? AND ?"
    plant(store, "entries", sql, session.key, first, last)

    (found,) = [each for each in findings(store) if each.damage is not Damage.MEDIA_MISSING]
    assert (found.damage, found.session, found.seq) == (Damage.GAP, "s", first)
    assert found.detail == f"{last - first + 1} missing"


@pytest.mark.parametrize("large", [False, True])
def test_missing_bytes_are_found_at_the_entry_that_needs_them(store: Store, session: Session, large: bool) -> None:
    digest = blob_of(session, large=large)
    seq = seq_of_result(session) if large else 0
    plant(store, "blobs", "DELETE FROM blobs WHERE digest = ?", bytes.fromhex(digest))

    found = findings(store)
    owners = ["s"] if large else ["other", "s"]  # the picture is the same in both, and lies there once
    assert placed(found) == [(Damage.MEDIA_MISSING, "home", owner, seq) for owner in owners]
    assert {each.detail for each in found} == {digest}
    assert examine_engine(store) == ()


@pytest.mark.parametrize("large", [False, True])
def test_changed_bytes_are_found_at_the_entry_that_needs_them(store: Store, session: Session, large: bool) -> None:
    digest = blob_of(session, large=large)
    seq = seq_of_result(session) if large else 0
    plant(store, "blobs", "UPDATE blobs SET data = ? WHERE digest = ?", b"other bytes", bytes.fromhex(digest))

    owners = ["s"] if large else ["other", "s"]
    assert placed(findings(store)) == [(Damage.MEDIA_CHANGED, "home", owner, seq) for owner in owners]


def test_bytes_that_nobody_uses_are_found_and_harmless(store: Store, session: Session) -> None:
    data = b"left behind"
    with store.database.transaction() as writing:
        sql = "INSERT INTO blobs (project, digest, data) VALUES (?, ?, ?)"
        writing.run(sql, "home", sha256(data).digest(), data)

    assert findings(store) == []
    (found,) = examine_engine(store)
    assert (found.damage, found.project, found.detail) == (Damage.MEDIA_UNUSED, "home", sha256(data).hexdigest())
    assert found.is_harmless
    assert examine_engine(store, "elsewhere") == ()


def test_only_the_project_that_is_asked_for_is_examined(store: Store, session: Session) -> None:
    store.project("elsewhere").create(id="e")
    plant(store, "entries", "UPDATE entries SET payload = ? WHERE session = ? AND seq = 2", b"{", session.key)

    assert [health.session for health in examine(store, "elsewhere")] == ["e"]


def test_examining_changes_nothing(store: Store, session: Session) -> None:
    before = session.log.entries
    list(examine(store))
    examine_engine(store)
    assert session.log.entries == before


def test_a_damaged_page_is_found_and_what_can_be_read_is_examined(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with open_store(path) as store:
        project: Project = store.project("home")
        for number in range(8):
            filled(project.create(id=f"s{number}"))
        store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        size = store.database.rows("PRAGMA page_size")[0][0]
    data = bytearray(path.read_bytes())
    for page in range(40, len(data) // size, 25):  # behind the schema
        data[page * size : page * size + 200] = b"\xa5" * 200
    path.write_bytes(data)

    with open_store(path) as store:
        healths = list(examine(store))
        found = [finding for health in healths for finding in health.findings] + list(examine_engine(store))
    assert len(healths) == 8
    assert Damage.ENGINE in {finding.damage for finding in found}


def test_every_damage_has_a_meaning_and_a_remedy() -> None:
    assert set(MEANINGS) == set(REMEDIES) == set(Damage)

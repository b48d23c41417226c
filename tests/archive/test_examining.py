"""What is damaged in an archive is found and named, a whole one is not, and making it anew mends it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.store.conftest import lasting as lasting
from unabridged import Conversation
from unabridged.archive import Archive, StoredShelf
from unabridged.archive.examining import examine_archive, examine_left_over
from unabridged.archive.renewing import renew, take_away_left_over
from unabridged.errors import SessionBusy, StoreError
from unabridged.store import Session, Store, open_store
from unabridged.store.doctor import Damage, examine, examine_engine

QUERIES = ("stone 7", "kite", "harbour")


@pytest.fixture
def store(lasting: str) -> Iterator[Store]:
    with open_store(lasting) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    """A session that has outgrown its window on two branches; and another one that stays as it is."""
    filled(store.project("home").create(id="other"))
    return filled(store.project("home").create(id="s"))


def filled(session: Session) -> Session:
    go_on(session, range(24))
    talk = talk_of(session)
    talk.transcript.branch_from(talk.transcript.records[-5].message.id, why="rewind")
    go_on(session, range(24, 30))
    return session


def talk_of(session: Session) -> Conversation:
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    talk.archive = Archive(StoredShelf(session.database, session.key))
    return talk


def go_on(session: Session, steps: range) -> None:
    talk = talk_of(session)
    for number in steps:
        talk.user(f"What of stone {number}, and the kite? " + "harbour " * (number % 7))
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        talk.add({"role": "assistant", "content": None, "tool_calls": [call]})
        talk.result(f"c{number}", f"stone {number} of {session.id} " + "and more of it " * 300)
        if number % 9 == 5:
            talk.result(f"s{number}", "")  # says nothing
        talk.fit()


def found(session: Session) -> list[set[tuple[int, int]]]:
    archive = Archive(StoredShelf(session.database, session.key))
    scopes = [session.log.ancestry(branch) for branch in session.log.branches]
    return [
        {(hit.place.seq, hit.place.start) for hit in archive.search(query, scope=scope, limit=1_000)}
        for scope in scopes
        for query in QUERIES
    ]


def plant(store: Store, sql: str, *values: Any) -> None:
    with store.database.transaction() as writing:
        writing.run(sql, *values)


def told(store: Store, id: str = "s") -> str:
    findings = examine_archive(store.project("home"), id)
    assert {finding.damage for finding in findings} <= {Damage.ARCHIVE}
    assert {(finding.project, finding.session) for finding in findings} <= {("home", id)}
    return "\n".join(f"{finding.seq}: {finding.detail}" for finding in findings)


OF_FIRST = "SELECT session, first FROM archive_segments WHERE number ="
FIRST = "(SELECT min(number) FROM archive_segments WHERE session = ?)"
DAMAGES: dict[str, tuple[str, list[Any], str]] = {
    "places": (f"UPDATE archive_segments SET places = ? WHERE number = {FIRST}", [b"\xc1"], "cannot be read"),
    "no places": (f"UPDATE archive_segments SET places = ? WHERE number = {FIRST}", [b"\x90"], "0 places"),
    "odd lengths": (f"UPDATE archive_segments SET own = ? WHERE number = {FIRST}", [b"abc"], "cannot be read"),
    "short lengths": (f"UPDATE archive_segments SET near = ? WHERE number = {FIRST}", [b"ab"], "1 lengths"),
    "chunks": (f"UPDATE archive_segments SET chunks = chunks + 1 WHERE number = {FIRST}", [], "chunks"),
    "seqs": (f"UPDATE archive_segments SET last = last + 1 WHERE number = {FIRST}", [], "other entries than"),
    "branch": (f"UPDATE archive_segments SET branch = ? WHERE number = {FIRST}", ["nowhere"], "which the log does not"),
    "other branch": (
        f"UPDATE archive_segments SET branch = ? WHERE number = {FIRST}",
        ["branch-1"],
        "of branch 'branch-1': it is another",
    ),
    "no archived": (
        f"DELETE FROM archived WHERE (session, seq) IN ({OF_FIRST} {FIRST})",
        [],
        "it does not count as archived",
    ),
    "archived of nothing": ("INSERT INTO archived VALUES (?, 900000)", [], "900000: it counts as archived"),
    "segment": (f"DELETE FROM archive_segments WHERE number = {FIRST}", [], "no segment holds it"),
}


def damage(store: Store, session: Session, name: str) -> None:
    sql, values, _ = DAMAGES[name]
    plant(store, sql, *values, session.key)


def test_a_whole_archive_has_no_findings(store: Store, session: Session) -> None:
    assert store.database.rows("SELECT count(*) FROM archived")[0][0] > 50
    assert told(store) == told(store, "other") == told(store, "nobody") == ""
    assert examine_left_over(store) == ()


def test_a_session_without_an_archive_has_no_findings(store: Store) -> None:
    store.project("home").create(id="s")
    assert told(store) == ""


def test_an_archive_of_all_there_is_has_no_findings(store: Store) -> None:
    session = store.project("home").create(id="s")
    talk = Conversation(model="m", log=session.log)
    talk.user("word " * 400)  # counted no further than 255
    talk.user("distinct " + " ".join(f"w{number}" for number in range(300)))
    talk.user("\x00 half \ud83d of it")
    Archive(StoredShelf(session.database, session.key)).add(talk.transcript.records, range(3), (("main", -1),))
    assert told(store) == ""


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_named_and_mended_by_making_it_anew(store: Store, session: Session, name: str) -> None:
    before, entries = found(session), session.log.entries
    damage(store, session, name)
    assert DAMAGES[name][2] in told(store)
    assert told(store, "other") == ""

    renew(store.project("home").open("s"))
    assert told(store) == ""
    assert found(session) == before
    take_away_left_over(store)
    assert examine_left_over(store) == ()
    assert store.project("home").open("s").log.entries == entries


def test_words_that_are_missing_moved_or_changed_are_named(store: Store, session: Session) -> None:
    number, chunks = store.database.rows(
        "SELECT number, chunks FROM archive_segments WHERE session = ? ORDER BY number LIMIT 1", session.key
    )[0]
    sql = "SELECT cell, postings FROM archive_postings WHERE cell >= ? AND cell < ? ORDER BY cell"
    cells = store.database.rows(sql, number * 1024, (number + 1) * 1024)
    assert 1 < len(cells) <= chunks
    (one, kept), (two, other) = cells[:2]
    update = "UPDATE archive_postings SET postings = ? WHERE cell = ?"

    plant(store, "DELETE FROM archive_postings WHERE cell = ?", one)
    assert "are missing or are others" in told(store)
    plant(store, "INSERT INTO archive_postings VALUES (?, ?)", one, bytes(kept))
    assert told(store) == ""
    for stored, said in (
        (b"\xc1", "cannot be read"),
        (bytes(other), "lies where nobody looks for it"),
        (bytes(kept)[:-2] + b"\xff\xff", f"points beyond its {chunks:,} chunks"),
    ):
        plant(store, update, stored, one)
        assert said in told(store)
    plant(store, update, bytes(kept), one)
    assert two != one
    assert told(store) == ""


def test_what_is_gone_leaves_nothing(store: Store, session: Session) -> None:
    plant(store, "INSERT INTO archive_postings VALUES (?, ?)", 9_000 * 1024 + 3, b"\x80")
    (finding,) = examine_left_over(store)
    assert (finding.damage, finding.detail) == (Damage.ARCHIVE_LEFT, "words of segment 9000, which is gone")
    assert not finding.is_harmless

    before = found(session)
    take_away_left_over(store)
    assert examine_left_over(store) == ()
    assert found(session) == before


def test_what_is_left_of_a_session_that_is_gone_is_told_once(store: Store, session: Session) -> None:
    if store.database.name == "postgres":
        pytest.skip("PostgreSQL keeps a session as long as rows name it")
    store.database.rows("PRAGMA foreign_keys = OFF")
    plant(store, "UPDATE archive_segments SET session = 77 WHERE session = ?", session.key)
    plant(store, "INSERT INTO archived VALUES (78, 1)")

    details = {finding.detail for finding in examine_left_over(store)}
    assert "what is archived of session 78, which is gone" in details
    assert all("session" in detail for detail in details)
    assert examine_engine(store) == ()
    take_away_left_over(store)
    assert examine_left_over(store) == ()
    renew(store.project("home").open("s"))
    assert told(store) == ""


def test_a_damaged_log_keeps_the_archive_that_it_cannot_make_again(store: Store, session: Session) -> None:
    damage(store, session, "no archived")
    with store.database.transaction() as writing:
        writing.run("DROP TRIGGER entries_stay" + ("" if store.database.name == "sqlite" else " ON entries"))
        writing.run("UPDATE entries SET payload = ? WHERE session = ? AND seq = 3", b"{", session.key)
    before = found(session)
    with pytest.raises(StoreError):
        renew(store.project("home").open("s"))
    assert found(session) == before
    assert any(health.findings for health in examine(store))


def test_nothing_is_mended_while_a_turn_runs(store: Store, session: Session) -> None:
    with session.turn(), pytest.raises(SessionBusy):
        renew(store.project("home").open("s"), wait_s=0.1)
    assert told(store) == ""


def test_what_was_archived_beside_the_fits_stays_archived(store: Store, session: Session) -> None:
    transcript = talk_of(session).transcript
    Archive(StoredShelf(session.database, session.key)).add(
        transcript.records, range(len(transcript.records)), session.log.ancestry(transcript.branch)
    )
    before = found(session)
    renew(store.project("home").open("s"))
    assert found(session) == before


def test_an_archive_that_is_lost_is_made_again_from_the_log(store: Store, session: Session) -> None:
    before = found(session)
    assert all(before)
    plant(store, "DELETE FROM archived WHERE session = ?", session.key)
    plant(store, "DELETE FROM archive_segments WHERE session = ?", session.key)
    assert not any(found(session))

    assert renew(store.project("home").open("s")) > 50
    assert found(session) == before

"""The archive goes along with its session: what was found is found in the copy, at once, and nothing else is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.store.databases import Server
from unabridged import Conversation
from unabridged.archive import Archive, StoredShelf, answer
from unabridged.errors import SessionBusy, StoreError, StoreFault
from unabridged.store import Project, Session, Store, open_store
from unabridged.store.moving import backup, copy, copy_session

QUESTIONS = ("stone 17", "which kite", "c3", "of a")


@pytest.fixture
def source(lasting: str) -> Iterator[Store]:
    """A store with two sessions that have outgrown their windows, one of them on two branches."""
    with open_store(lasting) as store:
        for id in ("a", "b"):
            filled(store.project("p"), id)
        yield store


@pytest.fixture
def target(lasting: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Store]:
    """A store on the other engine, in which numbers of sessions and segments are others already."""
    if lasting.startswith("postgres"):
        place, left = str(tmp_path / "target.db"), None
    else:
        server: Server = request.getfixturevalue("postgres")
        left = server.database()
        place = left.__enter__()
    with open_store(place) as store:
        filled(store.project("elsewhere"), "other")
        yield store
    if left is not None:
        left.__exit__(None, None, None)


def talk_of(session: Session) -> Conversation:
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    talk.archive = Archive(StoredShelf(session.database, session.key))
    return talk


def go_on(session: Session, steps: range) -> None:
    talk = talk_of(session)
    for number in steps:
        call = {"id": f"c{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
        talk.add({"role": "assistant", "content": None, "tool_calls": [call]})
        talk.result(f"c{number}", f"stone {number} of {session.id}, a kite " + "and more of it " * 300)
        talk.fit()


def filled(project: Project, id: str) -> Session:
    session = project.create(id=id)
    talk_of(session).user(f"Which kite is over the harbour of {id}?")
    go_on(session, range(20))
    talk = talk_of(session)
    talk.transcript.branch_from(talk.transcript.records[-3].message.id, why="rewind")
    go_on(session, range(20, 26))
    return session


def found(project: Project, id: str) -> list[Any]:
    """What searching finds, on every branch."""
    session = project.open(id)
    archive = Archive(StoredShelf(session.database, session.key))
    scopes = [session.log.ancestry(branch) for branch in session.log.branches]
    return [archive.search(query, scope=scope, limit=50) for scope in scopes for query in QUESTIONS]


def rows(store: Store, table: str) -> int:
    return int(store.database.rows(f"SELECT count(*) FROM {table}")[0][0])


def test_a_copy_finds_what_the_original_finds(source: Store, target: Store) -> None:
    there = list(copy(source, target))

    for moved in there:
        before = found(source.project("p"), moved.session)
        assert all(before[:2])
        assert found(target.project("p"), moved.session) == before
        assert moved.archived == rows_of(source, moved.session) == rows_of(target, moved.session) > 20


def rows_of(store: Store, id: str) -> int:
    sql = "SELECT count(*) FROM archived WHERE session = ?"
    return int(store.database.rows(sql, store.project("p").open(id).key)[0][0])


def test_what_was_there_before_is_found_as_before_and_by_nobody_else(source: Store, target: Store) -> None:
    before = found(target.project("elsewhere"), "other")
    list(copy(source, target))

    assert found(target.project("elsewhere"), "other") == before
    session = target.project("p").open("a")
    talk = talk_of(session)
    assert "of other" not in answer(Archive(StoredShelf(session.database, session.key)), talk.transcript, *ASKED)


ASKED = ("search_history", '{"query": "stone of other"}')


def test_a_second_copy_brings_what_was_archived_since_and_doubles_nothing(source: Store, target: Store) -> None:
    list(copy(source, target))
    counts = [rows(target, table) for table in ("archive_segments", "archive_postings", "archived")]
    list(copy(source, target))
    assert [rows(target, table) for table in ("archive_segments", "archive_postings", "archived")] == counts

    go_on(source.project("p").open("a"), range(26, 40))
    list(copy(source, target))
    assert found(target.project("p"), "a") == found(source.project("p"), "a")
    assert "stone 30" in answer(*_asking(target, "a"), "search_history", '{"query": "stone 30"}')


def _asking(store: Store, id: str) -> tuple[Archive, Any]:
    session = store.project("p").open(id)
    return Archive(StoredShelf(session.database, session.key)), talk_of(session).transcript


def test_a_copy_that_went_on_keeps_its_own_archive(source: Store, target: Store) -> None:
    list(copy(source, target))
    go_on(target.project("p").open("a"), range(50, 64))
    before = found(target.project("p"), "a")

    list(copy(source, target))
    assert found(target.project("p"), "a") == before


def test_the_copy_goes_on_archiving(source: Store, target: Store) -> None:
    list(copy(source, target))
    for store in (source, target):
        go_on(store.project("p").open("a"), range(70, 90))

    places = [[(hit.place.seq, hit.place.start) for hit in hits] for hits in found(source.project("p"), "a")]
    assert [[(hit.place.seq, hit.place.start) for hit in hits] for hits in found(target.project("p"), "a")] == places


def test_an_archive_that_did_not_arrive_is_told(source: Store, target: Store) -> None:
    with target.database.transaction() as writing:
        if target.database.name == "sqlite":
            writing.run(
                "CREATE TRIGGER broken AFTER INSERT ON archive_postings BEGIN"
                " UPDATE archive_postings SET postings = x'80' WHERE cell = NEW.cell; END"
            )
        else:
            writing.run(
                "CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS"
                " $$ BEGIN NEW.postings := '\\x80'::bytea; RETURN NEW; END $$"
            )
            writing.run(
                "CREATE TRIGGER broken BEFORE INSERT ON archive_postings FOR EACH ROW EXECUTE FUNCTION broken()"
            )
    with pytest.raises(StoreError, match="its archive did not arrive as it was") as raised:
        list(copy(source, target))
    assert raised.value.fault is StoreFault.DAMAGED


def test_what_is_archived_while_a_copy_runs_comes_along(
    source: Store, target: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = source.project("p").open("a")
    begin, left = target.database.transaction, iter(range(26, 34))

    def meanwhile() -> object:
        number = next(left, None)
        if number is not None:
            go_on(session, range(number, number + 1))
        return begin()

    monkeypatch.setattr(target.database, "transaction", meanwhile)
    copy_session(source.project("p"), target.project("p"), source.project("p").head("a"))
    monkeypatch.setattr(target.database, "transaction", begin)
    assert found(target.project("p"), "a") == found(source.project("p"), "a")
    last = target.project("p").open("a").log.next_seq
    assert target.database.rows("SELECT max(seq) FROM archived")[0][0] < last


def test_a_running_turn_of_the_copy_is_not_written_into(source: Store, target: Store) -> None:
    list(copy(source, target))
    go_on(source.project("p").open("a"), range(26, 30))
    with target.project("p").open("a").turn(), pytest.raises(SessionBusy):
        list(copy(source, target))


def test_a_backup_holds_the_archive(source: Store, tmp_path: Path) -> None:
    backup(source, tmp_path / "backup.db")
    with open_store(tmp_path / "backup.db") as copied:
        assert found(copied.project("p"), "a") == found(source.project("p"), "a")

"""Copies: from engine to engine and back, every entry, digest and request as it was; what was stopped goes on."""

from __future__ import annotations

import itertools
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.databases import Server
from unabridged import Conversation, Usage
from unabridged.entry import MessageEntry, RefusedEntry
from unabridged.errors import BadInput, SessionBusy, StoreError, StoreFault
from unabridged.message import Message, Role, Text
from unabridged.store import Project, Session, Store, moving, open_store
from unabridged.store.doctor import examine, examine_engine
from unabridged.store.moving import Moved, backup, copy, copy_session
from unabridged.store.search import search
from unabridged.store.steps import Steps
from unabridged.testing.notation import say


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "source.db") as store:
        yield store


@pytest.fixture
def target(postgres: Server) -> Iterator[Store]:
    with postgres.database() as url, open_store(url) as store:
        yield store


@pytest.fixture
def third(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "third.db") as store:
        yield store


def filled(project: Project, id: str, *, steps: int = 14) -> Session:
    """A session with pictures, large outputs, fits, usage, a refusal and branches."""
    session = project.create(id=id, title=f"Title of {id}", created="2026-11-01T00:00:00.000Z")
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    say(talk, "U{img}:task")
    for number in range(steps):
        fitted = talk.fit()
        talk.answered(Usage(input=fitted.sent.price))
        say(talk, f"A[c{number}]")
        talk.result(f"c{number}", f"{id} stone " * (4_000 if number == 3 else 300))
    refused = talk.user("too much")
    talk.transcript.record(RefusedEntry((refused.id,), "too long"))
    say(talk, "A:done")
    talk.transcript.branch_from(talk.transcript.records[5].message.id, why="rewind")
    say(Conversation(model="m", window=8_000, log=session.log), "U:again A:done U:more")
    return session


def the_same(one: Project, other: Project, id: str) -> None:
    """Every entry, every digest, every request, and what lies beside the log."""
    a, b = one.open(id), other.open(id)
    assert a.log.entries == b.log.entries
    assert one.head(id) == other.head(id)
    assert a.log.counter == b.log.counter
    assert b.log.damaged() == ()
    assert {digest: a.log.media[digest] for digest in a.log.media} == {
        digest: b.log.media[digest] for digest in b.log.media
    }
    for branch in a.log.branches:
        mine, theirs = Steps(a.log, branch), Steps(b.log, branch)
        assert [mine.step(at).texts for at in range(1, len(mine) + 1)] == [
            theirs.step(at).texts for at in range(1, len(theirs) + 1)
        ]
    bodies = [Conversation(model="m", window=8_000, log=each.log).preview().body() for each in (a, b)]
    assert bodies[0] == bodies[1]


def test_there_and_back_everything_is_as_it_was(source: Store, target: Store, third: Store) -> None:
    for name, id in itertools.product(("one", "two"), ("a", "b")):
        filled(source.project(name), id, steps=6 if id == "b" else 14)
    source.project("one").create(id="empty")

    there = list(copy(source, target))
    assert [(moved.project, moved.session) for moved in there] == [
        ("one", "a"),
        ("one", "b"),
        ("one", "empty"),
        ("two", "a"),
        ("two", "b"),
    ]
    assert all(moved.copied == moved.entries for moved in there)
    assert list(copy(target, third)) == there
    for name, id in [(moved.project, moved.session) for moved in there]:
        the_same(source.project(name), target.project(name), id)
        the_same(source.project(name), third.project(name), id)
    assert [each.findings for each in (*examine(target), *examine(third))] == [()] * 10
    assert examine_engine(third) == examine_engine(target) == ()


def test_the_copy_goes_on_and_is_searched_as_the_original(source: Store, target: Store) -> None:
    filled(source.project("p"), "a")
    list(copy(source, target))

    session = target.project("p").open("a")
    with session.turn():
        talk = Conversation(model="m", window=8_000, log=session.log)
        talk.user("Go on from here.")
        talk.fit()
    assert session.log.damaged() == ()
    assert len(search(target.project("p"), "go on from here")) == 1


def test_only_one_project_can_be_copied(source: Store, third: Store) -> None:
    filled(source.project("one"), "a", steps=2)
    filled(source.project("two"), "b", steps=2)
    assert [moved.session for moved in copy(source, third, project="two")] == ["b"]
    assert third.projects() == ["two"]


def test_a_second_copy_brings_only_what_is_new(source: Store, target: Store) -> None:
    session = filled(source.project("p"), "a", steps=2)
    (first,) = copy(source, target)
    assert list(copy(source, target)) == [Moved("p", "a", first.entries, 0)]

    talk = Conversation(model="m", window=8_000, log=session.log)
    refused = talk.user("one more")
    talk.transcript.record(RefusedEntry((refused.id,), "too long"))
    assert list(copy(source, target)) == [Moved("p", "a", first.entries + 2, 2)]
    the_same(source.project("p"), target.project("p"), "a")


def test_a_copy_that_was_stopped_goes_on_where_it_was(
    source: Store, target: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = filled(source.project("p"), "a")
    monkeypatch.setattr(moving, "AT_ONCE", 7)
    # The database goes away in the middle: after so many transactions nothing is written any more.
    begin, left = target.database.transaction, iter(range(6))

    def going_away() -> object:
        if next(left, None) is None:
            raise StoreError(StoreFault.UNAVAILABLE, "gone")
        return begin()

    monkeypatch.setattr(target.database, "transaction", going_away)
    with pytest.raises(StoreError):
        list(copy(source, target))
    monkeypatch.setattr(target.database, "transaction", begin)
    written = target.project("p").open("a").log.next_seq
    assert 0 < written < session.log.next_seq

    (moved,) = copy(source, target)
    assert moved.copied == session.log.next_seq - written
    the_same(source.project("p"), target.project("p"), "a")


def test_another_session_of_the_same_id_is_refused_and_left_as_it_is(source: Store, target: Store) -> None:
    filled(source.project("p"), "a", steps=2)
    other = filled(target.project("p"), "a", steps=2)
    before = other.log.entries

    with pytest.raises(BadInput, match="is another there"):
        list(copy(source, target))
    assert target.project("p").open("a").log.entries == before


def test_a_copy_that_went_on_is_left_as_it_is(source: Store, third: Store) -> None:
    filled(source.project("p"), "a", steps=2)
    (first,) = copy(source, third)
    session = third.project("p").open("a")
    talk = Conversation(model="m", window=8_000, log=session.log)
    talk.user("Go on.")
    length = session.log.next_seq

    assert list(copy(source, third)) == [Moved("p", "a", first.entries, 0)]
    assert third.project("p").open("a").log.next_seq == length


def test_a_copy_into_a_session_with_a_running_turn_is_refused(source: Store, target: Store) -> None:
    session = filled(source.project("p"), "a", steps=2)
    list(copy(source, target))
    session.log.append(MessageEntry(Message(id="new", role=Role.USER, parts=(Text("new"),))))

    with target.project("p").open("a").turn(), pytest.raises(SessionBusy):
        list(copy(source, target))
    (moved,) = copy(source, target)
    assert moved.copied == 1


def test_what_is_appended_while_a_copy_runs_is_brought_by_the_next(
    source: Store, third: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = filled(source.project("p"), "a", steps=3)
    length = session.log.next_seq
    monkeypatch.setattr(moving, "AT_ONCE", 4)
    counted = itertools.count()
    begin = third.database.transaction

    def meanwhile() -> object:
        number = next(counted)
        session.log.append(MessageEntry(Message(id=f"late-{number}", role=Role.USER, parts=(Text("late"),))))
        return begin()

    monkeypatch.setattr(third.database, "transaction", meanwhile)
    (moved,) = copy(source, third)
    assert moved == Moved("p", "a", length, length)
    monkeypatch.setattr(third.database, "transaction", begin)
    (moved,) = copy(source, third)
    assert moved.entries == session.log.next_seq
    the_same(source.project("p"), third.project("p"), "a")


@pytest.mark.parametrize(
    ("table", "sql"),
    [
        ("entries", 'UPDATE entries SET payload = \'{"type":"undo","checkpoint":"x"}\' WHERE seq = 2'),
        ("blobs", "UPDATE blobs SET data = 'other'"),
        ("blobs", "DELETE FROM blobs"),
    ],
)
def test_a_damaged_session_is_never_said_to_have_arrived(source: Store, third: Store, table: str, sql: str) -> None:
    filled(source.project("p"), "a", steps=5)
    with source.database.transaction() as writing:
        writing.run(f"DROP TRIGGER {table}_stay")
        writing.run(f"DROP TRIGGER {table}_last")
        writing.run(sql)

    with pytest.raises(StoreError) as raised:
        list(copy(source, third))
    assert raised.value.fault is StoreFault.DAMAGED


def test_a_session_with_another_counter_is_another(source: Store, third: Store) -> None:
    filled(source.project("p"), "a", steps=2)
    third.project("p").create(id="a", counter="characters")
    with pytest.raises(BadInput, match="is another there"):
        copy_session(source.project("p"), third.project("p"), source.project("p").head("a"))


def test_a_backup_is_a_whole_store_that_only_its_owner_reads(lasting: str, tmp_path: Path) -> None:
    place = tmp_path / "backup.db"
    with open_store(lasting) as store:
        filled(store.project("p"), "a")
        filled(store.project("q"), "b", steps=2)
        backup(store, place)
        with open_store(place) as copied:
            the_same(store.project("p"), copied.project("p"), "a")
            the_same(store.project("q"), copied.project("q"), "b")
            assert examine_engine(copied) == ()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_a_backup_writes_over_nothing(source: Store, tmp_path: Path) -> None:
    place = tmp_path / "there.db"
    place.write_text("something")
    with pytest.raises(BadInput, match="already"):
        backup(source, place)
    assert place.read_text() == "something"


def test_others_go_on_writing_while_a_backup_is_made(source: Store, tmp_path: Path) -> None:
    session = filled(source.project("p"), "a")
    stop, place = threading.Event(), tmp_path / "backup.db"

    def write() -> None:
        with open_store(tmp_path / "source.db") as store:
            log = store.project("p").open("a").log
            for number in itertools.count():
                if stop.is_set():
                    return
                log.append(MessageEntry(Message(id=f"n-{number}", role=Role.USER, parts=(Text("on"),))))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        backup(source, place)
    finally:
        stop.set()
        writer.join()
    with open_store(place) as copied:
        entries = copied.project("p").open("a").log.entries
        assert session.log.since(0)[: len(entries)] == list(entries)
        assert [each.findings for each in examine(copied)] == [()]

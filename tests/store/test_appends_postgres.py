"""Appends to PostgreSQL: who waits for whom, rows of any size, and more threads than connections."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import psycopg
import pytest

from tests.store.databases import Server
from tests.store.entries import said
from unabridged.entry import MessageEntry
from unabridged.errors import SessionBusy, UnabridgedError
from unabridged.message import Message, Role, Text
from unabridged.store import Session, Store, open_store
from unabridged.store.postgres import PostgresDatabase

SOON_S = 0.3


@pytest.fixture
def url(postgres: Server) -> Iterator[str]:
    with postgres.database() as given:
        yield given


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    return store.project("home").create(id="s-1")


class Doing(threading.Thread):
    """Something that is done meanwhile, and what was raised."""

    def __init__(self, do: Callable[[], object]) -> None:
        super().__init__(daemon=True)
        self.raised: UnabridgedError | None = None
        self._do = do
        self.start()

    def run(self) -> None:
        try:
            self._do()
        except UnabridgedError as error:
            self.raised = error


def test_an_append_waits_for_a_turn_that_is_just_given_to_another_and_is_refused(url: str, session: Session) -> None:
    with psycopg.connect(url) as taking:
        taking.execute("UPDATE sessions SET fence = 1, holder = 'other', held_until = 60 + extract(epoch FROM now())")
        appending = Doing(lambda: session.log.append(said("late")))
        appending.join(SOON_S)
        assert appending.is_alive()
    appending.join()
    assert isinstance(appending.raised, SessionBusy)
    assert session.log.next_seq == 0


def test_a_turn_is_given_to_another_only_behind_an_append_that_is_on_its_way(
    url: str, store: Store, session: Session
) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(
            "CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$"
        )
        connection.execute(
            "CREATE CONSTRAINT TRIGGER linger AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED"
            " FOR EACH ROW EXECUTE FUNCTION linger()"
        )
    appending = Doing(lambda: session.log.append(said("on its way")))
    time.sleep(SOON_S)
    with store.project("home").open("s-1").turn():
        assert store.project("home").open("s-1").log.next_seq == 1
    appending.join()
    assert appending.raised is None


def test_a_row_that_no_socket_takes_at_once_is_written(session: Session, store: Store) -> None:
    parts = tuple(Text(f"{number} " + "river stone " * 1_000) for number in range(500))
    session.log.append(MessageEntry(Message(id="m-1", role=Role.USER, parts=parts)))
    assert store.project("home").open("s-1").log.entries == session.log.entries
    assert session.log.damaged() == ()


def test_an_append_that_fails_leaves_the_connection_to_the_next(store: Store, session: Session) -> None:
    other = store.project("home").open("s-1").log
    session.log.append(said("one"))
    with pytest.raises(UnabridgedError):
        other.append(said("the same place"))
    session.log.append(said("two"))
    assert session.log.next_seq == 2


def test_more_threads_than_connections_wait_for_each_other_only(url: str) -> None:
    database = PostgresDatabase(url, connections=2)
    started = time.monotonic()
    working = [Doing(lambda: [database.rows("SELECT 1") for _ in range(100)]) for _ in range(8)]
    for each in working:
        each.join()
    took = time.monotonic() - started
    database.close()
    assert [each.raised for each in working] == [None] * 8
    assert took < 10

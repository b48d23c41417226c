"""A PostgreSQL that goes away, says no, or loses the answer: typed errors, nothing twice, and on it goes."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.store.cutting import Wire, wire_to
from tests.store.databases import OwnServer, own_server
from tests.store.entries import said
from tests.store.talking import conversation, texts
from unabridged.errors import BadInput, Conflict, StoreError, StoreFault
from unabridged.store import Session, Store, open_store

PASSWORD = "s3cret/word"
LOST = 0.6
"""Seconds to wait for a server that will not come."""
COMPLAINTS = {
    "53100": StoreFault.FULL,
    "25006": StoreFault.READ_ONLY,
    "42501": StoreFault.READ_ONLY,
    "55P03": StoreFault.BUSY,
    "57014": StoreFault.BUSY,
    "40001": StoreFault.BUSY,
    "40P01": StoreFault.BUSY,
    "XX001": StoreFault.DAMAGED,
    "XX002": StoreFault.DAMAGED,
    "53300": StoreFault.UNAVAILABLE,
}
"""What a server says (SQLSTATE), and what that is to us."""


@pytest.fixture(scope="module")
def server() -> Iterator[OwnServer]:
    """A server that a test may stop."""
    with own_server(f"faults-{os.getpid()}") as started:
        yield started


@pytest.fixture
def url(server: OwnServer) -> Iterator[str]:
    with server.database() as given:
        yield given


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    with open_store(url, wait_s=LOST) as opened:
        yield opened


@pytest.fixture
def wire(url: str, tmp_path: Path) -> Iterator[Wire]:
    with wire_to(url, tmp_path) as laid:
        yield laid


@pytest.fixture
def far(wire: Wire) -> Iterator[Session]:
    """A session at the other end of a wire."""
    with open_store(wire.url, wait_s=LOST) as opened:
        yield opened.project("home").create(id="s-1")


def sql(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)  # type: ignore[arg-type]  # psycopg wants literals, and these are


def test_a_server_that_stops_and_starts_is_found_again_by_the_same_store(server: OwnServer, store: Store) -> None:
    session = store.project("home").create(id="s-1")
    talk = conversation(session)
    talk.user("before")
    server.stop()
    try:
        for _ in range(2):
            with pytest.raises(StoreError) as gone:
                talk.user("lost")
            assert gone.value.fault is StoreFault.UNAVAILABLE
        with pytest.raises(StoreError, match=f"within {LOST:g} s"):
            store.project("home").sessions()
    finally:
        server.start()
    talk.user("after")
    assert texts(store.project("home").open("s-1").log) == ["before", "after"] == texts(session.log)


def test_a_server_that_was_restarted_between_two_calls_is_not_noticed(server: OwnServer, store: Store) -> None:
    session = store.project("home").create(id="s-1")
    with session.turn() as lease:
        talk = conversation(session)
        talk.user("before")
        server.stop("immediate")
        server.start()
        assert texts(store.project("home").open("s-1").log) == ["before"]
        server.stop()
        server.start()
        talk.user("after")
        assert not lease.is_lost
    assert texts(store.project("home").open("s-1").log) == ["before", "after"]


def test_a_server_that_is_not_there_is_named_at_once_when_a_store_is_opened(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as gone:
        open_store(f"postgresql://postgres@/x?host={tmp_path}")
    assert gone.value.fault is StoreFault.UNAVAILABLE
    assert "No such file" in str(gone.value)


def test_an_answer_that_was_lost_leads_to_no_second_entry(wire: Wire, far: Session) -> None:
    far.log.append(said("one", id="m-1"))
    wire.lose_answers()
    far.log.append(said("two", id="m-2"))
    far.log.append(said("three", id="m-3"))
    assert wire.lost == 1
    assert texts(far.log) == ["one", "two", "three"]
    assert [entry.seq for entry in far.log.entries] == [0, 1, 2]


def test_a_commit_that_did_not_come_to_be_is_done_again_once(url: str, far: Session) -> None:
    sql(
        url,
        "CREATE SEQUENCE deaths",
        "CREATE FUNCTION die_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
        " IF nextval('deaths') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); END IF;"
        " RETURN NULL; END $$",
        "CREATE CONSTRAINT TRIGGER die AFTER INSERT ON entries DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION die_once()",
    )
    far.log.append(said("one", id="m-1"))
    far.log.append(said("two", id="m-2"))
    assert texts(far.log) == ["one", "two"]


def test_who_cannot_know_whether_it_was_written_is_told_when_it_can_be_known(
    wire: Wire, far: Session, url: str
) -> None:
    talk = conversation(far)
    wire.lose_answers(and_stay_cut=True)
    with pytest.raises(StoreError) as lost:
        talk.user("one")
    assert lost.value.fault is StoreFault.UNAVAILABLE
    wire.connect()
    with pytest.raises(Conflict):
        talk.user("one, once more")
    conversation(far).user("two")
    with open_store(url) as near:
        assert texts(near.project("home").open("s-1").log) == ["one", "two"]


def test_who_cannot_know_and_was_not_written_goes_on(wire: Wire, far: Session) -> None:
    talk = conversation(far)
    wire.cut()
    with pytest.raises(StoreError):
        talk.user("lost")
    wire.connect()
    talk.user("one")
    assert texts(far.log) == ["one"]


def test_what_the_server_complains_of_is_a_fault_and_nothing_is_written(store: Store, url: str) -> None:
    session = store.project("home").create(id="s-1")
    sql(url, "CREATE FUNCTION complain() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN END $$")
    sql(url, "CREATE TRIGGER complain BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION complain()")
    talk = conversation(session)
    for state, fault in COMPLAINTS.items():
        raising = f"BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END"
        sql(url, f"CREATE OR REPLACE FUNCTION complain() RETURNS trigger LANGUAGE plpgsql AS $$ {raising} $$")
        with pytest.raises(StoreError) as error:
            talk.user("x" * 50_000)
        assert error.value.fault is fault
    assert store.database.rows("SELECT count(*) FROM blobs") == [(0,)]
    sql(url, "DROP TRIGGER complain ON entries")
    talk.user("once more")
    assert texts(session.log) == ["once more"]


def test_a_database_that_takes_no_writes_can_be_read(store: Store, url: str) -> None:
    store.project("home").create(id="s-1").log.append(said("hello"))
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
    sql(url, f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
    with open_store(url) as reading:
        session = reading.project("home").open("s-1")
        assert texts(session.log) == ["hello"]
        with pytest.raises(StoreError) as error:
            session.log.append(said("more", id="m-2"))
        assert error.value.fault is StoreFault.READ_ONLY


def test_no_message_repeats_a_password(server: OwnServer, tmp_path: Path) -> None:
    written = PASSWORD.replace("/", "%2F")
    sql(server.url, f"CREATE ROLE guest LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 0")
    host = server.url.partition("host=")[2]
    urls = [
        f"postgresql://guest:{written}@/postgres?host={host}",
        f"postgresql://guest:{written}@/postgres?host={tmp_path}",
        f"postgresql://guest:{written}@127.0.0.1:1/postgres",
        f"postgresql://guest:{PASSWORD}@host/postgres",
        f"postgresql://guest:{PASSWORD}%@host/postgres",
        f"mysql://guest:{written}@host/database",
        f"postgresql+psycopg://guest:{written}@host/database",
    ]
    for url in urls:
        with pytest.raises((StoreError, BadInput)) as refused:
            open_store(url)
        assert "s3cret" not in "".join(traceback.format_exception(refused.value))

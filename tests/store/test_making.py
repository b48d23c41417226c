"""Whoever opens a store first makes it, one that is newer is refused, and two clocks do not disturb the order."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Barrier, Thread

import psycopg
import pytest

from tests.shared import REPOSITORY
from tests.store.databases import Server
from tests.store.entries import said
from tests.store.talking import texts
from unabridged.errors import BadSetting, StoreError, StoreFault
from unabridged.store import Store, open_store
from unabridged.store.migrations import VERSION

OPENER = """
import sys
from unabridged.store import open_store
sys.stdin.readline()
with open_store(sys.argv[1]) as store:
    store.project("home").create(id=sys.argv[2])
"""


def together(count: int, do: Callable[[int], object]) -> list[BaseException]:
    """Do something in several threads at once, and give what they raised."""
    raised: list[BaseException] = []
    barrier = Barrier(count)

    def begin(number: int) -> None:
        barrier.wait()
        try:
            do(number)
        except BaseException as error:  # the test looks at all of them
            raised.append(error)

    threads = [Thread(target=begin, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


def test_threads_that_open_a_new_store_at_once_all_find_one(postgres: Server, tmp_path: Path) -> None:
    with postgres.database() as url:
        for place in (url, *(str(tmp_path / f"{number}.db") for number in range(12))):
            assert together(8, partial(make, place)) == []
            with open_store(place) as store:
                assert {head.id for head in store.project("home").sessions()} == {f"s-{number}" for number in range(8)}


def make(place: str, number: int) -> None:
    with open_store(place) as store:
        store.project("home").create(id=f"s-{number}")


def test_processes_that_open_a_new_store_at_once_all_find_one(lasting: str) -> None:
    command = [sys.executable, "-c", OPENER, lasting]
    processes = [
        subprocess.Popen([*command, name], cwd=REPOSITORY, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for name in ("a", "b", "c")
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate()[1] for process in processes] == ["", "", ""]
    with open_store(lasting) as store:
        assert {head.id for head in store.project("home").sessions()} == {"a", "b", "c"}


def test_a_store_that_a_newer_version_made_is_refused_and_left_alone(lasting: str) -> None:
    with open_store(lasting) as store:
        store.project("home").create(id="s-1").log.append(said("hello"))
        set_version(store, VERSION + 1)
    with pytest.raises(StoreError, match=re.escape(f"schema {VERSION + 1}")) as error:
        open_store(lasting)
    assert error.value.fault is StoreFault.NEWER_SCHEMA
    assert "upgrade" in str(error.value)


def set_version(store: Store, version: int) -> None:
    sqlite = store.database.name == "sqlite"
    with store.database.transaction() as writing:
        writing.run(
            f"PRAGMA user_version = {version}" if sqlite else f"UPDATE unabridged_schema SET version = {version}"
        )


def test_a_store_can_be_opened_twice_and_closed_twice(lasting: str) -> None:
    first, second = open_store(lasting), open_store(lasting)
    session = first.project("home").create(id="s-1")
    session.log.append(said("hello"))
    assert texts(second.project("home").open("s-1").log) == ["hello"]
    for store in (first, second, first):
        store.close()
    with pytest.raises(StoreError):
        session.log.append(said("closed", id="m-2"))


@pytest.mark.parametrize("synchronous", ["OFF", "full", "FULL; DROP TABLE entries"])
def test_a_durability_that_is_none_is_refused(synchronous: str) -> None:
    with pytest.raises(BadSetting, match="synchronous"):
        open_store(":memory:", synchronous=synchronous)


def test_a_clock_that_was_set_back_disturbs_no_order(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    project = store.project("home")
    project.create(id="s-1", created="2026-12-01T08:00:00.000Z")
    session = project.create(id="s-2", created="2026-11-30T08:00:00.000Z")
    for number in range(3):
        monkeypatch.setattr("unabridged.log.time.time_ns", lambda number=number: (2 - number) * 10**18)
        session.log.append(said(f"{number}", id=f"m-{number}"))
    opened = project.open("s-2").log
    assert (texts(opened), opened.damaged()) == (["0", "1", "2"], ())
    assert [head.id for head in project.sessions()] == ["s-2", "s-1"]
    assert project.head("s-2").updated == "1970-01-01T00:00:00.000Z"


def test_tables_of_others_in_the_same_database_are_left_alone(postgres: Server) -> None:
    with postgres.database() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE sessions (theirs TEXT)")
        with pytest.raises(StoreError, match="already exists"):
            open_store(url)
        assert connection.execute("SELECT to_regclass('unabridged_schema')").fetchone() == (None,)

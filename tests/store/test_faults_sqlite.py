"""A file that is full, locked, read-only, damaged or not ours: typed errors, nothing written, and on it goes."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.shared import REPOSITORY
from tests.store.entries import said
from tests.store.talking import conversation, texts
from unabridged.errors import BadInput, StoreError, StoreFault
from unabridged.log import Log
from unabridged.store import Session, Store, open_store

PAGE = 4_096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sessions.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with open_store(path, wait_s=0.1) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    return store.project("home").create(id="s-1")


def fault_of(error: pytest.ExceptionInfo[StoreError]) -> StoreFault:
    return error.value.fault


def fill(log: Log) -> int:
    """Append until that fails, and give how many messages there are then."""
    for number in range(10_000):
        try:
            log.append(said(f"{number} " + "x" * 10_000, id=f"m-{number}"))
        except StoreError as error:
            assert error.fault is StoreFault.FULL  # noqa: PT017 - where it comes from is looked at too
            return number
    raise AssertionError("a hundred megabytes went into a hundred pages")


# -- room


def test_a_full_disk_loses_nothing_and_goes_on_when_there_is_room(store: Store, session: Session) -> None:
    store.database.rows("PRAGMA max_page_count = 100")
    written = fill(session.log)
    assert [text.split()[0] for text in texts(session.log)] == [str(number) for number in range(written)]
    with pytest.raises(StoreError):
        conversation(session).user("x" * 50_000)
    assert store.database.rows("SELECT count(*) FROM blobs") == [(0,)]
    store.database.rows("PRAGMA max_page_count = 10000")
    session.log.append(said("room again"))
    assert texts(session.log)[written:] == ["room again"]
    assert session.log.damaged() == ()


def test_a_file_that_may_not_grow_is_told_of_and_stays_whole(path: Path, store: Store, session: Session) -> None:
    session.log.append(said("before", id="m-1"))
    with no_file_larger_than(os.stat(f"{path}-wal").st_size + PAGE), pytest.raises(StoreError) as error:
        session.log.append(said("x" * 10 * PAGE, id="m-2"))
    assert fault_of(error) in (StoreFault.FULL, StoreFault.UNAVAILABLE)
    session.log.append(said("after", id="m-2"))
    with open_store(path) as other:
        assert texts(other.project("home").open("s-1").log) == ["before", "after"]


@contextmanager
def no_file_larger_than(size: int) -> Generator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


# -- rights


READER = """
import os, sys
from unabridged.errors import StoreError
from unabridged.store import open_store
from tests.store.entries import said
from tests.store.talking import texts

open_store(":memory:").project("home").create().log.append(said("everything is imported"))
if os.geteuid() == 0:
    os.setuid(65534)
for place in sys.argv[1:]:
    try:
        session = open_store(place).project("home").open("s-1")
        print(texts(session.log), end=" ")
        session.log.append(said("more", id="m-2"))
    except StoreError as error:
        assert "permissions" in str(error)
        print(error.fault)
"""


def test_who_may_not_write_is_told_so_and_reads_what_can_be_read() -> None:
    rights = {(0o444, 0o777): "['hello'] read_only", (0o000, 0o777): "unavailable", (0o666, 0o555): "read_only"}
    with tempfile.TemporaryDirectory() as made:
        Path(made).chmod(0o755)
        paths = [Path(made, f"{file:o}-{folder:o}", "sessions.db") for file, folder in rights]
        for path, (file, folder) in zip(paths, rights, strict=True):
            path.parent.mkdir()
            with open_store(path) as store:
                store.project("home").create(id="s-1").log.append(said("hello"))
            path.chmod(file)
            path.parent.chmod(folder)
        command = [sys.executable, "-c", READER, *map(str, paths)]
        found = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (found.stdout.splitlines(), found.stderr) == (list(rights.values()), "")


def test_a_new_file_is_its_owners_alone(path: Path, session: Session) -> None:
    session.log.append(said("hello"))
    files = [path, *path.parent.glob("sessions.db-*")]
    assert {each.stat().st_mode & 0o777 for each in files} == {0o600}
    assert len(files) == 3


# -- locks


def test_a_file_that_another_process_holds_is_busy_after_the_wait(path: Path, session: Session) -> None:
    with locked(path):
        began = time.monotonic()
        with pytest.raises(StoreError) as error:
            session.log.append(said("hello"))
        assert 0.1 <= time.monotonic() - began < 2
        assert fault_of(error) is StoreFault.BUSY
        assert texts(session.log) == []
    session.log.append(said("hello"))
    assert texts(session.log) == ["hello"]


@contextmanager
def locked(path: Path) -> Generator[None]:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.close()


# -- what lies there is not ours, or not whole


def test_a_file_of_garbage_is_no_store_and_stays_as_it_is(path: Path) -> None:
    path.write_bytes(b"garbage " * 1_000)
    with pytest.raises(StoreError) as error:
        open_store(path)
    assert fault_of(error) is StoreFault.DAMAGED
    assert path.read_bytes() == b"garbage " * 1_000


def test_the_database_of_another_program_is_refused_and_stays_as_it_is(path: Path) -> None:
    for made in ("CREATE TABLE sessions (id)", "PRAGMA application_id = 7"):
        path.unlink(missing_ok=True)
        with sqlite3.connect(path) as connection:
            connection.execute(made)
        connection.close()
        before = path.read_bytes()
        with pytest.raises(BadInput, match="another program"):
            open_store(path)
        assert path.read_bytes() == before


@pytest.mark.parametrize("place", ["", "mysql://host/database", "file://sessions.db"])
def test_a_place_that_is_none_is_refused(place: str) -> None:
    with pytest.raises(BadInput, match="no place for a store"):
        open_store(place)


def test_a_folder_and_a_path_that_leads_nowhere_are_told_of(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "missing" / "sessions.db"):
        with pytest.raises(StoreError, match="path") as error:
            open_store(place)
        assert fault_of(error) is StoreFault.UNAVAILABLE


def test_a_file_that_was_replaced_or_deleted_takes_no_entry_that_nobody_would_find(
    path: Path, session: Session
) -> None:
    session.log.append(said("hello", id="m-1"))
    kept = path.rename(path.with_suffix(".kept"))
    for content in (None, b"garbage " * 1_000):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(StoreError, match="open the store again") as error:
            session.log.append(said("lost?", id="m-2"))
        assert fault_of(error) is StoreFault.UNAVAILABLE
    kept.rename(path)
    session.log.append(said("found", id="m-2"))
    assert texts(session.log) == ["hello", "found"]


def test_a_damaged_page_is_told_of_and_other_sessions_can_be_read(path: Path) -> None:
    names = [f"s-{number}" for number in range(5)]
    with open_store(path) as store:
        for name in names:
            log = store.project("home").create(id=name).log
            log.append(*[said(f"{name} {number} " + "x" * 3_000, id=f"m-{number}") for number in range(40)])
    damage(path, b"s-2 20 x")
    with open_store(path) as store:
        project = store.project("home")
        assert len(project.sessions()) == len(names)
        found = [read(project.open(name)) for name in names]
        assert found == [40, 40, StoreFault.DAMAGED, 40, 40]
        with pytest.raises(StoreError):
            project.open("s-2").log.damaged()
        project.open("s-3").log.append(said("goes on", id="m-40"))
        assert read(project.open("s-3")) == 41


def damage(path: Path, where: bytes) -> None:
    """Overwrite the page that holds some text."""
    data = bytearray(path.read_bytes())
    start = data.index(where) // PAGE * PAGE
    data[start : start + PAGE] = b"\xff" * PAGE
    path.write_bytes(data)


def read(session: Session) -> int | StoreFault:
    try:
        return len(texts(session.log))
    except StoreError as error:
        return error.fault


def test_words_that_were_changed_behind_our_back_are_named(path: Path, store: Store, session: Session) -> None:
    session.log.append(*[said(f"word {number}", id=f"m-{number}") for number in range(5)])
    conversation(session).user("a large text " * 4_000)
    tamper(path, "UPDATE entries SET payload = CAST(replace(payload, 'word 3', 'word 9') AS BLOB)")
    assert session.log.damaged() == (3,)
    tamper(path, "UPDATE blobs SET data = CAST(replace(data, 'large', 'LARGE') AS BLOB)")
    assert store.project("home").open("s-1").log.damaged() == (3, 5)
    tamper(path, "DELETE FROM blobs")
    assert store.project("home").open("s-1").log.damaged() == (3, 5)
    tamper(path, 'UPDATE entries SET payload = \'{"type":"mess\' WHERE seq = 1')
    with pytest.raises(StoreError, match="entry 1 is damaged") as error:
        texts(session.log)
    assert fault_of(error) is StoreFault.DAMAGED


def test_a_message_that_is_missing_is_told_of(path: Path, store: Store, session: Session) -> None:
    session.log.append(*[said(f"word {number}", id=f"m-{number}") for number in range(5)])
    tamper(path, "DELETE FROM entries WHERE seq = 2")
    with pytest.raises(StoreError, match="message 2 of this branch is missing"):
        texts(store.project("home").open("s-1").log)


def tamper(path: Path, sql: str) -> None:
    with sqlite3.connect(path) as connection:
        for name in ("entries_stay", "entries_last", "blobs_stay", "blobs_last"):
            connection.execute(f"DROP TRIGGER IF EXISTS {name}")
        connection.execute(sql)
    connection.close()

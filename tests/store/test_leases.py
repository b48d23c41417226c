"""One turn of a session at a time, in order, whoever dies, sleeps or loses the database meanwhile."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from tests.shared import REPOSITORY
from tests.store.databases import own_server
from tests.store.entries import said
from tests.store.turning import PROJECT
from unabridged.entry import MessageEntry
from unabridged.errors import BadSetting, NotFound, SessionBusy, StoreError
from unabridged.store import Session, Store, open_store

LONG_S = 30.0
"""Longer than anything here takes, on however busy a machine."""


@pytest.fixture
def store(lasting: str) -> Iterator[Store]:
    with open_store(lasting) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    return store.project(PROJECT).create(id="s-1")


def again(store: Store) -> Session:
    """The session as another worker of this process has it."""
    return store.project(PROJECT).open("s-1")


class Worker:
    """Another process that takes the turn of the session."""

    def __init__(self, place: str, lease_s: float, seen_s: float) -> None:
        command = [sys.executable, "-m", "tests.store.turning", place, "s-1", str(lease_s), str(seen_s)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=REPOSITORY, stdin=pipe, stdout=pipe, text=True)

    def says(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def tell(self, line: str) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        return self.says()

    def send(self, what: signal.Signals) -> None:
        self._process.send_signal(what)

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@contextmanager
def worker(place: str, *, lease_s: float = LONG_S, seen_s: float = LONG_S) -> Generator[Worker]:
    started = Worker(place, lease_s, seen_s)
    try:
        yield started
    finally:
        started.kill()


def texts(session: Session) -> list[str]:
    payloads = [entry.payload for entry in session.log.entries]
    return [payload.message.text for payload in payloads if isinstance(payload, MessageEntry)]


def waiting(store: Store) -> int:
    return store.database.rows("SELECT count(*) FROM queue")[0][0]


def until(holds: Callable[[], bool]) -> None:
    ends = time.monotonic() + LONG_S
    while not holds():
        assert time.monotonic() < ends
        time.sleep(0.01)


def in_background(*works: Callable[[], object]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    return threads


def test_a_second_turn_waits_for_the_first_and_goes_on_behind_it(store: Store, session: Session) -> None:
    other = again(store)

    def second() -> None:
        with other.turn(wait_s=LONG_S):
            other.log.append(said("second", id="m-2"))

    with session.turn():
        (thread,) = in_background(second)
        until(lambda: waiting(store) == 1)
        session.log.append(said("first"))
    thread.join()

    assert texts(session) == ["first", "second"]


def test_whoever_waits_is_served_in_order(store: Store, session: Session) -> None:
    served: list[int] = []

    def wait_for(nth: int) -> None:
        with again(store).turn(wait_s=LONG_S):
            served.append(nth)

    threads: list[threading.Thread] = []
    with session.turn():
        for nth in range(5):
            threads += in_background(lambda nth=nth: wait_for(nth))
            until(lambda nth=nth: waiting(store) == nth + 1)
    for thread in threads:
        thread.join()

    assert served == [0, 1, 2, 3, 4]
    assert waiting(store) == 0


def test_whoever_comes_late_does_not_overtake_the_queue(store: Store, session: Session) -> None:
    begun = threading.Event()

    def wait_for() -> None:
        with again(store).turn(wait_s=LONG_S):
            begun.set()
            time.sleep(0.2)

    with session.turn():
        (thread,) = in_background(wait_for)
        until(lambda: waiting(store) == 1)
    with again(store).turn(wait_s=LONG_S):
        assert begun.is_set()
    thread.join()


@pytest.mark.parametrize("wait_s", [0.0, 0.2])
def test_whoever_waited_for_long_enough_leaves_the_queue(store: Store, session: Session, wait_s: float) -> None:
    with session.turn():
        with pytest.raises(SessionBusy) as busy, again(store).turn(wait_s=wait_s):
            pass
        assert busy.value.waited_s == wait_s
        assert waiting(store) == 0
        session.log.append(said("undisturbed"))

    assert texts(session) == ["undisturbed"]


def test_a_turn_inside_a_turn_of_the_same_session_is_refused(session: Session) -> None:
    with session.turn():
        with pytest.raises(SessionBusy), session.turn(wait_s=0.1):
            pass
        session.log.append(said("the outer one goes on"))

    assert texts(session) == ["the outer one goes on"]


def test_sessions_do_not_wait_for_each_other(store: Store, session: Session) -> None:
    with session.turn(), store.project(PROJECT).create(id="s-2").turn(wait_s=0) as other:
        assert other.fence == 1


def test_each_turn_has_a_higher_fence(session: Session) -> None:
    fences: list[int | None] = []
    for _ in range(3):
        with session.turn() as lease:
            fences.append(lease.fence)
            assert not lease.taken_over

    assert fences == [1, 2, 3]


def test_an_append_without_a_turn_waits_for_none_and_is_refused_while_one_runs(store: Store, session: Session) -> None:
    outside = again(store)
    outside.log.append(said("before"))
    with session.turn():
        with pytest.raises(SessionBusy):
            outside.log.append(said("beside", id="m-2"))
        session.log.append(said("within", id="m-3"))
    again(store).log.append(said("after", id="m-4"))

    assert texts(session) == ["before", "within", "after"]


def test_a_killed_workers_turn_runs_out_and_what_it_wrote_stays(lasting: str, store: Store, session: Session) -> None:
    with worker(lasting, lease_s=1.0) as dying:
        assert dying.says() == "began"
        assert dying.tell("append written") == "0"
        dying.kill()
        with session.turn(wait_s=LONG_S) as lease:
            assert lease.taken_over
            session.log.append(said("next", id="m-2"))

    assert texts(session) == ["written", "next"]


def test_a_worker_that_slept_through_the_end_of_its_turn_writes_nothing(
    lasting: str, store: Store, session: Session
) -> None:
    with worker(lasting, lease_s=1.0) as sleeper:
        assert sleeper.says() == "began"
        sleeper.send(signal.SIGSTOP)
        with session.turn(wait_s=LONG_S):
            sleeper.send(signal.SIGCONT)
            assert sleeper.tell("append too late") == "LeaseLost"
            session.log.append(said("mine"))
        assert sleeper.tell("append later still") == "LeaseLost"
        time.sleep(1.0)
        assert sleeper.tell("end") == "lost"

    assert texts(session) == ["mine"]
    with session.turn(wait_s=0) as lease:
        assert not lease.taken_over


def test_a_long_turn_is_kept_by_signs_of_life(lasting: str, store: Store, session: Session) -> None:
    with worker(lasting, lease_s=1.0) as working:
        assert working.says() == "began"
        with pytest.raises(SessionBusy), session.turn(wait_s=3.0):
            pass
        assert working.tell("append still mine") == "0"
        assert working.tell("end") == "ended"


def test_a_waiter_that_dies_does_not_hold_up_those_behind_it(lasting: str, store: Store, session: Session) -> None:
    with worker(lasting, seen_s=1.0) as dying:
        with session.turn():
            until(lambda: waiting(store) == 1)
            dying.kill()
            (thread,) = in_background(lambda: again_and_append(store, "behind the dead"))
            until(lambda: waiting(store) == 2)
        thread.join(LONG_S)

    assert texts(session) == ["behind the dead"]
    assert waiting(store) == 0


def again_and_append(store: Store, text: str) -> None:
    opened = again(store)
    with opened.turn(wait_s=LONG_S):
        opened.log.append(said(text))


def test_whoever_waits_for_an_erased_session_is_told(store: Store, session: Session) -> None:
    told: list[NotFound] = []

    def wait_for() -> None:
        try:
            with again(store).turn(wait_s=LONG_S):
                pass
        except NotFound as error:
            told.append(error)

    with suppress(NotFound), session.turn():
        (thread,) = in_background(wait_for)
        until(lambda: waiting(store) == 1)
        store.project(PROJECT).erase("s-1")
    thread.join()

    assert [error.id for error in told] == ["s-1"]


@pytest.mark.parametrize("beyond_s", [86_400.0, 1e13])
def test_no_lease_holds_from_before_a_clock_was_set_back(store: Store, session: Session, beyond_s: float) -> None:
    with store.database.transaction() as writing:
        now = store.database.now(writing)
        writing.run("UPDATE sessions SET fence = 7, holder = 'gone', held_until = ?", now + beyond_s)
        writing.run(
            "INSERT INTO queue (session, holder, seen_until) SELECT key, 'gone', ? FROM sessions", now + beyond_s
        )

    session.log.append(said("without a turn"))
    with session.turn(wait_s=0) as lease:
        assert (lease.fence, lease.taken_over) == (8, True)


@pytest.mark.parametrize("lease_s", [0.0, -1.0, 3_601.0, float("nan"), float("inf")])
def test_a_lease_that_cannot_be_given_is_refused(session: Session, lease_s: float) -> None:
    with pytest.raises(BadSetting, match="lease_s"), session.turn(lease_s=lease_s):
        pass


def test_threads_take_turns(store: Store, session: Session) -> None:
    running: list[str] = []

    def work(name: str) -> None:
        for nth in range(5):
            mine = again(store)
            with mine.turn(wait_s=LONG_S):
                running.append(name)
                mine.log.append(said("one", id=f"{name}-{nth}-1"))
                mine.log.append(said("two", id=f"{name}-{nth}-2"))
                assert running == [name]
                running.clear()

    threads = in_background(*(lambda name=name: work(name) for name in "abcd"))
    for thread in threads:
        thread.join()

    ids = [entry.payload.message.id for entry in session.log.entries if isinstance(entry.payload, MessageEntry)]
    assert len(ids) == len(set(ids)) == 40
    assert [one[:-1] for one in ids[::2]] == [two[:-1] for two in ids[1::2]]


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Hold a file of SQLite as a program that hangs within its transaction does."""
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.close()


def test_a_turn_outlives_a_file_that_is_locked_for_a_while(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db", wait_s=0.02) as store:
        session = store.project(PROJECT).create(id="s-1")
        with session.turn(lease_s=6.0) as lease:
            with locked(tmp_path / "s.db"):
                time.sleep(2.5)
                with pytest.raises(StoreError):
                    session.log.append(said("not now"))
            until(lambda: held_for(store) > 5)
            session.log.append(said("now"))

        assert not lease.is_lost
        assert texts(session) == ["now"]


def held_for(store: Store) -> float:
    """Seconds for which the turn holds without another sign of life."""
    with store.database.transaction() as reading:
        return reading.rows("SELECT held_until FROM sessions")[0][0] - store.database.now(reading)


def test_the_error_that_ended_a_turn_is_seen_although_the_turn_cannot_be_given_back(tmp_path: Path) -> None:
    with open_store(tmp_path / "s.db", wait_s=0.02) as store:
        session = store.project(PROJECT).create(id="s-1")
        with pytest.raises(ZeroDivisionError):
            fail_and_leave_the_file_locked(session, tmp_path / "s.db")
        with session.turn(wait_s=LONG_S) as lease:
            assert lease.taken_over


def fail_and_leave_the_file_locked(session: Session, path: Path) -> None:
    with ExitStack() as after, session.turn(lease_s=0.5):
        after.enter_context(locked(path))
        raise ZeroDivisionError


def test_a_turn_and_who_waits_for_it_outlive_a_server_that_crashes() -> None:
    with (
        own_server(f"leases-{time.monotonic_ns()}") as server,
        server.database() as url,
        open_store(url, wait_s=1.0) as store,
    ):
        session = store.project(PROJECT).create(id="s-1")
        with session.turn(lease_s=LONG_S) as lease:
            session.log.append(said("before"))
            (thread,) = in_background(lambda: again_and_append(store, "waited"))
            until(lambda: waiting(store) == 1)
            server.stop("immediate")
            with pytest.raises(StoreError):
                session.log.append(said("away", id="m-2"))
            server.start()
            session.log.append(said("back", id="m-3"))
        thread.join()

        assert not lease.is_lost
        assert texts(session) == ["before", "back", "waited"]


def test_a_turn_whose_worker_was_killed_is_free_at_once(lasting: str, store: Store, session: Session) -> None:
    with worker(lasting, lease_s=3_000.0) as dying:
        assert dying.says() == "began"
        with pytest.raises(SessionBusy), session.turn(wait_s=0.2):
            pass
        dying.kill()
        with session.turn(wait_s=10.0) as lease:
            assert lease.taken_over

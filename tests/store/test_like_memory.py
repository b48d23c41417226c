"""A stored log is the log in memory, whatever is appended to it: the same entries, digests and transcripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.store.databases import Server
from tests.store.entries import payloads
from unabridged.checkpoint import Checkpoint
from unabridged.entry import (
    BranchEntry,
    CheckpointEntry,
    InterruptionEntry,
    MessageEntry,
    Payload,
    RefusedEntry,
    UndoEntry,
)
from unabridged.log import Log
from unabridged.plan import Plan
from unabridged.store import Project, Store, open_store, rows, scope
from unabridged.tokens import default_counter
from unabridged.transcript import Transcript

COUNTER = default_counter().name


@dataclass(frozen=True)
class Append:
    """Append entries of any kind to a branch, by its number."""

    payloads: tuple[Payload, ...]
    branch: int = 0


@dataclass(frozen=True)
class Fork:
    """Open a branch at some entry of another; -1 is before everything."""

    branch: int
    upto: int


@dataclass(frozen=True)
class Refuse:
    """Take the newest messages of a branch out of it."""

    branch: int
    count: int


@dataclass(frozen=True)
class Decide:
    """Append a checkpoint that reaches to the newest message, or take one back: the newest, or one from before."""

    branch: int
    step: bool
    undoes: int | None


@dataclass(frozen=True)
class Step:
    """Do several things as one; or begin to, and fail."""

    inner: tuple[Append | Fork | Refuse | Decide, ...]
    fails: bool = False


@dataclass(frozen=True)
class Reopen:
    """Go on in another process."""


Deed = Append | Fork | Refuse | Decide | Step | Reopen
branches = st.integers(0, 4)
branching = BranchEntry | RefusedEntry  # these say something about others: `Fork` and `Refuse` make them
plain = payloads.map(lambda payload: InterruptionEntry("") if isinstance(payload, branching) else payload)
appends = st.builds(Append, st.lists(plain, min_size=1, max_size=3).map(tuple), branches)
forks = st.builds(Fork, branches, st.integers(-1, 12))
refusals = st.builds(Refuse, branches, st.integers(1, 3))
decisions = st.builds(Decide, branches, st.booleans(), st.none() | st.integers(0, 3))
single = appends | appends | forks | refusals | decisions
deeds = st.lists(
    single | st.builds(Step, st.lists(single, max_size=4).map(tuple), st.booleans()) | st.just(Reopen()), max_size=10
)


class Pair:
    """A log in memory and one in a store, to which the same is done."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.id = project.create(counter=COUNTER).id
        self.plain = Log(self.id, counter=COUNTER)
        self.count = 0
        self.reopen()

    def reopen(self) -> None:
        self.stored = self.project.open(self.id).log

    def do(self, deed: Deed) -> None:
        match deed:
            case Reopen():
                self.reopen()
            case Step(inner=inner, fails=False):
                with self.stored.step():
                    for each in inner:
                        self.do(each)
            case Step(inner=inner):
                self._fail(inner)
            case _:
                self._both(self._thought(deed))

    def _fail(self, inner: Sequence[Deed]) -> None:
        """Begin a step and let it fail; in memory nothing happens, for no log there takes anything back."""
        kept, media, before = self.plain, dict(self.plain.media), self.count
        self.plain = Log.restore(self.id, kept.entries, counter=COUNTER, media=media)
        with suppress(ZeroDivisionError), self.stored.step():
            for each in inner:
                self.do(each)
            raise ZeroDivisionError
        self.plain, self.count = kept, before
        Transcript(self.stored)  # somebody reads it anew

    def _both(self, thought: Callable[[Log], object]) -> None:
        stored, plain = thought(self.stored), thought(self.plain)
        assert timeless(stored) == timeless(plain)

    def _thought(self, deed: Deed) -> Callable[[Log], object]:
        match deed:
            case Append(payloads=payloads):
                named = tuple(self._named(payload) for payload in payloads)
                return lambda log: log.append(*named, branch=self._branch(deed.branch))
            case Fork(branch=number, upto=upto):
                branch, last = self._branch(number), min(upto, self.plain.next_seq - 1)
                return lambda log: log.fork(branch, upto=last, why="fork")
            case Refuse(branch=number, count=count):
                branch = self._branch(number)
                ids = [record.message.id for record in Transcript(self.plain, branch=branch).records][-count:]
                refusal = RefusedEntry(tuple(ids), "too large")
                return lambda log: Transcript(log, branch=branch).record(*[refusal] * bool(ids))
            case Decide():
                return self._decision(deed)
            case _:
                raise AssertionError(deed)

    def _decision(self, deed: Decide) -> Callable[[Log], object]:
        branch = self._branch(deed.branch)
        known = Transcript(self.plain, branch=branch)
        made = [entry.payload for entry in self.plain.entries if isinstance(entry.payload, CheckpointEntry)]
        if deed.undoes is not None:
            id = made[-1 - deed.undoes % len(made)].checkpoint.id if made else "none"
            return lambda log: Transcript(log, branch=branch).record(UndoEntry(id))
        if not known.records:
            return lambda _: None
        last, chain = known.records[-1], known.in_force()[0]
        checkpoint = Checkpoint(
            id=f"checkpoint-{self.plain.next_seq}",
            parent=chain[0].id if chain else None,
            step=deed.step,
            reaches=last.message.id,
            digest=known.digest_of(last),
            plan=Plan(),
            strategy="trim",
            budget=1_000,
        )
        return lambda log: Transcript(log, branch=branch).record(CheckpointEntry(checkpoint))

    def _named(self, payload: Payload) -> Payload:
        """Give every message an id of its own, as a transcript does, and no media that nobody has."""
        if not isinstance(payload, MessageEntry):
            return payload
        self.count += 1
        message = msgspec.structs.replace(payload.message, id=f"{self.count}{payload.message.id}")
        return MessageEntry(message)

    def _branch(self, number: int) -> str:
        names = self.plain.branches
        return names[number % len(names)]


def timeless(given: object) -> object:
    """Give entries without the time at which they were made; anything else as it is."""
    if not isinstance(given, tuple):
        return given
    return tuple(msgspec.structs.replace(entry, time="") for entry in given)


def check(pair: Pair) -> None:
    for log in (pair.stored, pair.project.open(pair.id).log):
        assert log.next_seq == pair.plain.next_seq
        assert log.branches == pair.plain.branches
        assert timeless(log.entries) == timeless(pair.plain.entries)
        assert log.damaged() == ()
        for branch in pair.plain.branches:
            the_same_branch(Transcript(log, branch=branch), Transcript(pair.plain, branch=branch))


def the_same_branch(stored: Transcript, plain: Transcript) -> None:
    assert list(stored.records) == list(plain.records)
    assert dict(stored.position) == dict(plain.position)
    assert list(stored.position) == list(plain.position)
    assert stored.total == plain.total
    assert stored.humans[:1] == plain.humans[:1]
    assert stored.humans[-1:] == plain.humans[-1:]
    assert stored.learned == plain.learned
    assert stored.frame == plain.frame
    assert stored.in_force() == plain.in_force()


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


@pytest.fixture(scope="module")
def in_postgres(postgres: Server) -> Iterator[Store]:
    with postgres.database() as url, open_store(url) as opened:
        opened.projects()  # connections are made by a thread, which draws random numbers as hypothesis does
        yield opened


reaches = st.sampled_from([1, 2, 3, 5, scope.REACH])
"""How far the messages behind an anchor may lie: no conversation here is long enough for the real one."""


@given(deeds, reaches)
def test_sqlite_holds_what_a_log_in_memory_holds(in_memory: Store, deeds: list[Deed], reach: int) -> None:
    it_is_the_same(in_memory, deeds, reach)


@given(deeds, reaches)
@settings(max_examples=15, phases=(Phase.explicit, Phase.generate))
def test_postgresql_holds_what_a_log_in_memory_holds(in_postgres: Store, deeds: list[Deed], reach: int) -> None:
    it_is_the_same(in_postgres, deeds, reach)


def it_is_the_same(store: Store, deeds: list[Deed], reach: int) -> None:
    with patch.object(rows, "REACH", reach), patch.object(scope, "REACH", reach):
        pair = Pair(store.project("pairs"))
        for deed in deeds:
            pair.do(deed)
        check(pair)
    every_message_has_an_anchor(pair, reach)
    pair.project.erase(pair.id)


def every_message_has_an_anchor(pair: Pair, reach: int) -> None:
    """Nothing lies too far behind an anchor, and places count up from one to the next."""
    sql = "SELECT seq, branch, place, anchor FROM entries WHERE session = ? AND place IS NOT NULL ORDER BY seq"
    anchors: dict[str, tuple[int, int]] = {}
    for seq, branch, place, anchor in pair.project.database.rows(sql, pair.project.open(pair.id).key):
        first, expected = (seq, place) if anchor is not None else anchors[branch]
        assert place == expected
        assert seq - first < reach
        anchors[branch] = (first, place + 1)

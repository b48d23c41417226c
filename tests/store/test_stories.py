"""A conversation in a database goes as one in memory does, to the byte; whoever opens it again goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import msgspec
import pytest
from hypothesis import Phase, given, settings

from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Step, Walker
from tests.store.databases import Server
from unabridged.engine import Engine
from unabridged.entry import Entry
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.log import Log
from unabridged.store import Session, Store, open_store
from unabridged.transcript import Transcript

EVERY = 3
"""At every third call of the model, and at the last, somebody else opens the session."""


@pytest.fixture(scope="module")
def in_memory() -> Iterator[Store]:
    with open_store(":memory:") as opened:
        yield opened


@pytest.fixture(scope="module")
def in_postgres(postgres: Server) -> Iterator[Store]:
    with postgres.database() as url, open_store(url) as opened:
        opened.projects()  # connections are made by a thread, which draws random numbers as hypothesis does
        yield opened


class Living(Walker):
    """A story that is lived through over a log of our choice."""

    def __init__(self, story: Story, log: Log) -> None:
        super().__init__(story)
        self.transcript = Transcript(log, counter=COUNTER)
        self.engine = Engine(self.transcript, dialect=story.dialect)


@given(stories())
def test_a_story_goes_on_sqlite_as_it_goes_in_memory(in_memory: Store, story: Story) -> None:
    it_goes_the_same(in_memory, story)


@given(stories(most_events=16))
@settings(max_examples=8, phases=(Phase.explicit, Phase.generate))
def test_a_story_goes_on_postgresql_as_it_goes_in_memory(in_postgres: Store, story: Story) -> None:
    it_goes_the_same(in_postgres, story)


def it_goes_the_same(store: Store, story: Story) -> None:
    """Live a story in memory and in a store side by side."""
    project = store.project("stories")
    session = project.create(counter=COUNTER.name)
    plain = Living(story, Log(session.id, counter=COUNTER.name)).walk()
    last: Step | None = None
    for step in Living(story, session.log).walk():
        last = next(plain)
        both_did_the_same(step, last)
        if step.number % EVERY == 1:
            a_stranger_gives_the_same(lambda: project.open(session.id), last)
    assert next(plain, None) is None
    if last is not None:
        a_stranger_gives_the_same(lambda: project.open(session.id), last)
        every_branch_is_the_same(project.open(session.id), last.transcript.log)
    project.erase(session.id)


def both_did_the_same(stored: Step, plain: Step) -> None:
    """The same request or the same refusal, the same report, the same entries with the same digests."""
    assert str(stored.refusal) == str(plain.refusal)
    the_same_request(stored.fitted, plain.fitted)
    assert timeless(stored.after) == timeless(plain.after)
    assert stored.transcript.total == plain.transcript.total
    assert stored.transcript.learned == plain.transcript.learned


def the_same_request(one: Fitted | None, other: Fitted | None) -> None:
    """Byte for byte, and for the same reasons."""
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert one.body() == other.body()
    assert one.texts == other.texts
    assert (one.tokens, one.sent, one.undo) == (other.tokens, other.sent, other.undo)
    assert one.report == other.report
    assert one.checkpoint == other.checkpoint


def a_stranger_gives_the_same(opened: Callable[[], Session], plain: Step) -> None:
    """Fit once more, by a session opened anew and by a new engine over the log in memory."""
    one = afresh(plain, opened().log)
    other = afresh(plain, plain.transcript.log)
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
    else:
        the_same_request(one, other)


def afresh(step: Step, log: Log) -> Fitted | str:
    """Give what a process that knows nothing but the log sends next."""
    transcript = Transcript(log, branch=step.transcript.branch, counter=COUNTER)
    try:
        return step.again(Engine(transcript, dialect=step.dialect))
    except CannotFit as refusal:
        return str(refusal)


def every_branch_is_the_same(session: Session, plain: Log) -> None:
    """Whoever reads all of it finds all of it."""
    assert session.log.branches == plain.branches
    assert timeless(session.log.entries) == timeless(plain.entries)
    assert session.log.damaged() == ()
    for branch in plain.branches:
        stored = Transcript(session.log, branch=branch, counter=COUNTER)
        known = Transcript(plain, branch=branch, counter=COUNTER)
        assert list(stored.records) == list(known.records)
        assert list(stored.position) == list(known.position)
        assert dict(stored.position) == dict(known.position)
        assert stored.in_force() == known.in_force()
        assert stored.learned == known.learned


def timeless(entries: Iterable[Entry]) -> list[Entry]:
    """Give entries without the time at which they were made."""
    return [msgspec.structs.replace(entry, time="") for entry in entries]

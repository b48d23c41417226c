"""A project sees its own sessions: with another one's id every method finds nothing, and changes nothing."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import pytest

from tests.store.entries import said
from tests.store.talking import digest, shown
from unabridged.entry import MessageEntry
from unabridged.errors import NotFound
from unabridged.store import Project, Session, Store

DATA = b"a picture of theirs"
ID = "s-theirs"


@pytest.fixture
def theirs(store: Store) -> Session:
    """A session of another project."""
    session = store.project("theirs").create(id=ID, title="secret", counter="estimate/1")
    session.log.media[digest(DATA)] = DATA
    session.log.append(said("a secret", id="m-1"), MessageEntry(shown(DATA, id="m-2")))
    return session


def not_found(call: Callable[[Project], object]) -> Callable[[Project], None]:
    def looked(mine: Project) -> None:
        with pytest.raises(NotFound, match=ID):
            call(mine)

    return looked


def created(mine: Project) -> None:
    """The id is free here, and names another session."""
    session = mine.create(id=ID)
    assert (len(session.log), session.title) == (0, "")
    assert digest(DATA) not in session.log.media
    with pytest.raises(KeyError):
        list(session.log.blobs.chunks(digest(DATA)))
    session.log.append(said("mine"))
    mine.rename(ID, "mine")
    mine.erase(ID)


def listed(mine: Project) -> None:
    assert mine.sessions() == []
    not_found(lambda project: project.sessions(after=ID))(mine)


def all_given(mine: Project) -> None:
    assert list(mine.all()) == []


def had(mine: Project) -> None:
    assert not mine.has(ID)


CASES: dict[str, Callable[[Project], None]] = {
    "all": all_given,
    "create": created,
    "erase": not_found(lambda mine: mine.erase(ID)),
    "has": had,
    "head": not_found(lambda mine: mine.head(ID)),
    "open": not_found(lambda mine: mine.open(ID)),
    "rename": not_found(lambda mine: mine.rename(ID, "mine now")),
    "sessions": listed,
}


def test_every_method_of_a_project_has_its_case() -> None:
    methods = {name for name, _ in inspect.getmembers(Project, callable) if not name.startswith("_")}
    assert methods == set(CASES)


def test_no_method_finds_or_changes_a_session_of_another_project(store: Store, theirs: Session) -> None:
    before = store.project("theirs").head(ID), list(theirs.log.entries)
    for case in CASES.values():
        case(store.project("mine"))
    opened = store.project("theirs").open(ID)
    assert (store.project("theirs").head(ID), list(opened.log.entries)) == before
    assert opened.log.media[digest(DATA)] == DATA
    assert store.projects() == ["theirs"]


@pytest.mark.parametrize("seq", [-1, -(2**32), 2**32, 2**32 + 1, 2**62])
def test_no_position_reaches_into_another_session(store: Store, seq: int) -> None:
    project = store.project("home")
    logs = [project.create().log for _ in range(3)]
    for log in logs:
        log.append(said("one"), said("two"))
    with pytest.raises(NotFound):
        logs[1].entry(seq)
    with pytest.raises(NotFound):
        logs[1].digest_at(seq)
    assert [entry.seq for entry in logs[1].since(seq)] == ([0, 1] if seq < 0 else [])
    assert list(logs[1].seqs()) == [0, 1]
    assert len(logs[1]) == 2


def test_another_session_of_the_same_project_does_not_see_the_media_either(store: Store, theirs: Session) -> None:
    beside = store.project("theirs").create(id="beside")
    assert digest(DATA) not in beside.log.media
    assert list(beside.log.media) == []
    with pytest.raises(NotFound):
        beside.log.blobs.size(digest(DATA))
    beside.log.append(MessageEntry(shown(DATA, id="m-1")))  # to name a digest is not to have its bytes
    with pytest.raises(KeyError):
        store.project("theirs").open("beside").log.media[digest(DATA)]

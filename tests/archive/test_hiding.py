"""What its user hid is found by nobody: on every engine, on the branch that it was hidden on and those made of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.archive.shelves import shelved
from tests.store.databases import ENGINES
from unabridged import Conversation
from unabridged.archive import Archive, Shelf, StoredShelf, answer
from unabridged.entry import HiddenEntry
from unabridged.errors import NotFound
from unabridged.importers import read_file
from unabridged.log import Log
from unabridged.message import Text
from unabridged.store import Project, Session, open_store
from unabridged.store.filing import write_session
from unabridged.store.jsonl import JsonlWriter, read_log
from unabridged.store.search import search
from unabridged.transcript import Transcript


class Talk:
    """A conversation all of which is archived."""

    def __init__(self, log: Log, shelf: Shelf) -> None:
        self.log = log
        self.archive = Archive(shelf)
        self.talk = Conversation(model="m", window=8_000, max_tokens=500, log=log)
        self.kite = self.talk.user("The kite is red.").id
        self.boat = self.talk.user("The boat is a secret of mine.").id
        self.last = self.talk.user("Nothing else.").id
        self.leave()

    def leave(self) -> None:
        transcript = self.talk.transcript
        self.archive.add(transcript.records, range(len(transcript.records)), self.log.ancestry(transcript.branch))

    def found(self, query: str, transcript: Transcript | None = None) -> str:
        arguments = json.dumps({"query": query})
        return answer(self.archive, transcript or self.talk.transcript, "search_history", arguments)

    def read(self, seq: int, transcript: Transcript | None = None) -> str:
        return answer(self.archive, transcript or self.talk.transcript, "read_history", json.dumps({"id": seq}))


@pytest.fixture(params=["plain", *ENGINES])
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    """A conversation of this process, and one in a store of each engine."""
    for log, shelf in shelved(request, tmp_path):
        yield Talk(log, shelf)


def test_what_is_hidden_is_not_found_and_not_read(talk: Talk) -> None:
    assert "secret" in talk.found("secret boat")
    assert "secret" in talk.read(1)

    assert talk.talk.hide(talk.boat) == (talk.boat,)
    assert "secret" not in talk.found("secret boat")
    assert talk.read(1) == "No message has the number 1: search_history gives numbers, such as 17."
    assert "kite" in talk.found("red kite")
    assert "kite" in talk.read(0)


def test_what_is_shown_is_found_again(talk: Talk) -> None:
    talk.talk.hide(talk.boat)
    assert talk.talk.show(talk.boat, talk.kite) == (talk.boat,)
    assert "secret" in talk.found("secret boat")
    assert "secret" in talk.read(1)
    talk.talk.hide(talk.boat)
    assert "secret" not in talk.found("secret boat")


def test_it_is_appended_and_only_where_it_is_news(talk: Talk) -> None:
    length = talk.log.next_seq
    assert talk.talk.hide(talk.boat, talk.kite, talk.boat) == (talk.boat, talk.kite)
    assert talk.talk.hide(talk.boat) == ()
    assert [entry.payload for entry in talk.log.since(length)] == [HiddenEntry(talk.boat), HiddenEntry(talk.kite)]
    assert talk.log.hidden("main") == talk.talk.transcript.hidden == {1: talk.boat, 0: talk.kite}
    assert talk.log.damaged() == ()


def test_a_message_that_is_not_there_hides_nothing(talk: Talk) -> None:
    length = talk.log.next_seq
    with pytest.raises(NotFound):
        talk.talk.hide(talk.boat, "nobody")
    assert talk.log.next_seq == length
    assert "secret" in talk.found("secret boat")


def test_the_conversation_and_its_digests_stay_as_they_are(talk: Talk) -> None:
    transcript = talk.talk.transcript
    before, digest = talk.talk.fit(), transcript.digest_of(transcript.records[-1])
    talk.talk.hide(talk.boat)
    assert talk.talk.fit().body() == before.body()
    assert Conversation(model="m", window=8_000, max_tokens=500, log=talk.log).fit().body() == before.body()
    assert transcript.digest_of(transcript.records[-1]) == digest
    said = talk.talk.user("and on")
    assert Transcript(talk.log).records[-1].message.id == said.id


def test_a_branch_that_was_there_before_still_finds_it(talk: Talk) -> None:
    fork = talk.talk.transcript.branch_from(talk.last, why="fork")
    Transcript(talk.log, branch="main").hide(talk.boat)
    main = Transcript(talk.log, branch="main")
    assert "secret" not in talk.found("secret boat", main)
    assert "secret" in talk.found("secret boat", fork)
    assert "secret" in talk.read(1, fork)


def test_hiding_on_a_fork_leaves_the_branch_that_it_came_from(talk: Talk) -> None:
    fork = talk.talk.transcript.branch_from(talk.last, why="fork")
    fork.hide(talk.boat)
    assert "secret" not in talk.found("secret boat", fork)
    assert "secret" in talk.found("secret boat", Transcript(talk.log, branch="main"))


@pytest.mark.parametrize("upto", ["boat", "last"])
def test_no_branch_that_is_made_afterwards_brings_it_back(talk: Talk, upto: str) -> None:
    talk.talk.hide(talk.boat)
    fork = talk.talk.transcript.branch_from(getattr(talk, upto), why="rewind to before it was hidden")
    deeper = fork.branch_from(talk.boat, why="and once more")
    for branch in (fork, deeper, Transcript(talk.log), Transcript(talk.log, branch=fork.branch)):
        assert "secret" not in talk.found("secret boat", branch)
        assert "No message has" in talk.read(1, branch)


def test_what_is_shown_again_is_shown_on_branches_that_are_made_afterwards(talk: Talk) -> None:
    talk.talk.hide(talk.boat)
    said = talk.talk.user("in between")
    talk.talk.show(talk.boat)
    fork = talk.talk.transcript.branch_from(said.id, why="rewind to where it was hidden")
    assert "secret" in talk.found("secret boat", fork)


def test_a_branch_without_the_message_is_told_nothing(talk: Talk) -> None:
    talk.talk.hide(talk.boat)
    length = talk.log.next_seq
    fork = talk.talk.transcript.branch_from(talk.kite, why="rewind")
    assert talk.log.next_seq == length + 1
    assert fork.hidden == {}


def test_the_words_of_another_branch_stay_out_of_reach(talk: Talk) -> None:
    fork = talk.talk.transcript.branch_from(talk.kite, why="edit")
    other = Conversation(model="m", window=8_000, log=talk.log)
    gull = other.user("The gull is a secret of the fork.").id
    talk.archive.add(other.transcript.records, [1], talk.log.ancestry(other.transcript.branch))
    with pytest.raises(NotFound):
        Transcript(talk.log, branch="main").hide(gull)
    other.hide(gull)
    assert "gull" not in talk.found("gull secret", other.transcript)
    assert "gull" not in talk.found("gull secret", Transcript(talk.log, branch="main"))
    assert fork.branch == other.transcript.branch


def test_nothing_is_missing_from_the_hits_beside_it(talk: Talk) -> None:
    ids = [talk.talk.user(f"paragraph {number} of the heron").id for number in range(60)]
    talk.leave()
    talk.talk.hide(*ids[:55])
    arguments = json.dumps({"query": "heron", "limit": 50})
    told = answer(talk.archive, talk.talk.transcript, "search_history", arguments)
    assert sum(f"paragraph {number} " in told for number in range(60)) == 5


def test_a_copy_as_a_file_hides_the_same(talk: Talk, tmp_path: Path) -> None:
    talk.talk.hide(talk.boat, talk.kite)
    talk.talk.show(talk.kite)
    with JsonlWriter(tmp_path / "log.jsonl", session="s") as writer:
        writer.append(talk.log.since(0), {})
    opened = read_log(tmp_path / "log.jsonl")
    assert opened.problems == ()
    again = Log.restore("s", opened.entries, media={})
    assert again.hidden("main") == again.hidden() == {1: talk.boat}
    assert again.damaged() == ()
    (imported,) = read_file(tmp_path / "log.jsonl")
    assert imported.hidden == {talk.boat}
    assert talk.boat in {message.id for message in imported.messages}


# -- stores


@pytest.fixture
def session(place: str) -> Iterator[Session]:
    with open_store(place) as store:
        session = store.project("home").create(id="s")
        Talk(session.log, StoredShelf(session.database, session.key))
        yield session


def texts_found(session: Session, query: str, limit: int = 20) -> list[str]:
    return [found.snippet for found in search(Project(session.database, session.project), query, limit=limit)]


def test_a_search_of_all_sessions_does_not_find_it(session: Session) -> None:
    transcript = Transcript(session.log)
    boat = transcript.records[1].message.id
    assert texts_found(session, "secret") == ["The boat is a secret of mine."]
    transcript.hide(boat)
    assert texts_found(session, "secret") == []
    assert texts_found(session, "kite") == ["The kite is red."]
    transcript.hide(boat, shown=True)
    assert texts_found(session, "secret") == ["The boat is a secret of mine."]


def test_a_search_of_all_sessions_gives_as_much_as_is_asked_for(session: Session) -> None:
    talk = Conversation(model="m", log=session.log)
    ids = [talk.user(f"heron {number}").id for number in range(90)]
    talk.hide(*ids[10:])
    assert len(texts_found(session, "heron", 5)) == 5
    assert sorted(texts_found(session, "heron", 50)) == sorted(f"heron {number}" for number in range(10))


def test_without_a_branch_the_newest_word_counts(session: Session) -> None:
    transcript = Transcript(session.log)
    boat = transcript.records[1].message.id
    fork = transcript.branch_from(transcript.records[2].message.id, why="fork")
    transcript.hide(boat)
    assert texts_found(session, "secret") == []
    fork.hide(boat)
    fork.hide(boat, shown=True)
    assert texts_found(session, "secret") == ["The boat is a secret of mine."]


def test_a_message_of_the_same_id_on_another_branch_is_found(session: Session) -> None:
    transcript = Transcript(session.log)
    fork = transcript.branch_from(transcript.records[0].message.id, why="edit")
    same = transcript.records[1].message
    fork.append(msgspec.structs.replace(same, parts=(Text("The harbour of the fork."),)))
    fork.hide(same.id)
    assert texts_found(session, "harbour") == []
    assert texts_found(session, "secret") == ["The boat is a secret of mine."]


def test_who_opens_the_session_anew_and_who_has_it_open_find_the_same(session: Session) -> None:
    archive = Archive(StoredShelf(session.database, session.key))
    here, there = Transcript(session.log), Transcript(Project(session.database, "home").open("s").log)
    there.hide(here.records[1].message.id)
    for transcript in (here, there, Transcript(Project(session.database, "home").open("s").log)):
        assert "secret" not in answer(archive, transcript, "search_history", '{"query": "secret boat"}')


def test_what_is_hidden_in_a_step_that_fails_is_found(session: Session) -> None:
    transcript = Transcript(session.log)
    boat = transcript.records[1].message.id

    def fail() -> None:
        with session.log.step():
            said = Conversation(model="m", log=session.log).user("the osprey")
            Transcript(session.log).hide(boat, said.id)
            assert set(session.log.hidden("main").values()) == {boat, said.id}
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert session.log.hidden("main") == {}


def test_opening_and_a_step_ask_nothing_of_it(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    Transcript(session.log).hide(Transcript(session.log).records[1].message.id)
    asked: list[str] = []
    rows = session.database.rows

    def noted(sql: str, *values: object) -> object:
        asked.append(sql)
        return rows(sql, *values)

    monkeypatch.setattr(session.database, "rows", noted)
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    talk.user("and on")
    talk.fit()
    assert asked
    assert not [sql for sql in asked if "'hidden'" in sql]


def test_a_file_of_the_session_holds_it_all(session: Session, tmp_path: Path) -> None:
    transcript = Transcript(session.log)
    transcript.hide(transcript.records[1].message.id)
    write_session(session, tmp_path / "log.jsonl")
    assert read_log(tmp_path / "log.jsonl").entries == tuple(session.log.entries)

"""What was archived is found again: by its words, on every engine, and by nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.archive.shelves import shelved
from tests.store.databases import ENGINES
from unabridged.archive import Archive, Shelf, StoredShelf, Wanted, text_of
from unabridged.log import MAIN, Log
from unabridged.message import Message, Role, Text, ToolCall, ToolResult
from unabridged.store import open_store
from unabridged.transcript import Transcript

SCOPE = ((MAIN, -1),)


class Talk:
    """A transcript with its archive."""

    def __init__(self, shelf: Shelf, log: Log) -> None:
        self.transcript = Transcript(log)
        self.archive = Archive(shelf)

    def say(self, *texts: str, role: Role = Role.USER, time: str | None = None) -> None:
        """Append messages of one speaker."""
        for text in texts:
            id = f"m-{len(self.transcript.records)}"
            self.transcript.append(Message(id=id, role=role, time=time, parts=(Text(text),)))

    def leave(self, *places: int) -> int:
        """Archive messages by their places; without one, all."""
        chosen = places or range(len(self.transcript.records))
        return self.archive.add(self.transcript.records, chosen, self.scope)

    @property
    def scope(self) -> tuple[tuple[str, int], ...]:
        return self.transcript.log.ancestry(self.transcript.branch)

    def found(self, query: str, limit: int = 10, wanted: Wanted | None = None) -> list[str]:
        """Give the texts that were found, best first."""
        hits = self.archive.search(query, scope=self.scope, limit=limit, wanted=wanted or Wanted())
        records, position = self.transcript.records, self.transcript.position
        return [text_of(records[position[hit.place.message]].message)[hit.place.start : hit.place.end] for hit in hits]


@pytest.fixture(params=["plain", *ENGINES])
def talk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    """A conversation of this process, and one in a store of each engine."""
    for log, shelf in shelved(request, tmp_path):
        yield Talk(shelf, log)


def test_what_was_said_is_found_by_its_words(talk: Talk) -> None:
    talk.say("The red kite flew over the harbour.", "We ate pasta.", "Nothing else happened.")
    assert talk.leave() == 3
    assert talk.found("Which kite did you see at the harbour?", 1) == ["The red kite flew over the harbour."]


def test_other_forms_of_a_word_are_found(talk: Talk) -> None:
    talk.say("She was painting the fences.", "He sold a car.")
    talk.leave()
    assert talk.found("painted fence", 1) == ["She was painting the fences."]


@pytest.mark.parametrize("query", ["read_file", "readFile", "read-file", "ReadFile"])
def test_a_name_is_found_however_it_is_joined(talk: Talk, query: str) -> None:
    talk.say("call read_file here", "a file that was read", "reading is fun")
    talk.leave()
    assert talk.found(query, 1) == ["call read_file here"]


def test_a_file_is_found_by_its_name_and_by_its_path(talk: Talk) -> None:
    talk.say("see src/unabridged/log.py", "the log says py", "src of unabridged")
    talk.leave()
    assert talk.found("log.py", 1) == talk.found("src/unabridged/log.py", 1) == ["see src/unabridged/log.py"]


@pytest.mark.parametrize(
    ("said", "query"),
    [
        ("昨天我们去了长城", "长城"),
        ("昨日は京都の寺へ行きました", "京都の寺"),
        ("Dün İstanbul'da balık yedik", "istanbul balik"),
        ("Gestern war ich in München", "munchen"),
    ],
)
def test_every_language_is_found(talk: Talk, said: str, query: str) -> None:
    talk.say("something else", said, "and more")
    talk.leave()
    assert talk.found(query, 1) == [said]


def test_a_short_answer_is_found_by_the_question_before_it(talk: Talk) -> None:
    talk.say("What is the name of your dog?", "Rex!", "Fine weather today.", "Indeed.", "Bye.", "See you.")
    talk.leave()
    assert "Rex!" in talk.found("name of the dog", 2)


def test_what_did_not_leave_is_not_found(talk: Talk) -> None:
    talk.say("an old word: gallimaufry", "two", "three", "four", "gallimaufry once more")
    talk.leave(0, 1)
    assert talk.found("gallimaufry") == ["an old word: gallimaufry", "two"]


def test_the_same_is_archived_once(talk: Talk) -> None:
    talk.say("one kite", "two kites")
    assert talk.leave(0) == 1
    assert talk.leave(0, 1) == 1
    assert talk.leave(0, 1) == 0
    assert sorted(talk.found("kite")) == ["one kite", "two kites"]


def test_a_long_output_is_found_where_it_says_it(talk: Talk) -> None:
    lines = [f"line {number}: nothing to see" for number in range(2_000)]
    lines[1_234] = "line 1234: the gallimaufry is broken"
    call = Message(id="call", role=Role.ASSISTANT, parts=(ToolCall("c1", "look_around", "{}"),))
    result = Message(id="result", role=Role.TOOL, parts=(ToolResult("c1", (Text("\n".join(lines)),)),))
    talk.transcript.append(call, result)
    talk.leave()
    (piece,) = talk.found("gallimaufry", 1)
    assert lines[1_234] in piece
    assert len(piece) <= 1_200
    (hit,) = talk.archive.search("look_around 1234", scope=talk.scope, limit=1)
    assert hit.place.tool == "look_around"
    assert hit.place.role is Role.TOOL


def test_pieces_of_an_output_are_the_whole_of_it(talk: Talk) -> None:
    text = "\n\n".join(f"paragraph {number} " + "word " * (number % 97) for number in range(60))
    talk.say(text)
    talk.leave()
    hits = talk.archive.search("paragraph", scope=talk.scope, limit=1_000)
    spans = sorted((hit.place.start, hit.place.end) for hit in hits)
    assert "".join(text[start:end] for start, end in spans) == text


def test_only_what_a_role_said_at_a_time_is_found(talk: Talk) -> None:
    talk.say("kite one", time="2026-03-01T10:00:00Z")
    talk.say("kite two", role=Role.ASSISTANT, time="2026-05-01T10:00:00Z")
    talk.say("kite three")
    talk.leave()
    assert talk.found("kite", wanted=Wanted(role=Role.ASSISTANT)) == ["kite two"]
    assert talk.found("kite", wanted=Wanted(after="2026-04")) == ["kite two"]
    assert talk.found("kite", wanted=Wanted(before="2026-04")) == ["kite one"]
    assert talk.found("what happened in March 2026?", 1) == ["kite one"]


def test_many_small_fits_are_found_as_one(talk: Talk) -> None:
    for number in range(200):
        talk.say(f"number {number} of the kites")
        talk.leave(number)
    assert len(talk.found("kites", 500)) == 200
    assert talk.found("number 17", 1) == ["number 17 of the kites"]


def test_another_branch_finds_only_what_was_said_before_it(talk: Talk) -> None:
    talk.say("kite before", "and on")
    fork = Talk.__new__(Talk)
    fork.transcript, fork.archive = talk.transcript.branch_from("m-0", why="fork"), talk.archive
    fork.transcript.append(Message(id="theirs", role=Role.USER, parts=(Text("kite of the fork"),)))
    talk.say("kite behind")
    talk.leave()
    fork.leave()
    assert sorted(talk.found("kite", 50)) == ["and on", "kite before", "kite behind"]
    assert sorted(fork.found("kite", 50)) == ["kite before", "kite of the fork"]


@pytest.mark.parametrize("query", ["", "   ", "…", "\ud800", "' OR 1=1 --", 'kite" OR "x', "%", "kite\x00"])
def test_no_question_breaks_anything(talk: Talk, query: str) -> None:
    talk.say("a kite", "half \ud83d of it, and \x00")
    talk.leave()
    assert set(talk.found(query)) <= {"a kite", "half \ud83d of it, and \x00"}


def test_ids_and_times_of_any_text_come_back(talk: Talk) -> None:
    odd = Message(id="half \ud83d\\ud800 \x00", role=Role.USER, time="\ud800", parts=(Text("a kite"),))
    talk.transcript.append(odd)
    talk.leave()
    (hit,) = talk.archive.search("kite", scope=talk.scope)
    assert (hit.place.message, hit.place.time) == (odd.id, odd.time)


def test_silence_is_archived_and_found_by_nothing(talk: Talk) -> None:
    talk.transcript.append(Message(id="silent", role=Role.USER))
    assert talk.leave() == 0
    assert talk.found("anything") == []


def test_an_erased_session_leaves_nothing_behind(place: str) -> None:
    with open_store(place) as store:
        project = store.project("home")
        for id in ("mine", "theirs"):
            session = project.create(id=id)
            talk = Talk(StoredShelf(session.database, session.key), session.log)
            talk.say(f"kite of {id}")
            talk.leave()
        project.erase("mine")
        for table in ("archive_segments", "archived", "archive_postings"):
            left = store.database.rows(f"SELECT * FROM {table}")
            assert left
            assert b"mine" not in b"".join(bytes(cell) for row in left for cell in row if isinstance(cell, bytes))
        session = project.open("theirs")
        talk = Talk(StoredShelf(session.database, session.key), session.log)
        assert talk.found("kite") == ["kite of theirs"]

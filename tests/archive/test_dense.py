"""What was meant is found beside what was said: off the turn, on every engine, never at the cost of the words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from tests.archive.embedders import Meanings
from tests.archive.test_archive import SCOPE, Talk
from tests.store.databases import ENGINES, Server
from unabridged.archive import Archive, MemoryShelf, Shelf, StoredShelf
from unabridged.errors import EmbeddingError
from unabridged.log import Log
from unabridged.message import Message, Role, Text
from unabridged.store import Store, open_store
from unabridged.transcript import Transcript

SAID = (
    "Die Besprechung ist am Donnerstag.",
    "Nothing else.",
    "Köpek bütün gece havladı.",
    "It was late.",
    "We sold the auto.",
    "So it goes.",
)


class Talks:
    """A conversation that can be searched with any embedder."""

    def __init__(self, shelf: Shelf, log: Log) -> None:
        self.shelf = shelf
        self.talk = Talk(shelf, log)

    def said(self, *texts: str) -> Talks:
        """Say and archive something."""
        before = len(self.talk.transcript.records)
        self.talk.say(*texts)
        self.talk.leave(*range(before, before + len(texts)))
        return self

    def with_(self, embedder: Meanings) -> Talk:
        """Give the conversation with an archive that has an embedder."""
        self.talk.archive = Archive(self.shelf, embedder)
        return self.talk


def caught_up(talk: Talk, most_s: float = 60.0) -> int:
    return talk.archive.catch_up(talk.transcript.records, scope=talk.scope, most_s=most_s)


@pytest.fixture(params=["plain", *ENGINES])
def talks(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talks]:
    """A conversation of this process, and one in a store of each engine."""
    match request.param:
        case "plain":
            yield Talks(MemoryShelf(), Log())
        case "postgres":
            server: Server = request.getfixturevalue("postgres")
            with server.database() as url, open_store(url) as store:
                yield stored(store)
        case engine:
            with open_store(":memory:" if engine == "memory" else str(tmp_path / "sessions.db")) as store:
                yield stored(store)


def stored(store: Store, id: str = "s-1") -> Talks:
    session = store.project("home").create(id=id)
    return Talks(StoredShelf(session.database, session.key), session.log)


@pytest.mark.parametrize(
    ("query", "text"), [("When is the appointment?", SAID[0]), ("What did the puppy do?", SAID[2]), ("汽车", SAID[4])]
)
def test_a_question_without_a_common_word_finds_what_was_meant(talks: Talks, query: str, text: str) -> None:
    talk = talks.said(*SAID).with_(Meanings())
    assert text not in talk.found(query)
    assert caught_up(talk) == len(SAID)
    assert talk.found(query, 1) == [text]


def test_archiving_embeds_nothing(talks: Talks) -> None:
    embedder = Meanings()
    talks.with_(embedder)
    talks.said(*SAID)
    assert embedder.asked == []


def test_a_search_where_nothing_is_embedded_asks_no_embedder(talks: Talks) -> None:
    embedder = Meanings()
    talk = talks.said(*SAID).with_(embedder)
    assert talk.found("auto", 1) == [SAID[4]]
    assert embedder.asked == []


def test_what_is_embedded_is_not_embedded_again(talks: Talks) -> None:
    embedder = Meanings()
    talk = talks.said(*SAID).with_(embedder)
    assert caught_up(talk) == len(SAID)
    asked = len(embedder.asked)
    assert caught_up(talk) == 0
    assert len(embedder.asked) == asked
    talks.said("A downpour.")
    assert caught_up(talk) == 1


def test_catching_up_can_end_at_any_time_and_go_on(talks: Talks) -> None:
    texts = [f"number {number} says nothing" for number in range(150)]
    texts[140] = "Regen am Morgen"
    talk = talks.said(*texts).with_(Meanings())
    done = [caught_up(talk, most_s=0.0) for _ in range(4)]
    assert sum(done) == 150
    assert done[-1] == 0
    assert 0 < done[0] < 150
    assert talk.found("rain", 1) == [texts[140]]


def test_vectors_stay_with_chunks_whose_segments_become_one(talks: Talks) -> None:
    embedder = Meanings()
    talk = talks.with_(embedder)
    for number in range(100):
        talks.said("Regen am Morgen" if number == 37 else f"number {number} says nothing")
        if number % 3 == 0:
            caught_up(talk)
    assert caught_up(talk) in (0, 1, 2)
    assert len(embedder.asked) <= 2 * 100
    assert talk.found("rain", 1) == ["Regen am Morgen"]


def test_a_chunk_without_a_vector_is_found_by_its_words_as_before(talks: Talks) -> None:
    embedder = Meanings()
    talk = talks.said("kites and puppy talk", "puppy talk", "more talk").with_(embedder)
    caught_up(talk)
    talks.said("the kites of the harbour in the morning")
    assert talk.found("harbour kites, and the dog?", 1) == ["the kites of the harbour in the morning"]


def test_names_are_found_as_they_stand(talks: Talks) -> None:
    talk = talks.said("call read_file in src/dog.py", "the dog, and read", "a puppy").with_(Meanings())
    caught_up(talk)
    assert talk.found("read_file", 1) == talk.found("src/dog.py", 1) == ["call read_file in src/dog.py"]
    assert "a puppy" not in talk.found("src/dog.py", 1)


def test_another_embedder_begins_anew_and_replaces_the_vectors(talks: Talks) -> None:
    old, new = Meanings("old"), Meanings("new")
    talk = talks.said(*SAID).with_(old)
    caught_up(talk)
    talk = talks.with_(new)
    assert talk.found("puppy", 1) == []
    assert new.asked == []
    assert caught_up(talk) == len(SAID)
    assert talk.found("puppy", 1) == [SAID[2]]
    assert talks.with_(old).found("puppy", 1) == []


def test_an_embedder_that_fails_leaves_the_words(talks: Talks) -> None:
    embedder = Meanings()
    talk = talks.said(*SAID).with_(embedder)
    caught_up(talk)
    embedder.error = EmbeddingError("meanings", "the server is down")
    assert talk.found("auto", 1) == [SAID[4]]
    assert talk.archive.problem is embedder.error
    talks.said("Regen")
    with pytest.raises(EmbeddingError, match="down"):
        caught_up(talk)


def test_a_branch_finds_no_vector_of_another(talks: Talks) -> None:
    embedder = Meanings()
    talk = talks.said("a puppy before", "and on").with_(embedder)
    fork = Talk.__new__(Talk)
    fork.transcript, fork.archive = talk.transcript.branch_from("m-0", why="fork"), talk.archive
    fork.transcript.append(Message(id="theirs", role=Role.USER, parts=(Text("a puppy of the fork"),)))
    talks.said("a puppy behind")
    fork.leave()
    for each in (talk, fork):
        caught_up(each)
    assert set(talk.found("hund", 50)) == {"a puppy before", "and on", "a puppy behind"}
    assert set(fork.found("hund", 50)) == {"a puppy before", "a puppy of the fork"}


def test_secrets_do_not_reach_an_embedder(talks: Talks) -> None:
    key = "sk-proj-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6"
    long = "word " * 238 + key + " and more " * 300  # its chunks end inside it
    embedder = Meanings()
    talk = talks.said(f"the key is {key}", "next to it", long, "password: opensesame").with_(embedder)
    caught_up(talk)
    talk.found(f"what did I do with {key} and my dog?")
    assert len(embedder.asked) > 6
    assert not any(part in text for text in embedder.asked for part in (key[:14], key[-8:], "opensesame"))


def test_any_text_can_be_embedded(talks: Talks) -> None:
    talk = talks.said("half \ud83d of it, and \x00", "\ud800 puppy").with_(Meanings("name \ud800"))
    assert caught_up(talk) == 2
    assert talk.found("hund \ud800", 1) == ["\ud800 puppy"]


def test_two_who_catch_up_at_once_embed_everything_once_for_all(lasting: str) -> None:
    with open_store(lasting) as store:
        talks = stored(store)
        talks.said(*(f"number {number} of the puppy" for number in range(300)))
        session = store.project("home").open("s-1")

        def work() -> None:
            archive = Archive(StoredShelf(session.database, session.key), Meanings())
            archive.catch_up(Transcript(store.project("home").open("s-1").log).records, scope=SCOPE)

        threads = [Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for number in range(300, 340):
            talks.said(f"number {number} of the puppy")
        for thread in threads:
            thread.join()
        talk = talks.with_(Meanings())
        caught_up(talk)
        rows = store.database.rows("SELECT number, first, count FROM archive_vectors ORDER BY number, first")
        chunks = [(number, chunk) for number, first, count in rows for chunk in range(first, first + count)]
        assert len(chunks) == len(set(chunks)) == 340
        assert len(talk.found("hund", 500)) == 340


def test_an_erased_session_leaves_no_vector_behind(place: str) -> None:
    with open_store(place) as store:
        for id in ("mine", "theirs"):
            talk = stored(store, id).said("a puppy").with_(Meanings())
            caught_up(talk)
        store.project("home").erase("mine")
        assert len(store.database.rows("SELECT * FROM archive_vectors")) == 1
        session = store.project("home").open("theirs")
        left = Talks(StoredShelf(session.database, session.key), session.log).with_(Meanings())
        assert left.found("hund") == ["a puppy"]


def test_catching_up_after_an_erasure_writes_nothing(place: str) -> None:
    with open_store(place) as store:
        talk = stored(store).said("a puppy").with_(Meanings())
        records = list(talk.transcript.records)
        store.project("home").erase("s-1")
        assert talk.archive.catch_up(records, scope=SCOPE) == 0
        assert store.database.rows("SELECT * FROM archive_vectors") == []


def test_without_an_embedder_there_is_nothing_to_catch_up(talks: Talks) -> None:
    talks.said(*SAID)
    assert caught_up(talks.talk) == 0
    assert talks.talk.archive.problem is None

"""Searching: by title and by text, in any script, and never in another project or in what was erased."""

from __future__ import annotations

import json

import pytest

from unabridged.codec import payload_bytes
from unabridged.entry import MessageEntry
from unabridged.message import Message, Origin, Role, Text, ToolCall, ToolResult
from unabridged.store import Project, Session, Store, open_store
from unabridged.store.search import Found, search


@pytest.fixture
def project(store: Store) -> Project:
    return store.project("home")


def told(session: Session, *texts: str) -> Session:
    said = [Message(id=f"{session.id}-{at}", role=Role.USER, parts=(Text(text),)) for at, text in enumerate(texts)]
    session.log.append(*(MessageEntry(message) for message in said))
    return session


def ids(found: list[Found]) -> list[str | None]:
    return [each.message for each in found]


def test_a_message_that_holds_every_word_is_found(project: Project) -> None:
    told(project.create(id="a"), "The failing test is flaky", "The test is fine")

    (found,) = search(project, "failing test")
    assert (found.session, found.message, found.seq) == ("a", "a-0", 0)
    assert found.snippet == "The failing test is flaky"


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Der Ärger mit Größen", "arger grossen"),
        ("Le CAFÉ d’été", "cafe ete"),
        ("cafe\u0301", "café"),
        ("我们把数据库移到别处", "数据库"),
        ("我们把数据库移到别处", "库"),
        ("人数", "数"),
        ("人数", "人"),
        ("日本語のテキスト", "テキスト"),
        ("데이터베이스를 옮겼다", "데이터"),
        ("ย้ายฐานข้อมูล", "ฐานข้อมูล"),
        ("यह किताब है", "किताब"),
        ("Привет, мир", "ПРИВЕТ"),
        ("the file src/unabridged/store.py", "unabridged store"),
        ("snake_case and camelCase", "case"),
        ("1e5 and 0x1f and 3.14", "1e5"),
        ("mail someone@example.org now", "example org"),
        ('it\'s a "quoted" thing', '"quoted"'),
        ("a AND b OR c NOT d NEAR e", "AND OR NOT NEAR"),
        ("semi;colon' OR 1=1 --", "colon' OR 1=1 --"),
        ("wildcards * and ^ and :*", "wildcards * ^ :*"),
    ],
)
def test_what_was_written_is_found_by_what_people_type(project: Project, text: str, query: str) -> None:
    told(project.create(), "something else", text)

    assert [each.seq for each in search(project, query)] == [1]


def test_the_last_word_may_be_a_beginning_and_the_others_may_not(project: Project) -> None:
    told(project.create(id="s"), "restart the database")

    assert ids(search(project, "restart data")) == ["s-0"]
    assert ids(search(project, "rest database")) == []


@pytest.mark.parametrize("query", ["", "   ", "*", "()\"'", "…"])
def test_a_query_without_a_word_finds_nothing(project: Project, query: str) -> None:
    told(project.create(), "anything at all")
    assert search(project, query) == []


def test_a_title_is_found_and_comes_first(project: Project) -> None:
    told(project.create(id="a"), "the migration failed")
    project.create(id="b", title="Migration of the tables")

    found = search(project, "migra")
    assert [(each.session, each.message) for each in found] == [("b", None), ("a", "a-0")]
    project.rename("b", "Something else")
    assert [each.session for each in search(project, "migra")] == ["a"]


def test_calls_and_their_results_are_found(project: Project) -> None:
    session = project.create()
    call = ToolCall("c1", "run_tests", json.dumps({"command": "pytest\nwhatever", "paths": ["größe.py"]}))
    answer = Message(id="a", role=Role.ASSISTANT, parts=(call,), origin=Origin.MODEL)
    result = Message(id="r", role=Role.TOOL, parts=(ToolResult("c1", (Text("1 failed"),)),))
    session.log.append(MessageEntry(answer), MessageEntry(result))

    for query in ("run tests", "pytest", "whatever", "größe"):
        assert ids(search(project, query)) == ["a"]
    assert ids(search(project, "failed")) == ["r"]


def test_another_project_is_never_searched(store: Store) -> None:
    told(store.project("one").create(id="same"), "the secret word")
    told(store.project("two").create(id="same"), "nothing here")

    assert search(store.project("two"), "secret") == []
    assert len(search(store.project("one"), "secret")) == 1


def test_nothing_that_is_written_makes_a_message_be_found_from_another_project(store: Store) -> None:
    # Whatever word the index keeps projects apart by, somebody may have read it there.
    told(store.project("one").create(id="same"), "hello")
    search(store.project("one"), "hello")
    marks = store.database.rows("SELECT CAST(body AS TEXT) FROM words")
    told(store.project("two").create(id="same"), f"hello {marks[0][0]}")

    assert [each.snippet for each in search(store.project("one"), "hello")] == ["hello"]
    assert len(search(store.project("two"), "hello")) == 1


def test_what_the_index_adds_is_not_found(project: Project) -> None:
    told(project.create(), "plain words")
    for query in ("project", "0", "a", "f"):
        assert search(project, query) == []


def test_what_was_erased_is_not_found(project: Project) -> None:
    told(project.create(id="a", title="gone"), "the secret word")
    assert len(search(project, "secret")) == 1
    project.erase("a")
    assert search(project, "secret") == []
    assert search(project, "gone") == []


def test_what_is_appended_later_is_found_by_the_next_search(project: Project) -> None:
    session = told(project.create(id="a"), "first")
    assert ids(search(project, "second")) == []
    session.log.append(MessageEntry(Message(id="later", role=Role.USER, parts=(Text("second"),))))
    assert ids(search(project, "second")) == ["later"]
    assert ids(search(project, "first")) == ["a-0"]


def test_several_who_search_at_once_index_everything_once(lasting: str) -> None:
    with open_store(lasting) as one, open_store(lasting) as other:
        told(one.project("p").create(id="a"), *(f"number {at} of them" for at in range(450)))
        assert len(search(one.project("p"), "number", limit=1_000)) == 450
        assert len(search(other.project("p"), "number", limit=1_000)) == 450


def test_no_more_are_given_than_asked_for(project: Project) -> None:
    told(project.create(title="words"), *["words"] * 30)
    assert len(search(project, "words", limit=7)) == 7
    assert search(project, "words", limit=0) == []
    assert len(search(project, "words")) == 20


def test_a_snippet_shows_the_words_where_they_stand(project: Project) -> None:
    told(project.create(), "x " * 500 + "and then the ÄRGER came\nat last " + "y " * 500)
    (found,) = search(project, "arger")
    assert "the ÄRGER came at last" in found.snippet
    assert found.snippet.startswith("…")
    assert found.snippet.endswith("…")
    assert len(found.snippet) < 130


def test_a_word_inside_another_is_not_what_a_snippet_shows(project: Project) -> None:
    told(project.create(), "this " * 100 + "is it")
    (found,) = search(project, "is it")
    assert "is it" in found.snippet


def test_a_message_of_a_million_words_can_be_found_by_its_first(project: Project) -> None:
    words = " ".join(f"{at:064x}" for at in range(30_000))
    told(project.create(id="a"), f"start {words}", "after it")
    assert ids(search(project, "start")) == ["a-0"]
    assert ids(search(project, "after")) == ["a-1"]


def test_a_damaged_message_keeps_no_other_from_being_found(lasting: str) -> None:
    with open_store(lasting) as store:
        project = store.project("p")
        session = told(project.create(id="bad"), "one word", "two words", "three words")
        told(project.create(id="good"), "four words")
        stored = payload_bytes(MessageEntry(Message(id="x", role=Role.USER)))[:-9]
        with store.database.transaction() as writing:
            drop = "DROP TRIGGER entries_stay" + (" ON entries" if store.database.name == "postgres" else "")
            writing.run(drop)
            writing.run("UPDATE entries SET payload = ? WHERE session = ? AND seq = 1", stored, session.key)

        assert sorted(str(id) for id in ids(search(project, "words"))) == ["bad-2", "good-0"]

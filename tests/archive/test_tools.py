"""The two tools: what a model asks, what it is answered, and that the view says that they are there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from unabridged import Conversation, Policy
from unabridged.archive import Archive, MemoryShelf, StoredShelf, answer, history_tools
from unabridged.errors import BadInput
from unabridged.log import Log
from unabridged.store import open_store
from unabridged.tokens import default_counter
from unabridged.transcript import Record

WINDOW = 4_000


class Chat:
    """Somebody talks with a model that can look things up."""

    def __init__(self, archive: Any = None, log: Log | None = None, policy: Policy | None = None) -> None:
        self.archive = archive or Archive(MemoryShelf())
        self.talk = Conversation(
            model="m",
            window=WINDOW,
            tools=history_tools("openai_chat"),
            policy=policy or Policy(),
            log=log,
        )
        self.talk.archive = self.archive
        self.archived = 0

    def say(self, *texts: str) -> str:
        """Say something, be answered, and give the newest view."""
        view = ""
        for text in texts:
            self.talk.user(text)
            fitted = self.talk.fit()
            self.archived += fitted.report.archived if fitted.report is not None else 0
            self.talk.add({"role": "assistant", "content": "I see."})
            view = "\n".join(fitted.texts)
        return view

    def fill(self, turns: int = 60, start: int = 0) -> str:
        """Talk until the window is full several times."""
        return self.say(
            *(
                f"Story {number}: " + f"the {number}th grey stone rolls on. " * 12
                for number in range(start, start + turns)
            )
        )

    def search(self, query: str, **others: Any) -> str:
        """Call search_history."""
        return answer(self.archive, self.talk.transcript, "search_history", json.dumps({"query": query, **others}))

    def read(self, **arguments: Any) -> str:
        """Call read_history."""
        return answer(self.archive, self.talk.transcript, "read_history", json.dumps(arguments))


def test_what_left_the_view_is_found_and_what_is_shown_is_not_searched() -> None:
    chat = Chat()
    chat.say("My locker at the gym has the number 4711.")
    assert "4711" in chat.say("The bus to the lake is the green one.")
    view = chat.fill()
    assert "green one" not in view
    found = chat.search("Which bus goes to the lake?", limit=1)
    assert "The bus to the lake is the green one." in found
    assert "59th grey" not in chat.search("the 59th grey stone")
    assert chat.archived > 20


def test_a_hit_leads_to_the_whole_message() -> None:
    chat = Chat()
    chat.say("hello", "The recipe:\n" + "\n".join(f"step {number}: stir" for number in range(100)))
    chat.fill()
    number = chat.search("recipe step 57", limit=1).partition("]")[0][1:]
    assert "step 0: stir" in chat.read(id=number)
    assert chat.read(id=number, pattern="STEP 57").endswith("step 57: stir")
    rest = chat.read(id=number, lines=10)
    assert "step 9" not in rest
    offset = int(rest.rpartition("offset=")[2].rstrip(".)"))
    assert chat.read(id=f"#{number}", offset=offset, lines=1).startswith("step 9")


def test_markers_name_the_tools_and_the_number_of_the_message() -> None:
    chat = Chat()
    chat.say("Look.")
    chat.talk.add({"role": "assistant", "tool_calls": [_call("c1", "cat", '{"path": "a"}')]})
    chat.talk.result("c1", "\n".join(f"row {number} of a long file" for number in range(2_000)))
    view = "\n".join(chat.talk.fit().texts)
    number = chat.talk.transcript.records[-1].seq
    assert f"read_history(id='{number}') gives the rest" in view
    assert "row 1234 of a long file" in chat.read(id=number, pattern="row 1234")
    chat.talk.add({"role": "assistant", "content": "Done."})
    assert "search_history finds what they said" in chat.fill()


def test_without_the_tools_markers_do_not_name_them() -> None:
    talk = Conversation(model="m", window=WINDOW)
    talk.archive = Archive(MemoryShelf())
    for number in range(60):
        talk.user(f"Story {number}: " + "a grey stone rolls on. " * 12)
        view = "\n".join(talk.fit().texts)
        talk.add({"role": "assistant", "content": "I see."})
    assert "earlier messages are not shown" in view
    assert "history" not in view


@pytest.mark.parametrize("dialect", ["openai_chat", "openai_responses", "anthropic", "gemini"])
def test_every_dialect_is_offered_both(dialect: str) -> None:
    talk = Conversation(dialect=dialect, model="m", tools=history_tools(dialect))
    assert talk.frame.searchable
    sent = json.dumps(talk.frame.fields)
    assert "search_history" in sent
    assert "read_history" in sent
    assert not Conversation(dialect=dialect, model="m").frame.searchable


def test_the_policy_turns_it_off() -> None:
    chat = Chat(policy=Policy(archive_to_memory=False))
    chat.fill()
    assert chat.archived == 0
    assert chat.search("grey stone").startswith("Nothing found")


def test_what_the_archive_answered_is_not_archived() -> None:
    chat = Chat()
    chat.say("Remember: the vault opens with gallimaufry.")
    chat.say("hm")
    chat.fill()
    for nth in range(5):
        chat.talk.user("Look it up.")
        chat.talk.fit()
        chat.talk.add(
            {"role": "assistant", "tool_calls": [_call(f"s{nth}", "search_history", '{"query": "gallimaufry vault"}')]}
        )
        chat.talk.fit()
        chat.talk.result(f"s{nth}", "[0] user: the vault opens with gallimaufry gallimaufry")
        chat.talk.fit()
        chat.talk.add({"role": "assistant", "content": "Found it."})
    chat.fill(start=60)
    assert "s0" not in chat.search("gallimaufry")
    assert chat.search("gallimaufry").count("gallimaufry") <= 1


def test_an_answer_keeps_to_its_tokens_and_says_what_is_missing() -> None:
    chat = Chat()
    chat.fill()
    counter = default_counter()
    for most in (50, 200, 1_000):
        told = answer(
            chat.archive,
            chat.talk.transcript,
            "search_history",
            '{"query": "grey stone", "limit": 50}',
            most_tokens=most,
        )
        assert counter.count(told) <= most + 25
        assert "more hits do not fit here" in told


class Failing:
    """An archive whose disk is gone."""

    def add(self, records: Sequence[Record], places: Sequence[int], scope: object) -> int:
        raise OSError("the disk is gone")

    def knows(self, seq: int) -> bool:
        raise OSError("the disk is gone")


def test_an_archive_that_fails_fails_no_turn_and_is_made_up_for() -> None:
    chat = Chat()
    chat.talk.archive = Failing()
    chat.say("hi", "The bus to the lake is the green one.")
    chat.fill()
    report = chat.talk.transcript.reports[-1]
    assert report.archived == 0
    assert report.warnings == ("what left the view could not be archived (OSError): the next fit tries again",)
    chat.talk.archive = chat.archive
    chat.fill(start=60)
    assert "green one" in chat.search("bus to the lake", limit=1)


def test_a_new_process_finds_what_an_earlier_one_archived(tmp_path: Any) -> None:
    with open_store(str(tmp_path / "s.db")) as store:
        session = store.project("p").create(id="s")
        chat = Chat(Archive(StoredShelf(session.database, session.key)), session.log)
        chat.say("hi", "The bus to the lake is the green one.")
        chat.fill()
        before = chat.archived
    with open_store(str(tmp_path / "s.db")) as store:
        session = store.project("p").open("s")
        chat = Chat(Archive(StoredShelf(session.database, session.key)), session.log)
        assert "green one" in chat.search("bus to the lake", limit=1)
        chat.fill(start=60)
        assert 20 < chat.archived < before * 2


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("search_history", "{}", "query"),
        ("search_history", "not JSON", "query"),
        ("search_history", '{"query": 5}', "query"),
        ("search_history", '{"query": "x", "role": "king"}', "role"),
        ("search_history", '{"query": ""}', "Nothing found"),
        ("read_history", "{}", "id"),
        ("read_history", '{"id": "abc"}', "No message has the number 'abc'"),
        ("read_history", '{"id": 99999}', "No message has the number 99999"),
        ("read_history", '{"id": -1}', "No message has the number -1"),
    ],
)
def test_what_a_model_gets_wrong_is_said_in_the_answer(name: str, arguments: str, said: str) -> None:
    chat = Chat()
    chat.say("hello")
    assert said in answer(chat.archive, chat.talk.transcript, name, arguments)


def test_another_tool_is_refused() -> None:
    chat = Chat()
    with pytest.raises(BadInput, match="'cat'"):
        answer(chat.archive, chat.talk.transcript, "cat", "{}")


def _call(id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}

"""The log of facts, and the rounds in it."""

from __future__ import annotations

import pytest

from tests.context.talking import call, long_history
from unabridged.context import HistoryManager, Round, RoundSegmenter
from unabridged.message import Message, Origin, Role
from unabridged.transcript import Transcript


def test_each_way_of_appending_gives_the_message_and_keeps_it() -> None:
    history = HistoryManager()
    asked = history.append_user("fix the test")
    called = history.append_assistant("let me look", tool_calls=[call("c1")], reasoning_content="hm")
    found = history.append_tool_result("c1", "def f(): ...")
    said = history.append_assistant("done")
    assert history.get_messages() == [asked, called, found, said]
    assert [message.role for message in history.get_messages()] == ["user", "assistant", "tool", "assistant"]
    assert (asked.text, said.text) == ("fix the test", "done")
    assert [(c.id, c.name, c.arguments) for c in called.calls] == [("c1", "read", '{"path": "a.py"}')]
    assert [result.call_id for result in found.results] == ["c1"]


def test_who_gets_the_messages_gets_a_list_of_their_own() -> None:
    history = HistoryManager()
    first = history.append_user("fix the test")
    got = history.get_messages()
    got.clear()
    assert history.get_messages() == [first]


def test_a_message_that_was_given_out_cannot_be_changed() -> None:
    history = HistoryManager()
    history.append_user("fix the test")
    with pytest.raises(AttributeError):
        history.get_messages()[0].role = Role.SYSTEM  # type: ignore[misc]  # what is tested


def test_a_history_is_built_again_from_its_log_after_a_crash() -> None:
    history = long_history(5)
    again = HistoryManager(Transcript(history.transcript.log))
    assert again.get_messages() == history.get_messages()


def test_a_round_begins_at_each_human_message() -> None:
    # [user 1][assistant][tool][tool][user 2][assistant][tool][user 3]
    history = HistoryManager()
    history.append_user("one")
    history.append_assistant(tool_calls=[call("a"), call("b")])
    history.append_tool_result("a", "1")
    history.append_tool_result("b", "2")
    history.append_user("two")
    history.append_assistant(tool_calls=[call("c")])
    history.append_tool_result("c", "3")
    history.append_user("three")
    assert RoundSegmenter().identify(history.get_messages()) == [Round(0, 3), Round(4, 6), Round(7, 7)]


def test_rounds_of_several_lengths_are_given_by_first_and_last_position() -> None:
    history = HistoryManager()
    for length in (6, 7, 6):
        history.append_user("question")
        for _ in range(length - 1):
            history.append_assistant("step")
    assert RoundSegmenter().identify(history.get_messages()) == [Round(0, 5), Round(6, 12), Round(13, 18)]


def test_the_ten_newest_rounds_begin_where_the_articles_say() -> None:
    messages = long_history(30).get_messages()
    rounds = RoundSegmenter().identify(messages)
    start = rounds[len(rounds) - 10].start_idx
    assert len(rounds) == 31
    assert messages[start].text == "question 21"


def test_feedback_with_the_role_of_a_user_begins_no_round() -> None:
    history = HistoryManager()
    history.append_user("one")
    history.append_assistant("done")
    history.append_user("The tests have not run yet.", origin=Origin.INJECTED)
    assert RoundSegmenter().identify(history.get_messages()) == [Round(0, 2)]


def test_messages_before_the_first_human_one_belong_to_no_round() -> None:
    greeting = Message(id="g", role=Role.ASSISTANT, origin=Origin.MODEL)
    question = Message(id="q", role=Role.USER)
    assert RoundSegmenter().identify([greeting, question]) == [Round(1, 1)]
    assert RoundSegmenter().identify([]) == []

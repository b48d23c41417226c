"""Four things that always hold: the task survives, the transcript stays valid, nothing is deleted.

The fourth, that below the budget nothing changes, stands with the strategies.
"""

from __future__ import annotations

import json

import pytest

from tests.server.seed_scene import BUDGET, WINDOW, Talker, bulk, calling, house
from unabridged.server.settings import ClientTool
from unabridged.testing import Reply, violations
from unabridged.testing.models import Call

STRATEGIES = ("trim", "summarize")


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_first_message_and_the_most_recent_turns_are_in_every_request(file: str, strategy: str) -> None:
    said = ["The task: count the stones.", *(bulk(800, f"q{number}") for number in range(1, 12))]
    with house(file, Talker()) as made:
        came = made.project(policy={"strategy": strategy}).talk(said)
        sent = [[m["content"] for m in asked["messages"] if m["role"] == "user"] for asked in made.asked]
        tokens = [made.provider.tokens_of("openai_chat", asked) for asked in made.asked]
    assert len(sent) == 12
    assert max(tokens) <= WINDOW
    for number, seen in enumerate(sent):
        assert seen[0].startswith(said[0])
        assert seen[-1].endswith(said[number])
        assert number == 0 or any(text.endswith(said[number - 1]) for text in seen)  # the turn before it, too
    # That the task is there proves nothing of the rest: this does.
    reports = [turn.report for turn in came if turn.of("context")]
    assert reports
    assert all(report["tokens_before"] > BUDGET >= report["tokens_after"] for report in reports)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_eviction_leaves_a_call_without_its_result(file: str, strategy: str) -> None:
    twice = Reply(calls=(Call("read", '{"path": "a"}', "c1"), Call("read", '{"path": "b"}', "c2")))
    lines = [line for _ in range(8) for line in (twice, "Seen.")]  # the ids come again in every turn, as some models do
    with house(file, Talker(*lines)) as made:
        chat = made.project(policy={"strategy": strategy}, client_tools=(ClientTool(name="read"),))
        session: str | None = None
        for number in range(8):
            came = chat.turn(session, bulk(300, f"q{number}"))
            session = came.session
            results = [{"call_id": id, "output": bulk(500, f"{id}-{number}")} for id in came.end["awaiting"]]
            assert chat.turn(session, tool_results=results).status == "completed"
        assert made.provider.refused == []
        assert [v for each in made.provider.served for v in violations("openai_chat", each.body)] == []
        assert any(each.get("context") for each in chat.messages(str(session)))


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nothing_is_deleted_and_messages_returns_the_real_conversation(place: str, strategy: str) -> None:
    outputs = [bulk(900, f"output{number}") for number in range(6)]
    lines = [line for number in range(6) for line in (calling("read", path=str(number)), f"Answer {number}.")]
    with house(place, Talker(*lines)) as made:
        chat = made.project(policy={"strategy": strategy}, client_tools=(ClientTool(name="read"),))
        session: str | None = None
        reports = []
        for number, output in enumerate(outputs):
            asked = chat.turn(session, f"Question {number}. " + bulk(300, f"q{number}"))
            session = asked.session
            answered = chat.turn(session, tool_results=[{"call_id": asked.end["awaiting"][0], "output": output}])
            reports += [*asked.of("context"), *answered.of("context")]
        real = chat.messages(str(session))
        seen = json.dumps(made.asked[-1])
    assert reports
    users = [message["parts"][0]["text"] for message in real if message["role"] == "user"]
    assert users == [f"Question {number}. " + bulk(300, f"q{number}") for number in range(6)]
    results = [part["output"] for message in real for part in message["parts"] if part["type"] == "tool_result"]
    assert results == outputs
    texts = [part["text"] for m in real if m["role"] == "assistant" for part in m["parts"] if part["type"] == "text"]
    assert texts == [f"Answer {number}." for number in range(6)]
    assert "[context: " not in json.dumps(real)  # markers and summaries are no messages
    assert json.dumps(outputs[0])[1:-1] not in seen  # and yet the model saw less of it
    assert {message["context"]["state"] for message in real} & {"truncated", "compacted", "dropped"}


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_compaction_changes_no_message_that_was_there(file: str, strategy: str) -> None:
    with house(file, Talker()) as made:
        chat = made.project(policy={"strategy": strategy})
        came = chat.talk([bulk(1_000, f"q{number}") for number in range(4)])
        before = [{**message, "context": None} for message in chat.messages(came[0].session)]
        fitted = [chat.turn(came[0].session, bulk(1_000, f"r{number}")) for number in range(4)]
        after = [{**message, "context": None} for message in chat.messages(came[0].session)]
    assert any(turn.of("context") for turn in fitted)
    assert after[: len(before)] == before


def test_the_message_that_tipped_it_over_stays_in_the_history_and_hurts_nobody(file: str) -> None:
    tipped = bulk(4_500, "tips")
    with house(file, Talker()) as made:
        chat = made.project()
        came = chat.talk(["Begin.", *(bulk(900, f"q{number}") for number in range(3)), tipped, "And?", "And now?"])
        assert made.provider.refused == []
        said = [message["parts"][0]["text"] for message in chat.messages(came[0].session) if message["role"] == "user"]
    assert [turn.status for turn in came] == ["completed"] * 7
    assert came[4].report["tokens_before"] > came[4].report["budget"] >= came[4].report["tokens_after"]
    assert said[4] == tipped


def test_a_message_that_was_refused_stays_in_the_history_too(file: str) -> None:
    with house(file, Talker()) as made:
        chat = made.project()
        session = chat.turn(None, "Begin.").session
        assert chat.turn(session, bulk(9_000, "more than all")).status == "failed"
        chat.turn(session, "Something shorter.")
        real = chat.messages(session)
    users = [(m["parts"][0]["text"], m["context"]["state"]) for m in real if m["role"] == "user"]
    assert users == [
        ("Begin.", "visible"),
        (bulk(9_000, "more than all"), "refused"),
        ("Something shorter.", "visible"),
    ]

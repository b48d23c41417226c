"""If you turn on one thing: whatever leaves the window can be searched, by the agent, in that one conversation."""

from __future__ import annotations

import json

import pytest

from tests.server.reading import Json
from tests.server.seed_scene import Chat, Talker, bulk, calling, house

SAID = "The invoice of the harbour office is number 88213."
FULL = [bulk(1_000, f"q{number}") for number in range(9)]


def tools(request: Json) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools", [])]


def forgetful(chat: Chat) -> str:
    """Talk until the second message has left the window; give the session."""
    return chat.talk(["Let us sort papers.", f"{SAID} {bulk(700, 'paper')}", *FULL])[0].session


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
def test_the_agent_finds_again_what_left_the_window(place: str, strategy: str) -> None:
    lines = ["Fine."] * 11
    asks = calling("search_history", query="invoice harbour office")
    with house(place, Talker(*lines, asks, "It is 88213.")) as made:
        chat = made.project(policy={"strategy": strategy, "archive_to_memory": True})
        session = forgetful(chat)
        before = len(made.asked)
        came = chat.turn(session, "Which number has the invoice?")
        first, second = made.asked[before:]
    assert came.status == "completed"
    assert "88213" not in json.dumps(first)  # it had left
    (result,) = came.of("tool_result")
    assert "88213" in result["text"]
    assert result["is_error"] is False
    assert "88213" in json.dumps(second["messages"][-1])
    assert came.text.endswith("It is 88213.")


def test_what_left_is_counted_as_archived(place: str) -> None:
    with house(place, Talker()) as made:
        chat = made.project(policy={"archive_to_memory": True})
        came = chat.talk(FULL)
    reports = [turn.report for turn in came if turn.of("context")]
    assert reports
    assert all(report["archived"] == report["dropped"] + report.get("truncated", 0) for report in reports)


def test_search_history_is_scoped_to_that_one_conversation(place: str) -> None:
    asks = calling("search_history", query="invoice harbour office 88213")
    with house(place, Talker(*["Fine."] * 22, asks, "Nothing.")) as made:
        chat = made.project(policy={"archive_to_memory": True})
        forgetful(chat)
        other = chat.talk(["Something else.", f"A letter. {bulk(700, 'letter')}", *FULL])[0].session
        came = chat.turn(other, "Which number has the invoice?")
    (result,) = came.of("tool_result")
    assert "88213" not in result["text"].replace("invoice harbour office 88213", "")


def test_it_is_offered_from_the_first_request_and_only_where_it_is_turned_on(place: str) -> None:
    with house(place, Talker()) as made:
        made.project("on", policy={"archive_to_memory": True}).talk(["Hi.", "And?"])
        made.project("off").talk(["Hi.", "And?"])
        offered = [tools(asked) for asked in made.asked]
    assert all("search_history" in names for names in offered[:2])
    assert offered[0] == offered[1]
    assert offered[2:] == [[], []]

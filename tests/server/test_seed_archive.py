"""If you turn on one thing: whatever leaves the window can be searched, by the agent, in that one conversation."""

from __future__ import annotations

import json

import pytest

from tests.server.reading import Json
from tests.server.seed_scene import Chat, Talker, bulk, calling, house
from unabridged.testing import Reply

SAID = "The invoice of the harbour office is number 88213."
FULL = [bulk(1_000, f"q{number}") for number in range(9)]


def tools(request: Json) -> list[str]:
    return [tool["function"]["name"] for tool in request.get("tools", [])]


def speaking(*last: Reply | str) -> Talker:
    """A model that says it in its second answer, and long afterwards what it is given last."""
    return Talker("Fine.", f"{bulk(300, 'before')}\n{SAID}\n{bulk(300, 'behind')}", *["Fine."] * len(FULL), *last)


def forgetful(chat: Chat) -> str:
    """Talk until the second answer has left the window; give the session."""
    return chat.talk(["Let us sort papers.", "What is in the first one?", *FULL])[0].session


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
def test_the_agent_finds_again_what_left_the_window(place: str, strategy: str) -> None:
    asks = calling("search_history", query="invoice harbour office")
    with house(place, speaking(asks, "It is 88213.")) as made:
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


def test_what_left_is_counted_as_archived(file: str) -> None:
    with house(file, Talker()) as made:
        chat = made.project(policy={"archive_to_memory": True})
        came = chat.talk(FULL)
    reports = [turn.report for turn in came if turn.of("context")]
    assert reports
    assert all(report["archived"] == report["dropped"] + report.get("truncated", 0) for report in reports)


def test_search_history_is_scoped_to_that_one_conversation(file: str) -> None:
    asks = calling("search_history", query="invoice harbour office")
    fine = ["Fine."] * (len(FULL) + 2)
    with house(file, speaking(*fine, asks, "Nothing.")) as made:
        chat = made.project(policy={"archive_to_memory": True})
        forgetful(chat)
        other = chat.talk(["Something else.", "A letter.", *FULL])[0].session
        came = chat.turn(other, "Which number has the invoice?")
    (result,) = came.of("tool_result")
    assert "88213" not in result["text"]


def test_it_is_offered_from_the_first_request_and_only_where_it_is_turned_on(file: str) -> None:
    with house(file, Talker()) as made:
        made.project("on", policy={"archive_to_memory": True}).talk(["Hi.", "And?"])
        made.project("off").talk(["Hi.", "And?"])
        offered = [tools(asked) for asked in made.asked]
    assert all("search_history" in names for names in offered[:2])
    assert offered[0] == offered[1]
    assert offered[2:] == [[], []]

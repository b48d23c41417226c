"""The conversation that breaks permanently: it does not occur.

The evidence is what the provider was sent and what it refused, against its window; and `tokens_after` against `budget`.
"""

from __future__ import annotations

import pytest

from tests.server.seed_scene import BUDGET, WINDOW, House, Talker, bulk, calling, house
from unabridged.server.settings import ClientTool
from unabridged.testing import Chaotic, violations

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
TURNS = 14


def held(made: House) -> None:
    """Nothing was refused, and nothing that was sent is too large, or invalid for its provider."""
    assert [each.says for each in made.provider.refused] == []
    assert max(each.tokens for each in made.provider.served) <= WINDOW
    assert [found for each in made.provider.served for found in violations(each.dialect, each.body)] == []


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
def test_no_turn_fails_with_context_length_exceeded_however_long_the_conversation(place: str, strategy: str) -> None:
    with house(place, Talker()) as made:
        chat = made.project(policy={"strategy": strategy})
        came = chat.talk([bulk(1_000, f"q{number}") for number in range(TURNS)])
        held(made)
    assert [turn.status for turn in came] == ["completed"] * TURNS
    reports = [report for turn in came for report in turn.of("context") if report["phase"] == "done"]
    assert len(reports) >= 2
    assert all(report["tokens_after"] <= report["budget"] == BUDGET for report in reports)
    assert reports[-1]["tokens_full"] > 1.5 * WINDOW


@pytest.mark.parametrize("dialect", DIALECTS)
def test_it_holds_for_every_providers_api(file: str, dialect: str) -> None:
    with house(file, Talker(), dialect=dialect) as made:
        chat = made.project(policy={"strategy": "summarize"})
        came = chat.talk([bulk(1_000, f"q{number}") for number in range(TURNS)])
        held(made)
    assert [turn.status for turn in came] == ["completed"] * TURNS
    assert sum(bool(turn.of("context")) for turn in came) >= 2


def test_a_message_that_no_window_can_hold_fails_alone_and_the_next_turn_goes_on(file: str) -> None:
    with house(file, Talker()) as made:
        chat = made.project()
        first = chat.turn(None, "Begin.")
        too_much = chat.turn(first.session, bulk(9_000, "more than all"))
        after = chat.turn(first.session, "Something shorter.")
        held(made)
        sent = made.asked[-1]["messages"]
    assert (too_much.status, too_much.end["error"]["code"]) == ("failed", "cannot_fit")
    assert after.status == "completed"
    assert [message["content"] for message in sent] == ["Begin.", "Done.", "Something shorter."]


def test_on_a_models_bad_days_every_conversation_still_takes_its_next_turn(file: str) -> None:
    with house(file, Chaotic(7)) as made:
        tools = (ClientTool(name="read"), ClientTool(name="bash"))
        chat = made.project(client_tools=tools)
        newest = chat.turn(None, "Begin.")
        session = newest.session
        for number in range(15):
            calls = newest.end.get("awaiting", [])
            if calls and number % 3:  # a client that leaves calls open is one of the bad days
                results = [{"call_id": call, "output": bulk(900, f"o{number}")} for call in calls]
                newest = chat.turn(session, tool_results=results)
            else:
                newest = chat.turn(session, bulk(700, f"q{number}"))
        made.provider.model = Talker()
        assert chat.turn(session, "All well?").status == "completed"
        mistakes = [each.says for each in made.provider.refused if each.status == 400]
    assert mistakes == []


def test_a_call_that_is_never_answered_fails_no_later_turn(place: str) -> None:
    with house(place, Talker(calling("read", path="a.py"), "Very well.")) as made:
        chat = made.project(client_tools=(ClientTool(name="read"),))
        first = chat.turn(None, "Read it.")
        second = chat.turn(first.session, "Never mind.")
        third = chat.talk_on(first.session, [bulk(1_000, f"q{number}") for number in range(8)])
        held(made)
    assert (first.status, second.status) == ("awaiting_tools", "completed")
    assert {turn.status for turn in third} == {"completed"}

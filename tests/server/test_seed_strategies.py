"""Three strategies, configured per project and not per request; what goes first under trim."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.reading import Json
from tests.server.seed_scene import CHAT, Talker, bulk, house, reading, worked
from unabridged.server.settings import ClientTool

STRATEGIES = ("none", "trim", "summarize")


def texts(request: Json, role: str) -> list[Any]:
    return [message["content"] for message in request["messages"] if message["role"] == role]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_below_the_budget_nothing_changes_under_any_strategy(file: str, strategy: str) -> None:
    with house(file, Talker("One.", "Two.", "Three.")) as made:
        chat = made.project(policy={"strategy": strategy}, system="Be brief.")
        came = chat.talk([bulk(500, "a"), bulk(500, "b"), "  c\n"])
        sent = made.asked[-1]["messages"]
        assert made.summaries == []
    assert [frame for turn in came for frame in turn.of("context")] == []
    assert sent == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": bulk(500, "a")},
        {"role": "assistant", "content": "One."},
        {"role": "user", "content": bulk(500, "b")},
        {"role": "assistant", "content": "Two."},
        {"role": "user", "content": "  c\n"},
    ]


def test_under_none_the_transcript_goes_out_whole_and_the_refusal_is_said(file: str) -> None:
    said = [bulk(2_900, f"q{number}") for number in range(4)]
    with house(file, Talker()) as made:
        chat = made.project(policy={"strategy": "none"})
        came = chat.talk(said)
        (refused,) = made.provider.refused[:1]
        after = chat.turn(came[0].session, "Short.")
    assert [turn.status for turn in came] == ["completed", "completed", "failed", "failed"]
    assert came[2].end["error"]["code"] == "model_overflow"
    assert texts(dict(refused.body), "user") == said[:3]
    assert "maximum context length" in refused.says
    report = came[2].of("context")[0]
    assert (report["strategy"], report["resolved_by"], report["over_budget"]) == ("none", "none", True)
    assert report["tokens_after"] == report["tokens_before"] > report["budget"]
    assert (report.get("compacted", 0), report.get("dropped", 0), report.get("truncated", 0)) == (0, 0, 0)
    assert after.status == "completed"  # even so the conversation is not broken for good


def test_a_strategy_is_the_projects_and_no_request_can_choose_one(file: str) -> None:
    with house(file, Talker()) as made:
        trims = made.project("trims", policy={"strategy": "trim"})
        sums = made.project("sums", policy={"strategy": "summarize"})
        said = [bulk(1_000, f"q{number}") for number in range(7)]
        by_trim = [turn.report for turn in trims.talk(said) if turn.of("context")]
        by_summary = [turn.report for turn in sums.talk(said) if turn.of("context")]
        answer = trims.http.post("/chat", json={"message": "Hi.", "policy": {"strategy": "summarize"}, "stream": False})
        assert answer.status_code == 422
    assert {report["strategy"] for report in by_trim} == {"trim"}
    assert {report["strategy"] for report in by_summary} == {"summarize"}


def test_under_trim_old_tool_outputs_go_before_any_message_does(file: str) -> None:
    with house(file, reading(8)) as made:
        chat = made.project(client_tools=(ClientTool(name="read"),))
        came = worked(chat, 8, 1_000)
        last = made.asked[-1]
    reports = [report for turn in came for report in turn.of("context")]
    assert {report["resolved_by"] for report in reports} == {"trim"}
    assert sum(report.get("truncated", 0) for report in reports) > 0
    assert sum(report.get("dropped", 0) for report in reports) == 0
    assert texts(last, "user") == [f"Look into file {number}." for number in range(8)]
    assert [text for text in texts(last, "assistant") if text] == [f"Seen {number}." for number in range(7)]
    outputs = texts(last, "tool")
    assert outputs[-1] == bulk(1_000, "file7")
    assert "[context: shortened" in outputs[0]


@pytest.mark.parametrize("order", ["oldest_first", "largest_first"])
def test_what_goes_first_is_configurable(file: str, order: str) -> None:
    with house(file, reading(8)) as made:
        chat = made.project(policy={"trim_order": order}, client_tools=(ClientTool(name="read"),))
        came = worked(chat, 8, 1_000)
        assert made.provider.refused == []
    reports = [report for turn in came for report in turn.of("context")]
    assert all(report["tokens_after"] <= report["budget"] for report in reports)
    if order == "oldest_first":
        assert sum(report.get("dropped", 0) for report in reports) > 0
    else:
        assert sum(report.get("truncated", 0) for report in reports) > 0


def test_the_model_sees_the_limit_of_the_project_where_it_is_below_the_models_own(file: str) -> None:
    with house(file, Talker(), window=32_000) as made:
        chat = made.project(policy={"max_context_tokens": 8_000}, model=CHAT)
        came = chat.talk([bulk(1_500, f"q{number}") for number in range(6)])
        assert max(each.tokens for each in made.provider.served) <= 6_400
    assert {report["budget"] for turn in came for report in turn.of("context")} == {6_400}

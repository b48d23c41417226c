"""Two fields, because there are two questions; a fallback's name; and the numbers of a summary."""

from __future__ import annotations

import pytest

from tests.server.reading import Came, Json
from tests.server.seed_scene import BUDGET, CHAT, FAST, Gate, Talker, bulk, first_fit, house, is_summary
from unabridged.testing import Failure, Reply


def fell_back(came: Came, fallback: str) -> Json:
    """The window was fitted by trimming, the turn worked, and the report says why."""
    report = came.report
    assert (report["strategy"], report["resolved_by"], report["fallback"]) == ("summarize", "trim", fallback)
    assert report.get("compacted", 0) == 0
    assert report.get("dropped", 0) + report.get("truncated", 0) > 0
    assert report["tokens_after"] <= report["budget"] < report["tokens_before"]
    return report


def test_strategy_is_what_was_asked_for_and_resolved_by_is_what_fitted(file: str) -> None:
    with house(file, Talker()) as made:
        trimmed = first_fit(made.project("trims", policy={"strategy": "trim"})).report
        summed = first_fit(made.project("sums", policy={"strategy": "summarize"})).report
    assert (trimmed["strategy"], trimmed["resolved_by"], trimmed.get("fallback")) == ("trim", "trim", None)
    assert (summed["strategy"], summed["resolved_by"], summed.get("fallback")) == ("summarize", "summarize", None)


@pytest.mark.parametrize(
    "says",
    [Reply(text=""), Reply(text="  \n"), Reply(thinking="Let me see."), Reply(text="I cannot help with that.")],
    ids=["empty", "blank", "only thoughts", "a refusal"],
)
def test_a_summary_that_says_nothing_is_summarizer_returned_nothing(file: str, says: Reply) -> None:
    with house(file, Talker(summary=says)) as made:
        came = first_fit(made.project(policy={"strategy": "summarize"}))
        assert made.summaries != []
    fell_back(came, "summarizer_returned_nothing")


def test_a_summary_that_is_too_late_is_summarizer_timed_out(file: str) -> None:
    gate = Gate(is_summary)
    with house(file, Talker(), gate=gate) as made:
        came = first_fit(made.project(policy={"strategy": "summarize", "summarizer_timeout_s": 0.3}))
        gate.next()
    report = fell_back(came, "summarizer_timed_out")
    assert report["summarizer_timeout_s"] == 0.3
    assert report["summarizer_ms"] >= 300
    assert report["summary_model"] == CHAT


def test_a_summarizer_that_fails_is_neither_of_the_two(file: str) -> None:
    broken = Failure(status=403, says="no access", kind="permission_error")
    with house(file, Talker(summary=broken)) as made:
        came = first_fit(made.project(policy={"strategy": "summarize"}))
    fell_back(came, "summarizer_failed")


def test_where_no_message_is_old_enough_it_is_nothing_to_summarize(file: str) -> None:
    with house(file, Talker()) as made:
        chat = made.project(policy={"strategy": "summarize"})
        came = chat.talk([bulk(3_500, "the task"), bulk(3_500, "newest")])[-1]
        assert made.summaries == []
        assert made.provider.refused == []
    report = came.report
    assert came.status == "completed"
    assert (report["strategy"], report["fallback"]) == ("summarize", "nothing_to_summarize")
    assert report["resolved_by"] == "trim"
    assert report["tokens_after"] <= BUDGET < report["tokens_before"]


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
def test_where_nothing_may_go_it_is_nothing_evictable_and_the_turn_still_works(file: str, strategy: str) -> None:
    with house(file, Talker()) as made:
        came = made.project(policy={"strategy": strategy}).turn(None, bulk(6_700, "one message"))
        assert made.provider.refused == []
    report = came.report
    assert came.status == "completed"
    assert (report["strategy"], report["resolved_by"], report["fallback"]) == (strategy, "none", "nothing_evictable")
    assert report["budget"] < report["tokens_after"] <= report["window"]


def test_the_three_numbers_are_reported_on_a_successful_compaction_too(place: str) -> None:
    with house(place, Talker()) as made:
        came = first_fit(made.project(policy={"strategy": "summarize", "summarizer_timeout_s": 20.0}))
        named = {summary["model"] for summary in made.summaries}
    report = came.report
    assert report["resolved_by"] == "summarize"
    assert report["summarizer_timeout_s"] == 20.0
    assert 0 <= report["summarizer_ms"] < 20_000
    assert {report["summary_model"]} == named == {CHAT}  # the chat model, where none is set


def test_summary_model_is_the_one_that_the_project_points_at(file: str) -> None:
    with house(file, Talker()) as made:
        came = first_fit(made.project(policy={"strategy": "summarize", "summary_model": FAST}))
        assert {summary["model"] for summary in made.summaries} == {FAST}
        assert {asked["model"] for asked in made.asked} == {CHAT}
    assert came.report["summary_model"] == FAST
    assert came.of("context")[0]["summary_model"] == FAST


def test_under_trim_no_summarizer_is_named(file: str) -> None:
    with house(file, Talker()) as made:
        report = first_fit(made.project()).report
        assert made.summaries == []
    assert not {"summarizer_timeout_s", "summarizer_ms", "summary_model"} & set(report)

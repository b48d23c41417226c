"""The article on conversations that break for good: reports, numbers, promises. `docs/articles.md` has the table."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.scene import Scene
from tests.summarizer.models import GOOD, Scripted
from unabridged import Conversation, Policy
from unabridged.engine import Engine, Outcome
from unabridged.report import Fallback, Phase, Report, ResolvedBy
from unabridged.summarizer import ModelSummarizer, NoSummary, Summary, SummaryRequest, WhyNoSummary
from unabridged.testing import violations

SUMMARIZE = Policy(strategy="summarize", summarizer_timeout_s=45)
SCRIPT = "U:task A:a:1.5k U:b:1.5k A:c:1.5k " + "U:u:150 A:v:200 " * 6 + "U:newest"
"""Over a budget of 6,400; three large messages are what is old in it."""


class Scribe:
    """A summarizer that writes what it is told, and keeps what it was asked."""

    def __init__(self, says: str) -> None:
        self.says = says
        self.asked: list[SummaryRequest] = []

    async def summarize(self, request: SummaryRequest) -> Summary:
        self.asked.append(request)
        return Summary(text=self.says)


def conversation(says: str, policy: Policy = SUMMARIZE, script: str = SCRIPT) -> Conversation:
    talk = Conversation(model="hukuk-db", window=8_000, policy=policy)
    talk.summarizer = Scribe(says)
    for record in Scene(script).transcript.records:
        talk.add(record.message)
    return talk


def fields(report: Report | None) -> dict[str, Any]:
    assert report is not None
    return msgspec.to_builtins(report)


def outcome_of(scene: Scene, result: Summary | NoSummary, ms: int, timeout_s: float) -> Outcome:
    span = scene.engine.span(scene.frame, scene.policy, window=scene.window)
    assert span is not None
    return Outcome(span=span, result=result, ms=ms, timeout_s=timeout_s, model="hukuk-db")


def fitted_with(result: Summary | NoSummary, ms: int) -> dict[str, Any]:
    """The report after a summarizer took so long, in a project that gives it 45 seconds."""
    scene = Scene(SCRIPT, policy=SUMMARIZE)
    outcome = outcome_of(scene, result, ms, 45)
    return fields(scene.engine.fit(scene.frame, scene.policy, window=scene.window, outcome=outcome).report)


@pytest.mark.parametrize("strategy", ["none", "trim", "summarize"])
def test_below_the_budget_every_strategy_replays_the_transcript_unaltered(strategy: str) -> None:
    scene = Scene("U:task A[c1] T(c1):500 A:done U:next", policy=Policy(strategy=strategy))
    fitted = scene.fit()
    assert fitted.report is None
    assert [item.message for item in fitted.items] == [record.message for record in scene.transcript.records]


def test_tool_output_goes_before_messages() -> None:
    report = Scene("U:task " + "A[c] T(c):900 A:said:100 U:q:50 " * 8 + "U:newest").report()
    assert report.truncated > 0
    assert report.dropped == 0


def test_the_first_message_and_the_newest_survive_and_so_does_what_was_told_in_turn_one() -> None:
    # A marker planted in turn one proves nothing: `tokens_after` against `budget` does.
    talk = conversation("", Policy())
    fitted = talk.fit()
    shown = json.dumps(fitted.messages())
    assert "task" in shown
    assert fitted.messages()[-1]["content"] == talk.transcript.records[-1].message.text
    report = fields(fitted.report)
    assert report["tokens_after"] <= report["budget"] < report["tokens_before"]


def test_after_an_eviction_no_tool_call_is_left_that_nothing_answered() -> None:
    scene = Scene("U:task " + "A[a,b] T(a):300 T(b):300 " * 15 + "A[open]")
    assert violations("openai_chat", scene.fit().request()) == []


def test_nothing_is_deleted() -> None:
    talk = conversation("They spoke of the rivers of the north. " * 12)
    before = talk.transcript.log.entries
    talk.fit()
    assert talk.transcript.log.entries[: len(before)] == before


async def test_a_summarize_policy_that_could_not_run_is_resolved_by_trim_and_says_so() -> None:
    report = fields((await conversation("").fit_async()).report)
    stated = {
        "phase": "done",
        "strategy": "summarize",
        "resolved_by": "trim",
        "fallback": "summarizer_returned_nothing",
        "dropped": 3,
    }
    assert {name: report[name] for name in stated} == stated
    assert report.get("compacted", 0) == 0


def test_the_report_carries_how_long_a_summary_might_take_how_long_it_took_and_by_which_model() -> None:
    late = NoSummary(fallback=Fallback.SUMMARIZER_TIMED_OUT, reason=WhyNoSummary.DEADLINE)
    report = fitted_with(late, 45_002)
    stated = {"summarizer_timeout_s": 45, "summarizer_ms": 45_002, "summary_model": "hukuk-db"}
    assert {name: report[name] for name in stated} == stated
    assert (report["resolved_by"], report["fallback"]) == ("trim", "summarizer_timed_out")


def test_the_same_numbers_stand_in_the_report_of_a_success_and_warn_when_it_was_close() -> None:
    made = Summary(text="They spoke of the rivers of the north. " * 12)
    close, quick = fitted_with(made, 40_000), fitted_with(made, 3_000)
    assert (close["resolved_by"], close["summarizer_ms"], close["summarizer_timeout_s"]) == ("summarize", 40_000, 45)
    assert close["warnings"] == ("summarizer_near_timeout",)
    assert "warnings" not in quick


@pytest.mark.parametrize("fallback", [Fallback.SUMMARIZER_TIMED_OUT, Fallback.SUMMARIZER_RETURNED_NOTHING])
def test_a_summarizer_that_was_late_and_one_that_said_nothing_are_told_apart(fallback: Fallback) -> None:
    assert fitted_with(NoSummary(fallback=fallback, reason=WhyNoSummary.EMPTY), 1)["fallback"] == fallback


def test_where_there_is_nothing_to_summarize_or_nothing_to_evict_the_fallback_says_so() -> None:
    few = Scene("U:task:3k U:b:3.3k U:newest:100", policy=SUMMARIZE).report()
    assert (few.fallback, few.resolved_by) == (Fallback.NOTHING_TO_SUMMARIZE, ResolvedBy.TRIM)
    one = Scene("U:task:6.5k", policy=SUMMARIZE).report()
    assert (one.fallback, one.resolved_by) == (Fallback.NOTHING_EVICTABLE, ResolvedBy.NONE)


async def test_a_client_hears_of_a_compaction_before_the_model_is_called() -> None:
    talk = conversation("They spoke of the rivers of the north. " * 12)
    heard = list[str]()

    class Listening(Scribe):
        async def summarize(self, request: SummaryRequest) -> Summary:
            heard.append("asked")
            return await super().summarize(request)

    talk.summarizer = Listening("They spoke of the rivers of the north. " * 12)
    await talk.fit_async(on_report=lambda report: heard.append(report.phase.value))
    assert heard == ["compacting", "asked", "done"]


async def test_compacted_dropped_and_truncated_are_three_counts() -> None:
    compacted = fields((await conversation("They spoke of the rivers of the north. " * 12).fit_async()).report)
    dropped = fields(conversation("", Policy()).fit().report)
    truncated = fields(Scene("U:task A[c1] T(c1):9k").fit().report)
    counts = [[report.get(name, 0) for name in ("compacted", "dropped", "truncated")] for report in
              (compacted, dropped, truncated)]  # fmt: skip
    assert [[count > 0 for count in row] for row in counts] == [
        [True, False, False],
        [False, True, False],
        [False, False, True],
    ]


def test_a_picture_of_unknown_size_costs_1_600_tokens() -> None:
    def size(*content: dict[str, Any]) -> int:
        talk = Conversation(model="m", window=128_000)
        talk.add({"role": "user", "content": [{"type": "text", "text": "look"}, *content]})
        return talk.fit().tokens

    picture = {"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}
    assert 1_600 <= size(picture) - size() < 1_900


async def test_pictures_of_the_evicted_span_are_attached_to_the_question_for_the_summary() -> None:
    scene = Scene(
        "U:task U{img:800x600} A:a:1.5k U:b:1.5k A:c:1.5k " + "U:u:150 A:v:200 " * 6 + "U:n", policy=SUMMARIZE
    )
    span = scene.engine.span(scene.frame, scene.policy, window=scene.window)
    assert span is not None
    model = Scripted(f"{GOOD}\n## Pictures\n- Picture 1 shows a chart.")
    await ModelSummarizer(model, window=100_000, sees=True).summarize(span.request)
    ((picture, data),) = model.questions[0].media
    assert (picture.width, picture.height) == (800, 600)
    assert [data] == list(scene.transcript.log.media.values())
    assert "what it shows" in model.questions[0].user


def test_under_trim_a_picture_leaves_a_marker() -> None:
    fitted = Scene("U:task " + "U{img:800x600} A:a:100 " * 9 + "U:newest").fit()
    report = fields(fitted.report)
    assert report["media_dropped"] == json.dumps(fitted.messages()).count("an image was here (image/png, 800x600)") > 0


def test_what_a_turn_produced_itself_is_fitted_at_the_step_and_the_output_says_that_it_was_cut() -> None:
    fitted = Scene("U:task A[c1] T(c1):32k", policy=SUMMARIZE).fit()
    report = fields(fitted.report)
    assert (report["phase"], report["resolved_by"], report.get("compacted", 0)) == ("step", "trim", 0)
    assert "[context: shortened" in fitted.messages()[-1]["content"]


def test_a_step_never_summarizes_whatever_the_strategy() -> None:
    scene = Scene("U:task " + "A[c] T(c):700 " * 12, policy=SUMMARIZE)
    assert scene.engine.span(scene.frame, scene.policy, window=scene.window) is None
    report = scene.report()
    assert (report.phase, report.resolved_by, report.compacted) == (Phase.STEP, ResolvedBy.TRIM, 0)


def test_the_same_bytes_have_the_same_outcome_on_a_new_request_and_inside_a_turn() -> None:
    inside = Scene("U:task A[c1]")
    inside.fit()
    inside.say("T(c1):32k")
    anew = Engine(inside.transcript, dialect="openai_chat")  # a client's own tool: the result comes with a new request
    assert anew.fit(inside.frame, inside.policy, window=inside.window).body() == inside.fit().body()

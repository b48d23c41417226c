"""`summarize`: what is older than the target holds gives way to a summary of it."""

from __future__ import annotations

import pytest

from tests.scene import Scene
from unabridged.engine import Engine, Outcome, Overflow, Span
from unabridged.entry import RefusedEntry
from unabridged.errors import BadSetting
from unabridged.fitted import Fitted
from unabridged.plan import Reason, Verdict
from unabridged.policy import Policy
from unabridged.report import Fallback, FitReason, Phase, ResolvedBy
from unabridged.summarizer import NoSummary, Summary, WhyNoSummary
from unabridged.testing.notation import shown

# A window of 8,000 tokens: the budget is 6,400, a fit lands at about 4,500, a summary may take about 1,100.
TALK = "U:task " + "U:q:200 A:a:400 " * 11 + "U:next"
SUMMARIZE = Policy(strategy="summarize")


def span_of(scene: Scene, *, overflow: Overflow | None = None, summary_window: int | None = None) -> Span | None:
    return scene.engine.span(
        scene.frame, scene.policy, window=scene.window, model="m", overflow=overflow, summary_window=summary_window
    )


def folded(scene: Scene, text: str, *, ms: int = 1_000, timeout_s: float = 45) -> Fitted:
    """Fit with a summary that a model wrote."""
    span = span_of(scene)
    assert span is not None
    made = Outcome(span=span, result=Summary(text=text, model="small"), ms=ms, timeout_s=timeout_s, model="small")
    return with_outcome(scene, made)


def with_outcome(scene: Scene, outcome: Outcome) -> Fitted:
    fitted = scene.engine.fit(scene.frame, scene.policy, window=scene.window, model="m", outcome=outcome)
    return scene.engine.commit(fitted)


def test_the_oldest_messages_give_way_to_a_summary_right_behind_the_task() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    assert shown(folded(scene, "They spoke of rivers.").items) == "U:task Σ " + "U:q:200 A:a:400 " * 4 + "U:next"


def test_the_summary_says_that_it_is_background_and_has_the_users_rank() -> None:
    summary = folded(Scene(TALK, policy=SUMMARIZE), "They spoke of rivers.").messages()[1]
    assert summary["role"] == "user"
    assert summary["content"].startswith("## Archived History Summary\n")
    assert "not instructions" in summary["content"]
    assert summary["content"].endswith("\n\nThey spoke of rivers.")


def test_a_summary_can_have_the_rank_that_the_articles_gave_it() -> None:
    scene = Scene(TALK, policy=Policy(strategy="summarize", summary_role="system"))
    assert folded(scene, "They spoke of rivers.").messages()[1]["role"] == "system"


def test_without_a_system_rank_in_the_middle_it_is_the_users() -> None:
    policy = Policy(strategy="summarize", summary_role="system")
    scene = Scene(TALK, dialect="anthropic", policy=policy, max_tokens=500)
    assert folded(scene, "They spoke of rivers.").messages()[1]["role"] == "user"


def test_the_report_counts_what_stands_in_the_summary() -> None:
    report = folded(Scene(TALK, policy=SUMMARIZE), "They spoke of rivers.").report
    assert report is not None
    assert (report.resolved_by, report.fallback, report.compacted, report.dropped) == (
        ResolvedBy.SUMMARIZE,
        None,
        14,
        0,
    )
    assert (report.summary_model, report.summarizer_ms, report.summarizer_timeout_s) == ("small", 1_000, 45)
    assert report.warnings == ()
    assert report.tokens_after <= report.target


def test_a_summary_that_took_nearly_all_its_time_is_a_warning() -> None:
    report = folded(Scene(TALK, policy=SUMMARIZE), "They spoke of rivers.", ms=36_000).report
    assert report is not None
    assert report.warnings == ("summarizer_near_timeout",)


def test_the_plan_says_which_messages_stand_in_it() -> None:
    checkpoint = folded(Scene(TALK, policy=SUMMARIZE), "They spoke of rivers.").checkpoint
    assert checkpoint is not None
    assert [(run.count, run.verdict, run.reason) for run in checkpoint.plan.runs] == [
        (1, Verdict.KEEP, Reason.TASK),
        (14, Verdict.COMPACT, Reason.SUMMARIZED),
        (8, Verdict.KEEP, Reason.FITS),
        (1, Verdict.KEEP, Reason.NEWEST_HUMAN),
    ]


def test_the_next_summary_stands_for_the_last_one_too() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    folded(scene, "They spoke of rivers.")
    scene.say("A:a:400 " + "U:q:200 A:a:400 " * 6 + "U:last")
    span = span_of(scene)
    assert span is not None
    assert span.request.previous == "They spoke of rivers."
    assert len(span.request.messages) == 14
    fitted = folded(scene, "Of rivers, then of stones.")
    assert shown(fitted.items).count("Σ") == 1
    assert "They spoke" not in fitted.body().decode()


def test_originals_that_fit_the_summarizers_window_are_summed_up_anew() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    folded(scene, "They spoke of rivers.")
    scene.say("A:a:400 " + "U:q:200 A:a:400 " * 6 + "U:last")
    small, large = span_of(scene, summary_window=8_000), span_of(scene, summary_window=100_000)
    assert small is not None
    assert large is not None
    assert (small.request.previous, large.request.previous) == ("They spoke of rivers.", None)
    assert len(large.request.messages) == len(small.request.messages) + 14


def test_a_new_process_shows_the_same_summary() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    first = folded(scene, "They spoke of rivers.")
    assert scene.again().fit().body() == first.body()


def test_between_two_steps_of_a_turn_nothing_is_summed_up() -> None:
    scene = Scene("U:task " + "A[c1] T(c1):600 " * 12, policy=SUMMARIZE)
    assert span_of(scene) is None
    report = scene.report()
    assert (report.phase, report.resolved_by, report.compacted) == (Phase.STEP, ResolvedBy.TRIM, 0)
    assert report.fallback is None


def test_a_policy_can_have_long_turns_folded() -> None:
    scene = Scene("U:task " + "A[c1] T(c1):600 " * 12, policy=Policy(strategy="summarize", fold_in_turn=True))
    assert span_of(scene) is not None
    assert scene.report().resolved_by is ResolvedBy.SUMMARIZE


def test_without_a_model_the_summary_is_made_by_rules() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    fitted = scene.fit()
    assert fitted.report is not None
    assert (fitted.report.resolved_by, fitted.report.summarizer_ms) == (ResolvedBy.SUMMARIZE, None)
    assert "Record of the earlier messages" in fitted.body().decode()


@pytest.mark.parametrize(
    ("fallback", "reason"),
    [
        (Fallback.SUMMARIZER_TIMED_OUT, WhyNoSummary.DEADLINE),
        (Fallback.SUMMARIZER_RETURNED_NOTHING, WhyNoSummary.EMPTY),
        (Fallback.SUMMARIZER_FAILED, WhyNoSummary.RAISED),
    ],
)
def test_a_summary_that_fails_is_replaced_by_a_trim_in_the_same_turn(fallback: Fallback, reason: WhyNoSummary) -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    span = span_of(scene)
    assert span is not None
    failed = NoSummary(fallback=fallback, reason=reason)
    fitted = with_outcome(scene, Outcome(span=span, result=failed, ms=45_002, timeout_s=45, model="slow"))
    report = fitted.report
    assert report is not None
    assert (report.strategy, report.resolved_by, report.fallback) == ("summarize", ResolvedBy.TRIM, fallback)
    assert report.cause == reason
    assert (report.compacted, report.summarizer_ms, report.summary_model) == (0, 45_002, "slow")
    assert report.dropped > 0
    assert report.tokens_after <= report.budget


def test_what_a_trim_drops_instead_is_noted_by_rules() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    span = span_of(scene)
    assert span is not None
    failed = NoSummary(fallback=Fallback.SUMMARIZER_FAILED, reason=WhyNoSummary.RAISED)
    view = shown(with_outcome(scene, Outcome(span=span, result=failed)).items)
    assert view.startswith("U:task Σ …")


def test_a_summary_that_saves_nothing_is_none() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    report = folded(scene, "river stone " * 3_000).report
    assert report is not None
    assert (report.resolved_by, report.fallback, report.cause) == (
        ResolvedBy.TRIM,
        Fallback.SUMMARIZER_RETURNED_NOTHING,
        WhyNoSummary.NOT_SMALLER,
    )


def test_where_nothing_is_old_enough_the_request_is_trimmed_and_says_so() -> None:
    scene = Scene("U:task A:a:150 U:next:6.2k", policy=SUMMARIZE)
    report = scene.report()
    assert (report.resolved_by, report.fallback) == (ResolvedBy.TRIM, Fallback.NOTHING_TO_SUMMARIZE)


def test_a_trim_after_a_summary_keeps_it() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    folded(scene, "They spoke of rivers.")
    scene.policy = Policy()
    scene.say("A:a:400 " + "U:q:200 A:a:400 " * 6 + "U:last")
    view = shown(scene.fit().items)
    assert view.startswith("U:task Σ …")


def test_a_summary_that_a_smaller_model_cannot_hold_is_forgotten_and_what_it_stood_for_counts_as_dropped() -> None:
    scene = Scene("U:task " + "U:q:200 A:a:400 " * 110 + "U:next", window=80_000, policy=SUMMARIZE)
    folded(scene, "river stone " * 1_900)
    scene.window, scene.policy = 3_000, Policy()
    fitted = scene.fit()
    assert fitted.tokens <= 2_400
    assert "Σ" not in shown(fitted.items)
    assert fitted.checkpoint is not None
    assert {run.verdict for run in fitted.checkpoint.plan.runs} == {Verdict.KEEP, Verdict.DROP}


def test_a_refused_request_is_summed_up_too() -> None:
    scene = Scene("U:task " + "U:q:200 A:a:400 " * 6 + "U:next", policy=SUMMARIZE)
    assert span_of(scene) is None
    assert span_of(scene, overflow=Overflow(4_000)) is not None
    report = scene.fit(overflow=Overflow(4_000)).report
    assert report is not None
    assert (report.reason, report.resolved_by) == (FitReason.PROVIDER_OVERFLOW, ResolvedBy.SUMMARIZE)


def test_planned_anew_from_the_originals_nothing_of_the_summary_is_left() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    folded(scene, "They spoke of rivers.")
    again = scene.engine.commit(scene.engine.replan(scene.frame, Policy(), window=scene.window, model="m"))
    assert again.report is not None
    assert again.report.reason is FitReason.REPLANNED
    assert shown(again.items) == "U:task …10 " + "U:q:200 A:a:400 " * 6 + "U:next"
    assert scene.again().fit().body() == again.body()


def test_planned_anew_in_a_larger_window_all_is_shown() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    folded(scene, "They spoke of rivers.")
    scene.window = 16_000
    again = scene.engine.commit(scene.engine.replan(scene.frame, SUMMARIZE, window=scene.window, model="m"))
    assert shown(again.items) == TALK
    assert shown(scene.fit().items) == TALK


def test_settings_that_cannot_work_are_refused_by_name() -> None:
    with pytest.raises(BadSetting, match="summaryRole"):
        Policy(summary_role="assistant")
    with pytest.raises(BadSetting, match="summaryMaxTokens"):
        Policy(summary_max_tokens=10)


def outcome_of(scene: Scene, text: str) -> Outcome:
    span = span_of(scene)
    assert span is not None
    return Outcome(span=span, result=Summary(text=text, model="small"), ms=1_000, timeout_s=45, model="small")


def test_a_long_turn_that_is_folded_is_reported_as_done() -> None:
    scene = Scene("U:task " + "A[c1] T(c1):600 " * 12, policy=Policy(strategy="summarize", fold_in_turn=True))
    report = folded(scene, "They spoke of rivers.").report
    assert report is not None
    assert (report.phase, report.resolved_by) == (Phase.DONE, ResolvedBy.SUMMARIZE)


def test_a_summary_of_white_space_is_none() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    report = folded(scene, " \n").report
    assert report is not None
    assert (report.compacted, report.fallback, report.cause) == (
        0,
        Fallback.SUMMARIZER_RETURNED_NOTHING,
        WhyNoSummary.EMPTY,
    )


def test_a_summary_that_takes_more_than_it_was_given_is_none() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    report = folded(scene, "river stone " * 1_200).report
    assert report is not None
    assert (report.compacted, report.cause) == (0, WhyNoSummary.OVER_LIMIT)
    assert report.tokens_after <= report.target


def test_a_summary_that_was_made_for_a_larger_model_is_not_taken_where_nothing_would_fit_with_it() -> None:
    scene = Scene("U:task " + "U:q:200 A:a:400 " * 110 + "U:next", window=80_000, policy=SUMMARIZE)
    late = outcome_of(scene, "river stone " * 1_900)
    scene.window = 4_000
    report = with_outcome(scene, late).report
    assert report is not None
    assert report.compacted == 0
    assert report.tokens_after <= report.budget


def test_a_summary_that_comes_when_another_is_in_force_is_not_taken() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    late = outcome_of(scene, "Rivers!")
    folded(scene, "They spoke of rivers and of stones, for a long time.")
    scene.say("A:a:400 " + "U:q:200 A:a:400 " * 6 + "U:last")
    body = with_outcome(scene, late).body().decode()
    assert "Rivers!" not in body
    assert "They spoke of rivers and of stones" in body  # carried over by rules


def test_a_summary_of_messages_that_were_taken_back_is_not_taken() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    late = outcome_of(scene, "Of nothing but rivers.")
    scene.transcript = scene.transcript.branch_from(scene.transcript.records[0].message.id, why="edit")
    scene.engine = Engine(scene.transcript, dialect=scene.dialect)
    scene.say("A:a:400 " + "U:q:200 A:a:400 " * 11 + "U:last")
    assert "Of nothing but rivers." not in with_outcome(scene, late).body().decode()


def test_between_two_steps_a_summary_that_was_prepared_is_not_taken_without_the_policys_leave() -> None:
    scene = Scene("U:task " + "A[c1] T(c1):600 " * 12, policy=Policy(strategy="summarize", fold_in_turn=True))
    prepared = outcome_of(scene, "They spoke of rivers.")
    scene.policy = SUMMARIZE
    report = with_outcome(scene, prepared).report
    assert report is not None
    assert (report.phase, report.compacted) == (Phase.STEP, 0)


def test_what_a_forgotten_summary_stood_for_is_counted_as_dropped() -> None:
    scene = Scene("U:task " + "U:q:200 A:a:400 " * 110 + "U:next", window=80_000, policy=SUMMARIZE)
    folded(scene, "river stone " * 1_900)
    scene.window, scene.policy = 3_000, Policy()
    fitted = scene.fit()
    assert fitted.report is not None
    assert fitted.checkpoint is not None
    gone = sum(run.count for run in fitted.checkpoint.plan.runs if run.verdict is Verdict.DROP)
    assert fitted.report.dropped == gone


def test_where_the_floor_is_over_the_budget_no_notes_go_out_beside_it() -> None:
    scene = Scene("U:task:1k A:a:3k U:q:1k A:b:3k U:next:6k", policy=SUMMARIZE)
    fitted = scene.fit()
    assert fitted.report is not None
    assert fitted.report.reason is FitReason.FLOOR_OVER_BUDGET
    assert "Σ" not in shown(fitted.items)


def test_notes_take_no_room_from_what_people_wrote() -> None:
    scene = Scene("U:task:300 A:a:3k A:b:3k U:q:2.5k U:next:2.9k", policy=SUMMARIZE)
    view = scene.view()
    assert "~" not in view
    assert "U:q:2.5k" in view


def test_a_summary_stays_where_it_is_when_the_first_person_speaks_later() -> None:
    scene = Scene("I:hello " + "A:a:400 I:b:200 " * 11 + "I:go", policy=SUMMARIZE)
    before = shown(folded(scene, "They spoke of rivers.").items)
    scene.say("A:done U:task")
    assert before.startswith("Σ")
    assert scene.view().startswith(before)


def test_planned_anew_the_summary_does_not_come_back_with_what_is_refused_later() -> None:
    scene = Scene(TALK, policy=SUMMARIZE)
    folded(scene, "They spoke of rivers.")
    scene.engine.commit(scene.engine.replan(scene.frame, Policy(), window=scene.window, model="m"))
    scene.transcript.record(RefusedEntry((scene.transcript.records[-1].message.id,), "too long"))
    scene.policy = Policy()
    scene.say("U:again")
    assert "Σ" not in scene.view()


def test_planned_anew_under_none_a_request_over_its_budget_goes_out_as_it_came() -> None:
    scene = Scene(TALK, policy=Policy(strategy="none"))
    again = scene.engine.replan(scene.frame, scene.policy, window=scene.window, model="m")
    assert again.tokens > 6_400
    assert "max_tokens" not in again.request()
    assert again.body() == scene.fit().body()

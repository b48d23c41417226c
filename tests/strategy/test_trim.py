"""`trim`: the ladder as a whole. What goes first, what never goes, and where a fit lands."""

from __future__ import annotations

import msgspec
import pytest

from tests.scene import Scene, texts_of
from unabridged.errors import CannotFit
from unabridged.plan import Reason, Verdict
from unabridged.policy import Policy
from unabridged.testing.notation import shown

# A window of 8,000 tokens: the budget is 6,400, no output may take more than 1,600, a fit lands at about 4,500.


def reasons(scene: Scene) -> list[str]:
    """The plan of the next fit, one word a run: how many messages, what becomes of them and why."""
    checkpoint = scene.fit(commit=False).checkpoint
    assert checkpoint is not None
    return [f"{run.count} {run.verdict} {run.reason}" for run in checkpoint.plan.runs]


def test_old_outputs_go_before_anything_else() -> None:
    scene = Scene("U:task A:long:1k A[c1] T(c1):1.4k A[c2] T(c2):1.4k A[c3] T(c3):1.4k A:done:1k U:next")
    assert scene.view() == "U:task A:long:1k A[c1] T(c1~) A[c2] T(c2~) A[c3] T(c3):1.4k A:done:1k U:next"


def test_arguments_go_together_with_outputs_from_old_to_new() -> None:
    scene = Scene("U:task A[c1] T(c1):1k A[c2:1k] T(c2):1k A[c3] T(c3):1k A[c4:1k] T(c4) A:done:1k U:next")
    assert scene.view() == ("U:task A[c1] T(c1~) A[c2~] T(c2~) A[c3] T(c3):1k A[c4:1k] T(c4) A:done:1k U:next")


def test_pictures_go_after_outputs() -> None:
    scene = Scene("U:task U{img}:look A:seen:1k A[c1] T(c1):1.4k A[c2] T(c2):1.4k A:done:1.5k U:next")
    assert scene.view() == "U:task U{img}:look A:seen:1k A[c1] T(c1~) A[c2] T(c2~) A:done:1.5k U:next"


def test_whole_groups_go_when_there_is_nothing_else_to_cut() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:400 " * 14 + "U:next")
    assert scene.view() == "U:task …14 " + "U:q:100 A:a:400 " * 7 + "U:next"


def test_recent_outputs_stay_whole_while_older_messages_can_go() -> None:
    scene = Scene("U:task A:old:4.8k A[c1] T(c1):350 A[c2] T(c2):350 A:done:600 U:next")
    assert scene.view() == "U:task …1 A[c1] T(c1):350 A[c2] T(c2):350 A:done:600 U:next"


def test_recent_outputs_go_when_nothing_old_is_left() -> None:
    scene = Scene("U:task:4.5k A[c1] T(c1):500 A[c2] T(c2):500 A:done:450 U:next")
    assert "1 truncate recent_output" in reasons(scene)
    assert scene.view() == "U:task:4.5k A[c1] T(c1~) A[c2] T(c2~) A:done:450 U:next"


def test_one_giant_output_is_cut_before_anything_old_although_it_is_new() -> None:
    script = "U:task " + "A[c1] T(c1):300 " * 8
    scene = Scene(f"{script}A[c9] T(c9):6k")
    assert scene.view() == f"{script}A[c9] T(c9~)"


def test_no_single_output_takes_more_than_a_quarter_of_the_budget() -> None:
    scene = Scene("U:task A[c1] T(c1):50k")
    assert 1_300 <= scene.sizes(scene.fit(), "T(c1):50k")[0] <= 1_600


def test_the_policy_may_allow_larger_outputs() -> None:
    scene = Scene("U:task A[c1] T(c1):50k", policy=Policy(output_cap_share=0.5))
    assert 2_800 <= scene.sizes(scene.fit(), "T(c1):50k")[0] <= 3_200


def test_hidden_fixed_parts_do_not_lower_the_cap_of_one_output() -> None:
    scene = Scene("U:task A[c1] T(c1):50 A:done")
    fitted = scene.fit()
    scene.used(fitted, fitted.sent.price + 3_000)
    scene.say("U:next A[c2] T(c2):50k")
    assert scene.sizes(scene.fit(), "T(c2):50k")[0] >= 1_300


def test_calls_and_results_leave_together() -> None:
    scene = Scene("U:task " + "A[c1,c2] T(c1):150 T(c2):150 " * 20 + "U:next")
    view = scene.view().split()
    assert (view[0], view[2]) == ("U:task", "A[c1,c2]")
    assert int(view[1].removeprefix("…")) % 3 == 0


def test_dropping_lands_on_the_start_of_a_round_where_one_is_near() -> None:
    scene = Scene("U:task " + "U:q:50 A[c1] T(c1):150 A:a:100 " * 20 + "U:next")
    view = scene.view().split()
    assert view[1].startswith("…")
    assert view[2] == "U:q:50"


def test_dropping_cuts_inside_a_round_that_is_too_long_to_land_on_its_border() -> None:
    scene = Scene("U:task " + "A[c1] T(c1):150 " * 40)
    view = scene.view().split()
    assert (view[0], view[2], view[3]) == ("U:task", "A[c1]", "T(c1):150")


@pytest.mark.parametrize("task", range(5_200, 5_500, 10))
def test_no_round_comes_back_that_would_not_fit(task: int) -> None:
    for question in (560, 660):
        rounds = f"U:q:{question} A:a:20 " * 6
        report = Scene(f"U:task:{task} {rounds}U:next", policy=Policy(recent_share=0.0)).report()
        assert report.tokens_after < report.budget


def test_no_round_comes_back_that_was_to_be_freed() -> None:
    for wanted in range(2_000, 4_000, 20):
        policy = Policy(recent_share=0.0, min_reclaim_tokens=wanted)
        report = Scene("U:task:2k " + "U:q:400 A:a:400 " * 6 + "U:next", policy=policy).report()
        assert report.tokens_before - report.tokens_after >= wanted


def test_a_fit_lands_below_its_target_and_not_far_below() -> None:
    for script in ("U:q:100 A:a:400 " * 14, "A[c1] T(c1):800 " * 9, "U:q:20 A[c1] T(c1):90 A:a:60 " * 40):
        report = Scene(f"U:task {script}U:next").report()
        assert 0.75 * report.target <= report.tokens_after <= report.target


def test_the_task_and_the_newest_question_stay_when_everything_between_them_goes() -> None:
    scene = Scene("U:task:2k " + "U:q:100 A:a:400 " * 30 + "U:next:2k")
    view = scene.view().split()
    assert (view[0], view[-1]) == ("U:task:2k", "U:next:2k")


def test_unanswered_questions_stay_word_for_word() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:400 " * 30 + "U:one:300 U:two:300 U:three:300")
    assert scene.view().endswith(" U:one:300 U:two:300 U:three:300")


def test_system_text_in_the_middle_stays() -> None:
    scene = Scene("U:task A:a S:rules " + "U:q:100 A:a:400 " * 30 + "U:next")
    assert "S:rules" in scene.view().split()


def test_the_unread_step_stays_with_its_arguments_whole() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:400 " * 14 + "U:next A{think}[c1:1k] T(c1):2k", dialect="anthropic")
    assert scene.view().endswith(" U:next A{think}[c1:1k] T(c1~)")


def test_questions_are_cut_inside_only_when_the_floor_is_over_the_budget() -> None:
    within = Scene("U:task:2.8k A:done:2.9k U:next:2.8k")
    assert within.view() == "U:task:2.8k …1 U:next:2.8k"
    over = Scene("U:task:3.5k A:done:2.9k U:next:2.8k")
    assert over.view() == "U:task~ …1 U:next:2.8k"


def test_older_unanswered_questions_are_cut_before_the_task() -> None:
    scene = Scene("U:task:2k A:done U:more:3k U:next:1.5k")
    assert scene.view() == "U:task:2k …1 U:more~ U:next:1.5k"


def test_the_newest_question_is_never_cut() -> None:
    with pytest.raises(CannotFit):
        Scene("U:task A:done U:next:7.9k").fit()


def test_every_message_has_one_verdict_with_one_reason() -> None:
    scene = Scene("U:task A:old:2.5k A[c1] T(c1):1.4k A[c2] T(c2):1.4k A:done:1k U:next")
    assert reasons(scene) == [
        "1 keep task",
        "2 keep fits",
        "1 truncate old_output",
        "1 keep fits",
        "1 truncate old_output",
        "1 keep fits",
        "1 keep newest_human",
    ]


def test_what_was_dropped_before_stays_dropped_as_one_run() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:400 " * 14 + "U:next")
    scene.fit()
    scene.say("A:a:400 " + "U:q:100 A:a:400 " * 10 + "U:last")
    runs = reasons(scene)
    assert runs[0] == "1 keep task"
    assert runs[1].endswith("drop oldest_group")
    assert sum(run.endswith("drop oldest_group") for run in runs) == 1


def test_a_second_fit_measures_its_cuts_on_the_full_text() -> None:
    scene = Scene("U:task A[c1] T(c1):1.45k A[c2] T(c2):1.45k A[c3] T(c3):1.45k A:a:1.7k U:next")
    first = scene.fit().checkpoint
    second = scene.say("A:a:1.9k U:last").fit().checkpoint
    assert first is not None
    assert second is not None
    (whole,) = texts_of(scene.message("T(c2):1.45k"))
    for checkpoint in (first, second):
        assert {cut.message: cut.total for cut in checkpoint.plan.cuts}["T(c2):1.45k"] == len(whole)
    assert first.plan.cuts[1].keep != second.plan.cuts[1].keep


def test_a_message_that_repair_alone_left_out_is_planned_as_kept() -> None:
    scene = Scene("U:task A:0 A[c1] T(c1):9k")
    checkpoint = scene.fit(commit=False).checkpoint
    assert checkpoint is not None
    assert all(run.verdict is not Verdict.DROP for run in checkpoint.plan.runs)


@pytest.mark.parametrize("window", [2_000, 4_000, 8_000, 32_000])
def test_the_same_shape_is_fitted_at_every_window(window: int) -> None:
    unit = window // 80
    scene = Scene(f"U:task {f'U:q:{unit} A[c1] T(c1):{3 * unit} A:a:{unit} ' * 20}U:next", window=window)
    report = scene.report()
    assert report.tokens_before >= report.budget > report.tokens_after
    assert report.tokens_after <= report.target


def test_the_same_situation_gives_the_same_plan() -> None:
    script = "U:task " + "U:q:100 A[c1:300] T(c1):900 A:a:100 " * 12 + "U:next"
    one, other = Scene(script).fit().checkpoint, Scene(script).fit().checkpoint
    assert one is not None
    assert other is not None
    assert msgspec.json.encode(one.plan) == msgspec.json.encode(other.plan)


def test_reasons_name_the_shields() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:400 " * 14 + "U:next A[c1] T(c1)")
    checkpoint = scene.fit().checkpoint
    assert checkpoint is not None
    kept = {run.first: run.reason for run in checkpoint.plan.runs if run.verdict is Verdict.KEEP}
    assert (kept["U:task"], kept["U:next"], kept["A[c1]"]) == (Reason.TASK, Reason.NEWEST_HUMAN, Reason.UNREAD_STEP)
    assert shown(scene.fit().items).endswith("U:next A[c1] T(c1)")


def test_where_every_gap_needs_a_marker_of_its_own_the_request_fits_all_the_same() -> None:
    scene = Scene("U:task " + "A:a:150 S:x " * 40 + "U:next", window=4_000, policy=Policy(target=0.95))
    assert scene.report().tokens_after <= 3_200

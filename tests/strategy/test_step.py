"""`step`: outputs are cut as they arrive, where that alone is enough, and nothing that was sent before changes."""

from __future__ import annotations

from tests.scene import Scene
from unabridged.report import FitReason, Phase

TALK = "U:task A[c1] T(c1):500 A:done U:next A[c2] T(c2):500"


def test_only_what_has_just_arrived_is_cut() -> None:
    scene = Scene(TALK)
    sent = scene.fit().texts
    scene.say("A[c3] T(c3):9k")
    fitted = scene.fit()
    assert list(fitted.texts[: len(sent)]) == list(sent)
    assert scene.view() == f"{TALK} A[c3] T(c3~)"


def test_it_is_reported_as_a_step_that_cut_new_output() -> None:
    scene = Scene(TALK)
    scene.fit()
    report = scene.say("A[c3] T(c3):9k").report()
    assert (report.phase, report.reason) == (Phase.STEP, FitReason.OUTPUT_OVER_ROOM)
    assert (report.truncated, report.dropped, report.tool_call_ids) == (1, 0, ("c3",))


def test_its_checkpoint_holds_the_new_cuts_alone_and_inherits_the_rest() -> None:
    scene = Scene(TALK)
    scene.fit()
    first = scene.say("A[c3] T(c3):9k").fit().checkpoint
    second = scene.say("A[c4] T(c4):9k").fit().checkpoint
    assert first is not None
    assert second is not None
    assert (first.step, first.parent) == (True, None)
    assert (second.step, second.parent) == (True, first.id)
    assert [run.first for run in second.plan.runs] == ["T(c4):9k"]


def test_cuts_of_earlier_steps_stay_as_they_were() -> None:
    scene = Scene(TALK)
    scene.fit()
    before = scene.say("A[c3] T(c3):9k").fit().texts
    after = scene.say("A[c4] T(c4):9k").fit().texts
    assert list(after[: len(before)]) == list(before)


def test_of_several_outputs_only_those_above_a_quarter_of_the_budget_are_cut() -> None:
    scene = Scene("U:task")
    scene.fit()
    scene.say("A[a,b,c] T(a):9k T(b):200 T(c):1k")
    assert scene.view() == "U:task A[a,b,c] T(a~) T(b):200 T(c):1k"


def test_where_that_is_not_enough_the_ladder_decides() -> None:
    scene = Scene("U:task A[c1] T(c1):1.4k A[c2] T(c2):1.4k A[c3] T(c3):1.4k A[c4] T(c4):1.2k")
    scene.fit()
    report = scene.say("A[c5] T(c5):9k").report()
    assert report.reason is FitReason.THRESHOLD_EXCEEDED
    assert report.tool_call_ids == ("c1", "c2", "c3", "c5")


def test_the_same_bytes_give_the_same_view_whether_they_came_step_by_step_or_at_once() -> None:
    script = f"{TALK} A[c3] T(c3):9k"
    stepwise = Scene()
    for word in script.split():
        stepwise.say(word)
        if not word.startswith("A"):
            stepwise.fit()
    assert stepwise.fit().texts == Scene(script).fit().texts


def test_a_giant_question_is_not_cut_as_it_arrives() -> None:
    scene = Scene(TALK)
    scene.fit()
    assert scene.say("A:done U:more:4k").view().endswith("U:more:4k")

"""The orders of eviction: the same conversation, and what goes first."""

from __future__ import annotations

import pytest

from tests.scene import Scene
from unabridged.errors import BadSetting
from unabridged.plan import Verdict
from unabridged.policy import Policy

# A window of 8,000 tokens: the budget is 6,400, no output may take more than 1,600, a fit lands at about 4,500.
TALK = "U:task A[c1] T(c1):1.2k A:b:600 U:q A[c2] T(c2):1.5k A:d:700 U:r A[c3] T(c3):1.3k A:done:900 U:next"


def test_outputs_first_keeps_every_message() -> None:
    scene = Scene(TALK, policy=Policy(trim_order="tool_output_first"))
    assert scene.view() == (
        "U:task A[c1] T(c1~) A:b:600 U:q A[c2] T(c2~) A:d:700 U:r A[c3] T(c3):1.3k A:done:900 U:next"
    )


def test_oldest_first_drops_the_oldest_and_keeps_the_rest_whole() -> None:
    scene = Scene(TALK, policy=Policy(trim_order="oldest_first"))
    assert scene.view() == "U:task …6 A:d:700 U:r A[c3] T(c3):1.3k A:done:900 U:next"


def test_largest_first_takes_the_largest_output_wherever_it_stands() -> None:
    scene = Scene(TALK, policy=Policy(trim_order="largest_first"))
    assert scene.view() == (
        "U:task A[c1] T(c1):1.2k A:b:600 U:q A[c2] T(c2~) A:d:700 U:r A[c3] T(c3~) A:done:900 U:next"
    )


def test_of_two_outputs_of_one_size_the_older_goes() -> None:
    scene = Scene(
        "U:task A[c1] T(c1):1.4k A[c2] T(c2):1.4k A:a:1.8k A:b:1.8k U:next",
        policy=Policy(trim_order="largest_first", target=0.92),
    )
    assert scene.view() == "U:task A[c1] T(c1~) A[c2] T(c2):1.4k A:a:1.8k A:b:1.8k U:next"


def test_largest_first_cuts_arguments_and_pictures_too() -> None:
    scene = Scene(
        "U:task A[c1:1.5k] T(c1) U{img}:look A:a:1k A[c2] T(c2):800 A:b:1.4k U:next:1k",
        policy=Policy(trim_order="largest_first", target=0.6),
    )
    assert "A[c1~] T(c1) " in scene.view()


@pytest.mark.parametrize("order", ["tool_output_first", "oldest_first", "largest_first"])
def test_every_order_lands_at_the_target_and_keeps_the_task(order: str) -> None:
    scene = Scene(TALK + " A:e:1k U:last", policy=Policy(trim_order=order))
    report = scene.report()
    assert report.tokens_after <= report.target
    assert scene.view().startswith("U:task")
    assert scene.view().endswith("U:last")


def test_a_fit_frees_at_least_what_the_policy_wants() -> None:
    plain = Scene(TALK).report()
    eager = Scene(TALK, policy=Policy(min_reclaim_tokens=3_500)).report()
    assert plain.tokens_before - plain.tokens_after < 3_000
    assert eager.tokens_before - eager.tokens_after >= 3_500


def test_what_cannot_be_freed_is_not_demanded() -> None:
    scene = Scene("U:task:2k A[c1] T(c1):1k A:done:1k U:next:2.8k", policy=Policy(min_reclaim_tokens=50_000))
    fitted = scene.fit()
    assert fitted.checkpoint is not None
    assert {run.verdict for run in fitted.checkpoint.plan.runs} >= {Verdict.KEEP, Verdict.DROP}
    assert fitted.tokens <= 6_400


def test_an_unknown_order_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadSetting, match="known are tool_output_first, oldest_first, largest_first"):
        Policy(trim_order="smart")

"""The task, the user's words, the system prompt."""

from __future__ import annotations

import pytest

from tests.scene import Scene
from unabridged import CannotFit
from unabridged.policy import Policy
from unabridged.testing.notation import shown, tokens


def test_the_message_just_sent_is_never_evicted() -> None:
    scene = Scene("U:task A:a:600 U:new:200", system=tokens(5_400))
    assert scene.view() == "U:task …1 U:new:200"


def test_a_message_just_sent_that_cannot_fit_is_refused() -> None:
    with pytest.raises(CannotFit, match="newest human message 2,007"):
        Scene("U:task A:a:600 U:new:2k", system=tokens(5_900)).fit()


@pytest.mark.parametrize("window", [2_000, 4_000, 8_000])
def test_the_task_survives_one_result_of_one_and_a_half_windows(window: int) -> None:
    scene = Scene(f"U:task A[c1] T(c1):{window * 3 // 2}", window=window)
    assert scene.view() == "U:task A[c1] T(c1~)"


def test_system_text_is_never_evicted_wherever_it_stands() -> None:
    script = "U:task S:first A:a " + "U:q:100 A:a:700 " * 5 + "S:second " + "U:q:100 A:a:700 " * 5 + "U:next"
    view = Scene(script, system="Be brief.").view().split()
    assert [word for word in view if word.startswith("S")] == ["S:first", "S:second"]


@pytest.mark.parametrize("rounds", [1, 2, 1_000])
def test_the_number_of_rounds_to_retain_does_not_decide_whether_it_fits(rounds: int) -> None:
    scene = Scene("U:task " + "U:q:100 A:a:700 " * 10 + "U:next", policy=Policy(min_retain_rounds=rounds))
    assert scene.fit().tokens < 6_400


def test_words_typed_during_a_fit_are_answered_after_it() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:700 " * 10 + "U:next")
    fitted = scene.fit(commit=False)
    scene.say("U:typed")
    scene.engine.commit(fitted)
    scene.say("A:answer")
    assert scene.view() == shown(fitted.items) + " U:typed A:answer"


def test_unanswered_messages_are_kept_word_for_word() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:700 " * 10 + "U:one:400 U:two:400 U:three:400")
    assert scene.view().endswith(" U:one:400 U:two:400 U:three:400")

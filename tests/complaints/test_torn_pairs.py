"""Tool calls and results torn apart."""

from __future__ import annotations

import msgspec
import pytest

from tests.scene import Scene
from unabridged.entry import CheckpointEntry
from unabridged.testing.notation import shown
from unabridged.transcript import Transcript


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
def test_no_cut_leaves_a_result_without_its_call(dialect: str) -> None:
    script = "U:task " + "A[c1] T(c1):150 A[c1,c2] T(c1):90 T(c2):90 A:a:60 U:q:20 " * 6
    for window in range(1_000, 3_200, 97):
        view = Scene(script, dialect=dialect, window=window).view()
        assert "…orphan" not in view
        assert ")!" not in view


def test_a_call_whose_results_are_too_large_keeps_them_shortened() -> None:
    scene = Scene("U:task A[c1,c2] T(c1):40k T(c2):40k U:next", window=25_000)
    assert scene.view() == "U:task A[c1,c2] T(c1~) T(c2~) U:next"


def test_far_below_the_limit_tool_messages_stay_where_they_are() -> None:
    scene = Scene("U:task A[c1] T(c1)", system="Be brief.", window=128_000)
    assert scene.fit().request()["messages"][1:] == scene.fit().messages()
    assert scene.view() == "U:task A[c1] T(c1)"


def test_a_closed_call_leaves_together_with_what_closed_it() -> None:
    scene = Scene("U:task A[c1] U:next " + "A:a:700 U:q " * 3)
    assert scene.view().startswith("U:task A[c1] T(c1)! U:next")
    scene.say("A:a:700 U:q " * 7)
    view = scene.view()
    assert "A[c1]" not in view
    assert "T(c1)!" not in view


def test_a_message_that_comes_while_a_fit_is_made_is_in_the_next_view() -> None:
    scene = Scene("U:task " + "A:a:700 U:q " * 9)
    fitted = scene.fit(commit=False)
    scene.say("U:late")
    scene.engine.commit(fitted)
    assert scene.view() == shown(fitted.items) + " U:late"


def test_a_checkpoint_that_claims_one_message_too_many_is_ignored() -> None:
    scene = Scene("U:task " + "A:a:700 U:q " * 9)
    checkpoint = scene.fit(commit=False).checkpoint
    assert checkpoint is not None
    scene.say("A:one U:two")
    scene.transcript.record(CheckpointEntry(msgspec.structs.replace(checkpoint, reaches="A:one")))
    again = Transcript(scene.transcript.log)
    assert again.in_force() == ((), (f"{checkpoint.id}: was made from other content",))


def test_of_a_batch_that_is_answered_in_part_every_call_has_one_answer() -> None:
    scene = Scene("U:task A[c1,c2,c3] T(c2) U:next")
    assert sorted(scene.view().split()[2:5]) == ["T(c1)!", "T(c2)", "T(c3)!"]


def test_a_tool_that_compacts_keeps_its_own_call() -> None:
    scene = Scene("U:task " + "A:a:700 U:q " * 9 + "A[compact]")
    assert scene.fit().report is not None
    assert scene.say("T(compact)").view().endswith(" A[compact] T(compact)")


def test_a_message_between_call_and_result_moves_in_the_view_and_stays_in_the_log() -> None:
    scene = Scene("U:task A[c1] U:next T(c1)")
    assert scene.view() == "U:task A[c1] T(c1) U:next"
    assert [record.message.id for record in scene.transcript.records] == ["U:task", "A[c1]", "U:next", "T(c1)"]

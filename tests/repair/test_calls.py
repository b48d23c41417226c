"""Each call is answered exactly once, right behind the message that asked for it."""

from __future__ import annotations

import pytest

from tests.repair.mending import Mended, anthropic, openai
from unabridged.markers import interrupted


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
@pytest.mark.parametrize(
    "script",
    [
        "U:task A:done",
        "U:task A[c1] T(c1) A:done U:next",
        "U:task A[c1,c2] T(c1) T(c2) A:done",
        "U:task A[c1,c2] T(c2) T(c1) A:done",
        "U:task A[c1] T(c1) A[c2] T(c2) A[c3] T(c3) A:done",
    ],
)
def test_a_sound_conversation_stays_as_it_is(script: str, dialect: str) -> None:
    mended = Mended(script, dialect)
    assert mended.items == mended.came
    assert mended.repairs == {}


def test_a_call_that_nothing_answers_is_closed() -> None:
    mended = openai("U:task A[c1] U:next")
    assert str(mended) == "U:task A[c1] T(c1)! U:next"
    assert mended.repairs == {"calls": 1}


def test_a_closed_call_says_that_its_outcome_is_uncertain() -> None:
    assert openai("U:task A[c1]").sent()[2] == {"role": "tool", "tool_call_id": "c1", "content": interrupted()}


def test_a_closed_call_is_an_error_where_the_provider_knows_errors() -> None:
    (result,) = anthropic("U:task A[c1]").sent()[2]["content"]
    assert (result["tool_use_id"], result["is_error"]) == ("c1", True)


def test_of_a_batch_only_what_is_missing_is_closed() -> None:
    mended = openai("U:task A[c1,c2,c3] T(c2) U:next")
    assert str(mended) == "U:task A[c1,c2,c3] T(c2) T(c1)! T(c3)! U:next"
    assert mended.repairs == {"calls": 2}


def test_a_late_result_moves_behind_its_call() -> None:
    mended = openai("U:task A[c1] U:next T(c1) A:done")
    assert str(mended) == "U:task A[c1] T(c1) U:next A:done"
    assert mended.repairs == {"calls": 1}


def test_a_result_without_a_call_gives_way_to_a_marker() -> None:
    mended = openai("U:task T(c1) A:done")
    assert str(mended) == "U:task …orphan A:done"
    assert mended.sent()[1] == {
        "role": "user",
        "content": "[context: a tool result without its call was left out, 4 characters]",
    }


def test_a_second_result_of_a_call_gives_way_to_a_marker() -> None:
    assert str(openai("U:task A[c1] T(c1) T(c1:40) A:done")) == "U:task A[c1] T(c1) …orphan A:done"


def test_a_result_before_its_call_is_no_answer_to_it() -> None:
    assert str(openai("U:task T(c1) A[c1] U:next")) == "U:task …orphan A[c1] T(c1)! U:next"


def test_a_result_belongs_to_the_nearest_earlier_open_call() -> None:
    mended = openai("U:task A[c1] T(c1) A:done U:next A[c1] T(c1) A:done")
    assert mended.items == mended.came


def test_with_two_open_calls_of_one_id_the_result_answers_the_nearer() -> None:
    assert str(openai("U:task A[c1] U:next A[c1] T(c1)")) == "U:task A[c1] T(c1)! U:next A[c1] T(c1)"


def test_a_second_result_answers_the_call_that_is_still_open() -> None:
    assert str(openai("U:task A[c1] U:next A[c1] T(c1) T(c1:40)")) == "U:task A[c1] T(c1:40) U:next A[c1] T(c1)"


def test_one_message_may_hold_the_results_of_one_batch() -> None:
    mended = anthropic("U:task A[c1,c2] T(c1,c2) A:done")
    assert mended.items == mended.came


def test_a_message_of_results_is_split_where_they_answer_different_turns() -> None:
    mended = anthropic("U:task A[c1] U:next A[c2] T(c1,c2) A:done")
    assert str(mended) == "U:task A[c1] T(c1) U:next A[c2] T(c2) A:done"


def test_of_a_message_of_results_only_the_orphan_goes() -> None:
    assert str(anthropic("U:task A[c1] T(c1,c9) A:done")) == "U:task A[c1] T(c1) …orphan A:done"


def test_neighbouring_answers_are_one_turn_where_the_provider_joins_them() -> None:
    mended = anthropic("U:task A[c1] A[c2] T(c1,c2) A:done")
    assert mended.items == mended.came


def test_neighbouring_answers_are_answered_one_by_one_elsewhere() -> None:
    assert str(openai("U:task A[c1] A[c2] T(c1) T(c2)")) == "U:task A[c1] T(c1) A[c2] T(c2)"


def test_a_conversation_cut_off_at_any_place_is_mended() -> None:
    words = [
        "U:task",
        "A[c1,c2]",
        "T(c1)",
        "T(c2)",
        "A:done",
        "U:next",
        "A[c1]",
        "T(c1)",
        "A[c3,c4]",
        "T(c4)",
        "T(c3)",
        "A:done",
    ]
    for dialect in ("openai_chat", "anthropic"):
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                Mended(" ".join(words[start:end]), dialect)

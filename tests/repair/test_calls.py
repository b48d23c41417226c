"""Each call is answered exactly once, right behind the message that asked for it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.repair.crossing import Crossed
from tests.repair.mending import DIALECTS, Mended, anthropic, gemini, mended_contents, mended_items, openai, responses
from unabridged.markers import interrupted
from unabridged.repair import groups


@pytest.mark.parametrize("dialect", DIALECTS)
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
    for dialect in DIALECTS:
        for start in range(len(words)):
            for end in range(start + 1, len(words) + 1):
                Mended(" ".join(words[start:end]), dialect)


def test_where_results_may_stand_apart_from_their_calls_they_stay() -> None:
    mended = responses("U:task A[c1,c2] U:hint T(c1) A:wait T(c2) A:done")
    assert mended.items == mended.came
    assert [len(group) for group in groups(mended.items, "openai_responses")] == [1, 5, 1]


def test_where_results_may_stand_apart_orphans_and_open_calls_are_mended_all_the_same() -> None:
    assert str(responses("U:task A[c1] U:more T(c9) A:done")) == "U:task A[c1] T(c1)! U:more …orphan A:done"


def test_a_result_before_its_call_is_no_answer_to_it_wherever_results_may_stand() -> None:
    assert str(responses("U:task T(c1) A[c1] U:next")) == "U:task …orphan A[c1] T(c1)! U:next"


def test_a_reference_may_be_the_call_that_a_result_answers() -> None:
    items = [
        {"role": "user", "content": "go"},
        {"type": "item_reference", "id": "fc_1"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    ]
    assert mended_items(*items) == (items, {})
    words = {**items[1], "id": "msg_1"}
    assert mended_items(items[0], words, items[2])[1] == {"calls": 1}


def test_a_custom_call_is_closed_as_one() -> None:
    call = {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "*** Begin"}
    items, _ = mended_items({"role": "user", "content": "go"}, call)
    assert (items[2]["type"], items[2]["call_id"], items[2]["output"]) == (
        "custom_tool_call_output",
        "c1",
        interrupted(),
    )


def test_results_that_answer_one_turn_are_one_content_for_gemini() -> None:
    mended = gemini("U:task A[c1,c2] T(c1) T(c2) A:done")
    assert [len(content["parts"]) for content in mended.sent()] == [1, 2, 2, 1]


def test_a_call_that_comes_right_behind_an_answer_is_one_turn_with_it_for_gemini() -> None:
    mended = gemini("U:task A:look A[c1] T(c1) A:done")
    assert mended.items == mended.came
    assert [content["role"] for content in mended.sent()] == ["user", "model", "user", "model"]


def test_gemini_closes_a_call_by_the_name_of_its_function() -> None:
    (part,) = gemini("U:task A[c1] U:next").sent()[2]["parts"]
    assert part["functionResponse"] == {"id": "c1", "name": "run", "response": {"error": interrupted()}}


def without_ids(*names: str) -> list[dict[str, Any]]:
    """A turn of calls and a turn of results, as Gemini has them without ids."""
    calls = [{"functionCall": {"name": name, "args": {}}} for name in names]
    results = [{"functionResponse": {"name": name, "response": {"output": name}}} for name in names]
    return [
        {"role": "user", "parts": [{"text": "go"}]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": results},
    ]


def test_calls_without_ids_are_answered_in_order_and_by_name() -> None:
    assert mended_contents(*without_ids("f", "g", "f")) == (without_ids("f", "g", "f"), {})
    asked, called, answered = without_ids("f", "g", "f")
    swapped = {"role": "user", "parts": answered["parts"][::-1]}
    assert mended_contents(asked, called, swapped) == ([asked, called, swapped], {})


def test_results_that_name_their_calls_otherwise_answer_them_by_their_place() -> None:
    asked, called, answered = without_ids("f", "g")
    called["parts"][0]["functionCall"]["id"] = "id-1"
    answered["parts"][1]["functionResponse"]["id"] = "id-2"
    assert mended_contents(asked, called, answered) == ([asked, called, answered], {})


def test_results_that_answer_by_their_place_get_the_ids_of_their_calls_elsewhere() -> None:
    asked, called, answered = without_ids("f", "g")
    called["parts"][0]["functionCall"]["id"] = "id-1"
    body = json.dumps({"contents": [asked, called, answered]}).encode()
    texts = Crossed(body, "gemini", "openai_chat").texts
    assert [json.loads(text).get("tool_call_id") for text in texts] == [None, None, "id-1", "g"]


def test_a_result_of_another_provider_stands_with_its_call_and_is_written_like_it() -> None:
    call = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    messages = [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "user", "content": "wait"},
        {"role": "tool", "tool_call_id": "c1", "content": "ok"},
    ]
    crossed = Crossed(json.dumps({"messages": messages}).encode(), "openai_chat", "openai_responses")
    kinds = [json.loads(text).get("type") for text in crossed.texts]
    assert kinds == [None, "custom_tool_call", "custom_tool_call_output", None]
    assert crossed.repairs == {"calls": 1}

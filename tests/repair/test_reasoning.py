"""Reasoning stands before what it led to, and what asks for its reasoning has it (OpenAI Responses)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.repair.mending import Mended, mended_items, responses
from tests.scene import Scene
from unabridged import repair
from unabridged.log import Log
from unabridged.testing.notation import shown
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item
from unabridged.wire import wire

REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}
MESSAGE = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "done", "annotations": []}],
}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "run", "arguments": "{}"}
OUTPUT = {"type": "function_call_output", "call_id": "c1", "output": "ok"}
ASKED = {"role": "user", "content": "go"}


def test_reasoning_with_what_it_led_to_stays() -> None:
    items = [ASKED, REASONING, MESSAGE, CALL, OUTPUT]
    assert mended_items(*items) == (items, {})


@pytest.mark.parametrize("rest", [[], [ASKED]])
def test_reasoning_that_nothing_follows_is_left_out(rest: list[Any]) -> None:
    assert mended_items(ASKED, REASONING, *rest) == ([ASKED, *rest], {"reasoning": 1})


def test_reasoning_behind_an_answer_is_left_out() -> None:
    other = {**REASONING, "id": "rs_2"}
    assert mended_items(ASKED, [REASONING, MESSAGE], other, ASKED) == (
        [ASKED, REASONING, MESSAGE, ASKED],
        {"reasoning": 1},
    )


def test_reasoning_in_a_row_leaves_together() -> None:
    assert mended_items(ASKED, REASONING, {**REASONING, "id": "rs_2"}, ASKED)[0] == [ASKED, ASKED]


def test_items_of_one_answer_are_one_group_however_they_were_appended() -> None:
    items = view(ASKED, REASONING, MESSAGE, CALL, OUTPUT, {**REASONING, "id": "rs_2"}, MESSAGE)
    assert [len(group) for group in repair.groups(items, "openai_responses")] == [1, 4, 2]


def test_one_train_of_thought_after_another_can_be_cut_apart() -> None:
    items = Mended("U:task A{think}:a A{think}:b U:next", "openai_responses").items
    assert [shown(group) for group in repair.groups(items, "openai_responses")] == [
        "U:task",
        "A{think}:a",
        "A{think}:b",
        "U:next",
    ]


def test_no_item_asks_for_reasoning_that_was_taken_out_of_its_answer() -> None:
    message = responses("U:task A{think}[c1]:hi T(c1)").items[1].message
    edited = wire("openai_responses").edit(message, [None, *message.parts[1:]])
    assert all("id" not in json.loads(text) for text in wire("openai_responses").write_messages([edited], {}))


def needed(records: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """The id of each item of an answer, with the id of the reasoning that it came with."""
    for record in records:
        reasoning = ""
        for text in wire("openai_responses").write_messages([record.message], {}):
            item = json.loads(text)
            if item.get("type") == "reasoning":
                reasoning = item["id"]
            elif reasoning and "id" in item:
                yield item["id"], reasoning


@pytest.mark.parametrize("window", [3_000, 4_000, 6_000])
@pytest.mark.parametrize(
    "script",
    [
        "U:task " + "A{think:90}[c1:400] T(c1):700 " * 9,
        "U:task " + "A{think:90}[c1,c2]:look:60 T(c1):400 T(c2):90 " * 9 + "A{think}:done U:next",
        "U:task " + "A{think}[c1] T(c1):500 A[c2:300] T(c2):400 " * 7,
    ],
)
def test_whatever_a_fit_takes_out_no_item_asks_for_reasoning_that_is_not_there(script: str, window: int) -> None:
    scene = Scene(script, dialect="openai_responses", window=window)
    sent = scene.fit().request()["input"]
    present = {item["id"] for item in sent if "id" in item}
    asking = dict(needed(scene.transcript.records))
    assert any("[context: " in json.dumps(item) for item in sent)
    assert [item["id"] for item in sent if "id" in item and asking.get(item["id"], item["id"]) not in present] == []


def test_ids_stay_where_nothing_was_dropped() -> None:
    view: list[Item] = responses("U:task T(c1) A:done").items
    assert "id" in json.loads(wire("openai_responses").write_messages([view[2].message], {})[0])


def test_reasoning_in_a_row_stays_with_what_it_led_to() -> None:
    items = view(ASKED, REASONING, {**REASONING, "id": "rs_2"}, CALL, OUTPUT)
    assert [len(group) for group in repair.groups(items, "openai_responses")] == [1, 4]


def view(*bodies: Any) -> list[Item]:
    """Items as a view holds them, uncut."""
    transcript = Transcript(Log())
    for number, body in enumerate(bodies):
        transcript.append(wire("openai_responses").read_message(json.dumps(body), id=f"m{number}")[0])
    cutter = Cutter(wire("openai_responses"), transcript.counter, {})
    return [cutter.whole(record) for record in transcript.records]


def test_behind_a_gap_items_go_without_ids_until_the_model_reasons_anew_or_somebody_speaks() -> None:
    other = {**CALL, "id": "fc_2", "call_id": "c2"}
    anew = [{**REASONING, "id": "rs_3"}, {**MESSAGE, "id": "msg_3"}]
    items = view(
        ASKED, CALL, OUTPUT, other, {**OUTPUT, "call_id": "c2"}, anew, {**MESSAGE, "id": "msg_4"}, ASKED, MESSAGE
    )
    cutter = Cutter(wire("openai_responses"), Transcript(Log()).counter, {})
    gap = cutter.marker("[context: 2 earlier messages are not shown]", "dropped-m")
    out, repairs = repair.mend([items[0], gap, *items[1:]], "openai_responses", cutter)
    assert repairs == (("reasoning", 2),)
    assert repair.mend(out, "openai_responses", cutter) == (out, ())
    sent = [json.loads(text) for text in wire("openai_responses").write_messages([item.message for item in out], {})]
    assert [item["id"] for item in sent if "id" in item] == ["rs_3", "msg_3", "msg_4", "msg_1"]

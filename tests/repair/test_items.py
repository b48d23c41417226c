"""Each item is there once (OpenAI Responses)."""

from __future__ import annotations

from tests.repair.mending import mended_items
from tests.repair.test_reasoning import ASKED, CALL, MESSAGE, OUTPUT, REASONING


def test_the_second_item_of_an_id_goes_without_it() -> None:
    items, repairs = mended_items(ASKED, MESSAGE, ASKED, MESSAGE, ASKED)
    nameless = {key: value for key, value in MESSAGE.items() if key != "id"}
    assert items == [ASKED, MESSAGE, ASKED, nameless, ASKED]
    assert repairs == {"items": 1}


def test_reasoning_that_was_sent_for_each_of_its_calls_is_there_once() -> None:
    other = {**CALL, "id": "fc_2", "call_id": "c2"}
    output = {**OUTPUT, "call_id": "c2"}
    items, repairs = mended_items(ASKED, [REASONING, CALL], [REASONING, other], OUTPUT, output)
    nameless = {key: value for key, value in other.items() if key != "id"}
    assert items == [ASKED, REASONING, CALL, nameless, OUTPUT, output]
    assert repairs == {"items": 1}


def test_an_item_of_the_providers_own_loses_its_id_too() -> None:
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}}
    items, _ = mended_items(ASKED, [search, MESSAGE], ASKED, search, ASKED)
    assert items[4] == {key: value for key, value in search.items() if key != "id"}


def test_a_reference_may_come_beside_nothing_of_its_id_as_often_as_it_likes() -> None:
    reference = {"type": "item_reference", "id": "msg_9"}
    assert mended_items(ASKED, reference, ASKED, reference, ASKED)[1] == {}


def test_reasoning_that_came_before_and_is_all_there_is_leaves_its_message() -> None:
    items, repairs = mended_items(ASKED, [REASONING, MESSAGE], ASKED, REASONING, {**MESSAGE, "id": "msg_2"}, ASKED)
    assert [item.get("type", "user") for item in items] == ["user", "reasoning", "message", "user", "message", "user"]
    assert repairs == {"items": 1}

"""A provider's own calls have their outputs, and outputs their calls (OpenAI Responses)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.repair.mending import mended_items
from tests.repair.test_reasoning import ASKED, MESSAGE, REASONING

PAIRS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "computer": (
        {"type": "computer_call", "id": "cu_1", "call_id": "c1", "action": {"type": "screenshot"}},
        {"type": "computer_call_output", "call_id": "c1", "output": {"type": "computer_screenshot", "image_url": "x"}},
    ),
    "shell": (
        {"type": "shell_call", "id": "sh_1", "call_id": "c1", "action": {"commands": ["ls"]}},
        {"type": "shell_call_output", "call_id": "c1", "output": []},
    ),
    "local shell": (
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "c1", "action": {"type": "exec", "command": ["ls"]}},
        {"type": "local_shell_call_output", "id": "c1", "output": "a.py"},
    ),
    "patch": (
        {"type": "apply_patch_call", "id": "apc_1", "call_id": "c1", "operation": {"type": "delete_file"}},
        {"type": "apply_patch_call_output", "call_id": "c1", "status": "completed"},
    ),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_a_pair_stays_as_it_is_even_with_something_between(kind: str) -> None:
    call, output = PAIRS[kind]
    items = [ASKED, REASONING, call, ASKED, output, MESSAGE]
    assert mended_items(*items) == (items, {})


@pytest.mark.parametrize("kind", PAIRS)
def test_a_call_without_its_output_leaves_with_the_reasoning_that_led_to_it(kind: str) -> None:
    call, _ = PAIRS[kind]
    items, repairs = mended_items(ASKED, [REASONING, call], ASKED)
    assert [item["role"] for item in items] == ["user", "user", "user"]
    assert items[1]["content"].startswith(f"[context: {call['type']} left out")
    assert repairs == {"pairs": 1, "reasoning": 1}


@pytest.mark.parametrize("kind", PAIRS)
def test_an_output_without_its_call_gives_way_to_a_marker(kind: str) -> None:
    _, output = PAIRS[kind]
    items, repairs = mended_items(ASKED, output, MESSAGE)
    assert items[1]["content"].startswith(f"[context: {output['type']} left out")
    assert repairs == {"pairs": 1}


def test_an_output_may_answer_what_is_only_referred_to() -> None:
    items = [ASKED, {"type": "item_reference", "id": "cu_1"}, PAIRS["computer"][1], MESSAGE]
    assert mended_items(*items) == (items, {})


def test_an_approval_that_is_waited_for_stays() -> None:
    request = {"type": "mcp_approval_request", "id": "mcpr_1", "name": "f", "arguments": "{}", "server_label": "s"}
    assert mended_items(ASKED, request) == ([ASKED, request], {})
    answer = {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True}
    assert mended_items(ASKED, request, answer) == ([ASKED, request, answer], {})
    assert mended_items(ASKED, answer)[1] == {"pairs": 1}


def test_searches_that_the_service_answers_itself_need_no_output() -> None:
    search = {"type": "tool_search_call", "call_id": None, "execution": "server", "status": "completed"}
    items = [ASKED, search, {**search, "type": "tool_search_output", "tools": []}, MESSAGE]
    assert mended_items(*items) == (items, {})

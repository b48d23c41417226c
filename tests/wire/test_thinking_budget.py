"""Anthropic: an output limit that is lowered takes the thinking budget with it, for thoughts are part of the output."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.frame import Frame
from unabridged.testing import violations
from unabridged.wire import wire

WIRE = wire("anthropic")
HELLO = '{"role":"user","content":"Hello."}'
CLEARED = {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 2}}
OTHER_EDIT = {"type": "clear_tool_uses_20250919"}


def frame_of(**fields: Any) -> Frame:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 32_000, **fields, "messages": []}
    return WIRE.read_request(json.dumps(body).encode(), id_prefix="r")[0]


def lowered(tokens: int, **fields: Any) -> dict[str, Any]:
    return json.loads(WIRE.write_request(WIRE.with_max_output(frame_of(**fields), tokens), [HELLO]))


def thinking(budget: int, **more: object) -> dict[str, object]:
    return {"type": "enabled", "budget_tokens": budget, **more}


def test_a_budget_that_the_lower_limit_holds_stays() -> None:
    assert lowered(20_000, thinking=thinking(16_000))["thinking"] == thinking(16_000)
    assert lowered(16_001, thinking=thinking(16_000))["thinking"] == thinking(16_000)


@pytest.mark.parametrize(("tokens", "budget"), [(16_000, 8_000), (8_000, 4_000), (3_000, 1_500), (1_500, 1_024)])
def test_a_budget_that_it_does_not_hold_keeps_its_share_of_the_output_and_at_least_1_024(
    tokens: int, budget: int
) -> None:
    assert lowered(tokens, thinking=thinking(16_000))["thinking"] == thinking(budget)


def test_a_lower_budget_keeps_what_else_was_said_about_thinking() -> None:
    body = (
        b'{"max_tokens":9000, "thinking" : {"display":"omitted" , "budget_tokens":8000,"type":"enabled"},"messages":[]}'
    )
    frame = WIRE.with_max_output(WIRE.read_request(body, id_prefix="r")[0], 4_500)
    assert WIRE.write_request(frame, []) == body.replace(b"9000", b"4500").replace(b"8000", b"4000")


@pytest.mark.parametrize("tokens", [1_024, 1_000, 1])
def test_where_no_budget_that_the_provider_takes_is_left_thinking_is_off(tokens: int) -> None:
    assert lowered(tokens, thinking=thinking(16_000, display="omitted"))["thinking"] == {"type": "disabled"}


def test_with_thinking_off_nothing_asks_for_thoughts_to_be_cleared() -> None:
    # "`clear_thinking_20251015` strategy requires `thinking` to be enabled"
    managed = {"edits": [CLEARED, OTHER_EDIT], "other": 1}
    assert lowered(1_000, thinking=thinking(16_000), context_management=managed)["context_management"] == {
        "edits": [OTHER_EDIT],
        "other": 1,
    }
    assert lowered(4_000, thinking=thinking(16_000), context_management=managed)["context_management"] == managed
    assert lowered(1_000, thinking={"type": "adaptive"}, context_management=managed)["context_management"] == managed


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"thinking": {"type": "adaptive"}},
        {"thinking": {"type": "disabled"}},
        {"thinking": None},
        {"thinking": "enabled"},
        {"thinking": {"type": "enabled"}},
        {"thinking": {"type": "enabled", "budget_tokens": "8000"}},
        {"thinking": {"type": "enabled", "budget_tokens": True}},
    ],
    ids=json.dumps,
)
def test_a_request_without_a_budget_is_left_as_it_is(asked: dict[str, object]) -> None:
    before = frame_of(**asked)
    after = WIRE.with_max_output(before, 900)
    assert {**dict(after.fields), "max_tokens": ""} == {**dict(before.fields), "max_tokens": ""}


def test_a_budget_above_its_own_limit_is_meant_so() -> None:
    # Interleaved thinking: there the budget is that of a whole turn, and may exceed the limit of one answer.
    assert lowered(4_000, thinking=thinking(50_000))["thinking"] == thinking(50_000)


def test_a_limit_where_there_was_none_leaves_half_of_it_to_the_answer() -> None:
    body = b'{"thinking":{"type":"enabled","budget_tokens":8000},"messages":[]}'
    frame = WIRE.with_max_output(WIRE.read_request(body, id_prefix="r")[0], 6_000)
    assert json.loads(WIRE.write_request(frame, [])) == {
        "thinking": thinking(3_000),
        "messages": [],
        "max_tokens": 6_000,
    }


@given(
    asked=st.integers(1_025, 200_000),
    share=st.integers(1, 999),
    tokens=st.integers(1, 200_000),
    choice=st.sampled_from([None, {"type": "auto"}, {"type": "none"}]),
    edits=st.lists(st.sampled_from([CLEARED, OTHER_EDIT]), max_size=3),
)
def test_what_the_provider_took_it_takes_with_a_lower_limit_too(
    asked: int, share: int, tokens: int, choice: object, edits: list[object]
) -> None:
    budget = max(1_024, asked * share // 1_000)
    fields: dict[str, Any] = {"max_tokens": asked, "thinking": thinking(budget), "context_management": {"edits": edits}}
    if choice is not None:
        fields["tool_choice"] = choice
    before, after = lowered(asked, **fields), lowered(min(tokens, asked), **fields)
    assert violations("anthropic", before) == []
    assert violations("anthropic", after) == []
    assert after["thinking"].get("budget_tokens", 0) <= budget
    same = before.keys() - {"max_tokens", "thinking", "context_management"}
    assert {key: after[key] for key in same} == {key: before[key] for key in same}

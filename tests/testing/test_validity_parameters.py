"""Which parameters Anthropic takes beside which way of thinking."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.testing import violations

ENABLED = {"type": "enabled", "budget_tokens": 2_000}
CLEARS = {"edits": [{"type": "clear_tool_uses_20250919"}, {"type": "clear_thinking_20251015"}]}


def rules(**body: Any) -> list[str]:
    messages = [{"role": "user", "content": "Go on."}]
    return [found.rule for found in violations("anthropic", {"max_tokens": 4_000, "messages": messages, **body})]


@pytest.mark.parametrize(
    "body",
    [
        {"thinking": ENABLED},
        {"thinking": {**ENABLED, "budget_tokens": 1_024, "display": "omitted"}},
        {"thinking": {**ENABLED, "budget_tokens": 3_999}},
        {"thinking": ENABLED, "tool_choice": {"type": "auto"}, "temperature": 1},
        {"thinking": ENABLED, "tool_choice": {"type": "none"}, "temperature": 1.0},
        {"thinking": ENABLED, "context_management": CLEARS},
        {"thinking": {"type": "adaptive"}, "context_management": CLEARS, "temperature": 0.2},
        {"thinking": {"type": "disabled"}, "tool_choice": {"type": "any"}, "temperature": 0.2},
        {"context_management": CLEARS, "tool_choice": {"type": "tool", "name": "ls"}},
    ],
    ids=str,
)
def test_a_sound_request_has_no_violations(body: Any) -> None:
    assert rules(**body) == []


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ({"thinking": {**ENABLED, "budget_tokens": 4_000}}, "thinking_budget_too_large"),
        ({"thinking": {**ENABLED, "budget_tokens": 9_000}}, "thinking_budget_too_large"),
        ({"thinking": {**ENABLED, "budget_tokens": 1_023}}, "thinking_budget_too_small"),
        ({"thinking": {**ENABLED, "budget_tokens": 1_024}, "max_tokens": 1_024}, "thinking_budget_too_large"),
        ({"thinking": {"type": "enabled"}}, "thinking_budget_malformed"),
        ({"thinking": {**ENABLED, "budget_tokens": "2000"}}, "thinking_budget_malformed"),
        ({"thinking": ENABLED, "tool_choice": {"type": "any"}}, "thinking_with_forced_call"),
        ({"thinking": ENABLED, "tool_choice": {"type": "tool", "name": "ls"}}, "thinking_with_forced_call"),
        ({"thinking": ENABLED, "temperature": 0}, "thinking_with_temperature"),
        ({"thinking": {"type": "disabled", "budget_tokens": 2_000}}, "thinking_field_unknown"),
        ({"thinking": {"type": "disabled"}, "context_management": CLEARS}, "clearing_without_thinking"),
    ],
    ids=str,
)
def test_a_request_that_asks_for_what_does_not_go_together_is_refused(body: Any, rule: str) -> None:
    assert rules(**body) == [rule]


def test_a_refusal_says_what_the_provider_says() -> None:
    body = {"max_tokens": 1_000, "thinking": ENABLED, "messages": [{"role": "user", "content": "Go on."}]}
    (found,) = violations("anthropic", body)
    assert (found.where, found.says.partition(". ")[0]) == (
        "max_tokens",
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    )

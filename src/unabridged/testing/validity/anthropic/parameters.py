"""Anthropic Messages: what the parameters of a request allow beside thinking.

Manual thinking (`enabled`) has a budget of at least 1,024 tokens, which is part of the output limit and so below it. A
beta header, which a body does not show, lifts that bound for a loop of tool calls ("Interleaved thinking"); here the
rule as published counts. It goes with no call that is forced and with no temperature. What clears thoughts asks for
thinking.
"""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.anthropic.request import Request
from unabridged.testing.validity.violation import Json, Violation, as_list, as_object

LEAST_BUDGET = 1_024
"""Tokens."""
_FORCED = ("any", "tool")
_CONSULT = "Please consult the documentation on extended thinking"


def check_parameters(request: Request) -> Iterator[Violation]:
    """Yield what does not go together with the way of thinking that the request asks for."""
    if request.thinking == "enabled":
        yield from _budget(request.body)
        yield from _forced(request.body)
        yield from _temperature(request.body)
    elif request.thinking == "disabled":
        yield from _extra(request.body)
        yield from _clearing(request.body)


def _thinking(body: Json) -> Json:
    return as_object(body.get("thinking")) or {}


def _budget(body: Json) -> Iterator[Violation]:
    budget, limit = _thinking(body).get("budget_tokens"), body.get("max_tokens")
    where = "thinking.enabled.budget_tokens"
    if not isinstance(budget, int):
        says = "Field required" if budget is None else "Input should be a valid integer"
        yield Violation("thinking_budget_malformed", where, f"{where}: {says}")
    elif budget < LEAST_BUDGET:
        says = f"{where}: Input should be greater than or equal to {LEAST_BUDGET}"
        yield Violation("thinking_budget_too_small", where, says)
    elif isinstance(limit, int) and budget >= limit:
        says = f"`max_tokens` must be greater than `thinking.budget_tokens`. {_CONSULT}"
        yield Violation("thinking_budget_too_large", "max_tokens", says)


def _forced(body: Json) -> Iterator[Violation]:
    if (as_object(body.get("tool_choice")) or {}).get("type") in _FORCED:
        says = "Thinking may not be enabled when tool_choice forces tool use."
        yield Violation("thinking_with_forced_call", "tool_choice", says)


def _temperature(body: Json) -> Iterator[Violation]:
    if body.get("temperature") not in (None, 1):
        says = f"`temperature` may only be set to 1 when thinking is enabled. {_CONSULT}"
        yield Violation("thinking_with_temperature", "temperature", says)


def _extra(body: Json) -> Iterator[Violation]:
    for name in _thinking(body).keys() - {"type"}:
        where = f"thinking.disabled.{name}"
        yield Violation("thinking_field_unknown", where, f"{where}: Extra inputs are not permitted")


def _clearing(body: Json) -> Iterator[Violation]:
    managed = as_object(body.get("context_management")) or {}
    for position, edit in enumerate(as_list(managed.get("edits")) or ()):
        kind = str((as_object(edit) or {}).get("type"))
        if kind.startswith("clear_thinking_"):
            says = f"`{kind}` strategy requires `thinking` to be enabled or adaptive"
            yield Violation("clearing_without_thinking", f"context_management.edits.{position}", says)

"""Anthropic Messages: each call of a client's tool is answered once, in front of the turn that follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unabridged.testing.validity.anthropic.request import Block, Request, Turn
from unabridged.testing.validity.violation import Violation


def check_call_ids(request: Request) -> Iterator[Violation]:
    """Yield call ids that come again, in the same turn or in a later one.

    Within a turn the refusal is well known. That it holds for the whole request is what clients report whose
    logs repeat ids over turns (openclaw#4700, NVIDIA-NeMo/Switchyard#502); it has a rule name of its own.
    """
    seen: dict[str, int] = {}
    for place, turn in enumerate(request.turns):
        for call in turn.of("tool_use"):
            if call.id in seen:
                rule = "tool_use_id_repeated" if seen[call.id] == place else "tool_use_id_reused"
                yield Violation(rule, call.where, f"{call.where}: `tool_use` ids must be unique")
            seen[call.id] = place


def check_tools(request: Request) -> Iterator[Violation]:
    """Yield calls without a result, and results without a call, given twice or behind other blocks."""
    turns = request.turns
    for place, turn in enumerate(turns):
        if turn.role == "assistant":
            yield from _unanswered(turn, turns[place + 1] if place + 1 < len(turns) else None)
        elif turn.role == "user":
            before = turns[place - 1] if place and turns[place - 1].role == "assistant" else None
            yield from _results(turn, {call.id for call in before.of("tool_use")} if before else set())


def _unanswered(turn: Turn, after: Turn | None) -> Iterator[Violation]:
    calls = list(turn.of("tool_use"))
    answered = {result.id for result in after.of("tool_result")} if after and after.role == "user" else set[str]()
    open_calls = [call for call in calls if call.id not in answered]
    if open_calls:
        yield Violation("tool_use_unanswered", f"messages.{open_calls[0].message}", _without_results(open_calls))


def _results(turn: Turn, called: set[str]) -> Iterator[Violation]:
    answered: set[str] = set()
    behind: Block | None = None
    for block in turn.blocks:
        if block.kind != "tool_result":
            behind = behind or block
        elif block.id not in called:
            says = (
                f"{block.where}: unexpected `tool_use_id` found in `tool_result` blocks: {block.id}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message."
            )
            yield Violation("tool_result_without_tool_use", block.where, says)
        elif block.id in answered:
            says = "each tool_use must have a single result. Found multiple `tool_result` blocks with id"
            yield Violation("tool_result_repeated", block.where, f"{block.where}: {says}: {block.id}")
        elif behind:
            yield Violation("tool_result_not_first", block.where, _without_results([block]))
        if block.kind == "tool_result":
            answered.add(block.id)


def _without_results(blocks: Sequence[Block]) -> str:
    ids = ", ".join(block.id for block in blocks)
    return (
        f"messages.{blocks[0].message}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{ids}. Each `tool_use` block must have a corresponding `tool_result` block in the next message."
    )

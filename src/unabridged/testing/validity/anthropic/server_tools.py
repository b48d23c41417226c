"""Anthropic Messages: a tool that the service runs has its call and its result on the assistant's side.

The result follows in the same turn. Two cases leave the call open: a turn that the service paused and that is
sent back as the last one, and a turn that also calls a client's tools. In the second the next user turn holds
tool results alone, and the service's own result opens the assistant turn after it.
"""

from __future__ import annotations

from collections.abc import Iterator

from unabridged.testing.validity.anthropic.request import Block, Request, Turn
from unabridged.testing.validity.violation import Violation

_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})


def check_server_tools(request: Request) -> Iterator[Violation]:
    """Yield calls of server tools without a result, and results without a call before them."""
    waiting: dict[str, Block] = {}
    for place, turn in enumerate(request.turns):
        if turn.role != "assistant":
            continue
        for block in turn.blocks:
            if block.kind in _CALLS:
                waiting[block.id] = block
            elif block.kind.endswith("_tool_result") and waiting.pop(block.id, None) is None:
                yield _without_call(block)
        if not _may_wait(turn, request.turns[place + 1] if place + 1 < len(request.turns) else None):
            yield from (_without_result(call) for call in waiting.values())
            waiting.clear()


def _may_wait(turn: Turn, after: Turn | None) -> bool:
    if after is None:
        return True
    only_results = all(block.kind == "tool_result" for block in after.blocks)
    return after.role == "user" and only_results and any(turn.of("tool_use"))


def _without_result(call: Block) -> Violation:
    name = str(call.fields.get("name"))
    result = "mcp_tool_result" if call.kind == "mcp_tool_use" else f"{name}_tool_result"
    says = f"`{name}` tool use with id `{call.id}` was found without a corresponding `{result}` block"
    return Violation("server_tool_use_unanswered", call.where, f"messages.{call.message}: {says}")


def _without_call(result: Block) -> Violation:
    call = "mcp_tool_use" if result.kind == "mcp_tool_result" else "server_tool_use"
    says = (
        f"{result.where}: unexpected `tool_use_id` found in `{result.kind}` blocks: {result.id}. Each `{result.kind}` "
        f"block must have a corresponding `{call}` block before it."
    )
    return Violation("server_result_without_use", result.where, says)

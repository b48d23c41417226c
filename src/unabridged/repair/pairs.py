"""A provider's own calls have their outputs, and outputs their calls.

OpenAI Responses has calls that are no functions: of a computer, a shell, a patch, a search for tools, an approval. We
keep them as they are or leave them out whole, so they cannot be closed, and one without its other half leaves: "No tool
output found for computer call call_...", "No tool call found for function call output with call_id call_...".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unabridged import markers
from unabridged.message import Message, Opaque, Part
from unabridged.view import Cutter, Item
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_responses.identity import is_home

NAME = "pairs"

_ANSWERS = {
    "computer_call_output": ("computer_call", "call_id"),
    "shell_call_output": ("shell_call", "call_id"),
    "apply_patch_call_output": ("apply_patch_call", "call_id"),
    "local_shell_call_output": ("local_shell_call", "id"),
    "tool_search_output": ("tool_search_call", "call_id"),
    "program_output": ("program", "call_id"),
    "mcp_approval_response": ("mcp_approval_request", "approval_request_id"),
}
"""Kinds of outputs, each with what asks for it and with the member that names the call."""
_IDS = {kind: "id" if kind == "mcp_approval_request" else "call_id" for kind, _ in _ANSWERS.values()}
_DEMANDED = frozenset({"computer_call", "shell_call", "apply_patch_call", "local_shell_call"})
"""What may not stay without an output. The rest the service answers itself, or waits for."""


class _Half(NamedTuple):
    """A call or an output: where it is, and by what it knows the other half."""

    at: int
    part: int
    kind: str
    """Of the call, for both."""
    id: str
    asks: bool


def mend(items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
    """Leave out halves whose other half is not there."""
    lost = _lost(items)
    out: list[Item] = []
    for at, item in enumerate(items):
        gone = {half.part for half in lost if half.at == at}
        if not gone:
            out.append(item)
            continue
        parts: list[Part | None] = [None if nth in gone else part for nth, part in enumerate(item.message.parts)]
        if any(part is not None for part in parts):
            out.append(cutter.edited(item, parts))
        kinds = [part.kind for nth, part in enumerate(item.message.parts) if nth in gone and isinstance(part, Opaque)]
        out.append(cutter.marker(markers.unpaired(kinds), f"unpaired-{item.message.id}"))
    return out, len(lost)


def joined(items: Sequence[Item]) -> list[bool]:
    """Hold everything from a call to its output together."""
    held = [False] * len(items)
    for call, output in _pairs(items):
        held[call.at + 1 : output.at + 1] = [True] * (output.at - call.at)
    return held


def suspects(message: Message) -> bool:
    """Tell whether a message holds half of such a pair."""
    return any(True for _ in _halves_of(message, 0))


def _lost(items: Sequence[Item]) -> list[_Half]:
    halves = _halves(items)
    paired = {half for pair in _pairs(items) for half in pair}
    referred = any(isinstance(p, Opaque) and p.kind == "item_reference" for i in items for p in i.message.parts)
    return [half for half in halves if half not in paired and (half.kind in _DEMANDED if half.asks else not referred)]


def _pairs(items: Sequence[Item]) -> Iterator[tuple[_Half, _Half]]:
    """Give each call with its output: the nearest earlier open call of that id."""
    waiting: list[_Half] = []
    for half in _halves(items):
        if half.asks:
            waiting.append(half)
            continue
        call = next((one for one in reversed(waiting) if (one.kind, one.id) == (half.kind, half.id)), None)
        if call is not None:
            waiting.remove(call)
            yield call, half


def _halves(items: Sequence[Item]) -> list[_Half]:
    return [half for at, item in enumerate(items) for half in _halves_of(item.message, at)]


def _halves_of(message: Message, at: int) -> Iterator[_Half]:
    for nth, part in enumerate(message.parts):
        if not isinstance(part, Opaque) or not (part.kind in _ANSWERS or part.kind in _IDS) or not is_home(message):
            continue
        node = JsonNode.parse(part.data, f"an item of the type {part.kind}")
        kind, member = _ANSWERS.get(part.kind, (part.kind, _IDS.get(part.kind, "call_id")))
        id = node.string("call_id") or node.string(member)  # a local shell's output may name its call in either
        if id:
            yield _Half(at, nth, kind, id, part.kind in _IDS)

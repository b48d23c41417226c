"""Each call is answered exactly once, right behind the message that asked for it.

OpenAI: "An assistant message with 'tool_calls' must be followed by tool messages responding to each
'tool_call_id'". Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after".
Ids are not unique in real conversations (a quarter of recorded GPT-4o runs repeat them), so a result
belongs to the nearest earlier call of its id that is still open.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Message, Origin, Part, Role, Text, ToolResult
from unabridged.view import Cutter, Item


class _Batch(msgspec.Struct, eq=False):
    """The calls of one assistant turn and what answers them."""

    askers: list[Item]
    open: list[str]
    answers: list[Item] = []


class _Arrangement(msgspec.Struct):
    """Items in order, each result with its batch; batches stand where their askers stand."""

    order: list[_Batch | Item] = []
    batches: list[_Batch] = []
    mended: int = 0

    @property
    def asking(self) -> _Batch | None:
        """The batch that everything up to here ends with, as long as nothing of it was answered."""
        last = self.order[-1] if self.order else None
        return last if isinstance(last, _Batch) and not last.answers else None


class Calls:
    """The rule. `combines`: neighbouring assistant messages are one turn, answered together (Anthropic)."""

    NAME = "calls"

    def __init__(self, *, combines: bool) -> None:
        self._combines = combines

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Move results behind their calls, leave out those without one, close calls that nothing answered."""
        plan = _Arrangement()
        for item in items:
            asking = plan.asking if self._combines and item.message.role is Role.ASSISTANT else None
            if asking is not None:
                asking.askers.append(item)
                asking.open += (call.id for call in item.message.calls)
            elif item.message.calls:
                batch = _Batch([item], [call.id for call in item.message.calls])
                plan.batches.append(batch)
                plan.order.append(batch)
            elif item.message.results:
                _place(item, plan, cutter)
            else:
                plan.order.append(item)
        return _laid_out(plan, cutter)

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item of a mended view whether it must stay with the one before it: results do."""
        held = [bool(item.message.results) for item in items]
        if self._combines:
            for at in range(1, len(items)):
                asked = items[at - 1].message.role is Role.ASSISTANT and (items[at - 1].message.calls or held[at - 1])
                held[at] |= items[at].message.role is Role.ASSISTANT and bool(asked)
        return held


def _laid_out(plan: _Arrangement, cutter: Cutter) -> tuple[list[Item], int]:
    out: list[Item] = []
    for entry in plan.order:
        if isinstance(entry, Item):
            out.append(entry)
            continue
        out += entry.askers
        out += entry.answers
        out += (_closed(entry.askers[-1], id, cutter) for id in entry.open)
        plan.mended += len(entry.open)
    return out, plan.mended


def _place(item: Item, plan: _Arrangement, cutter: Cutter) -> None:
    """Give every result of a message to its batch; what is no result stays in place."""
    owners: list[_Batch | None] = []
    for result in item.message.results:
        owner = next((batch for batch in reversed(plan.batches) if result.call_id in batch.open), None)
        if owner is not None:
            owner.open.remove(result.call_id)
        owners.append(owner)
    first = owners[0]
    if first is not None and all(owner is first for owner in owners):
        if plan.order[-1] is first:
            first.answers.append(item)
            return
        plan.mended += 1
        _split(item, [first], owners, plan, cutter)
        return
    plan.mended += sum(owner is None for owner in owners) or 1
    _split(item, list(dict.fromkeys(owner for owner in owners if owner is not None)), owners, plan, cutter)
    lost = sum(_characters(result) for result, owner in zip(item.message.results, owners, strict=True) if owner is None)
    if None in owners:
        plan.order.append(cutter.marker(markers.orphaned(lost), f"orphan-{item.message.id}"))


def _split(
    item: Item, batches: Sequence[_Batch], owners: Sequence[_Batch | None], plan: _Arrangement, cutter: Cutter
) -> None:
    for batch in batches:
        mine = iter(owners)
        parts: list[Part | None] = [
            part if isinstance(part, ToolResult) and next(mine) is batch else None for part in item.message.parts
        ]
        whole = all(kept is not None for kept in parts)
        batch.answers.append(item if whole else cutter.edited(item, parts))
    rest: list[Part | None] = [None if isinstance(part, ToolResult) else part for part in item.message.parts]
    if any(part is not None for part in rest):
        plan.order.append(cutter.edited(item, rest))


def _closed(asker: Item, id: str, cutter: Cutter) -> Item:
    result = ToolResult(id, (Text(markers.interrupted()),), is_error=True)
    message = Message(id=f"closed-{asker.message.id}-{id}", role=Role.TOOL, parts=(result,), origin=Origin.MARKER)
    return cutter.made(message)


def _characters(result: ToolResult) -> int:
    return sum(len(part.text) for part in result.parts if isinstance(part, Text))

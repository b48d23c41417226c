"""Each call is answered exactly once, behind the message that asked for it, and right behind it where that is demanded.

OpenAI Chat: "An assistant message with 'tool_calls' must be followed by tool messages responding to each
'tool_call_id'". Responses: "No tool output found for function call", "No tool call found for function call output with
call_id", wherever they stand. Anthropic: "`tool_use` ids were found without `tool_result` blocks immediately after".
Gemini: "Please ensure that the number of function response parts is equal to the number of function call parts of the
function call turn", "function response turn comes immediately after a function call turn".

Ids are not unique in real conversations (a quarter of recorded GPT-4o runs repeat them), so a result belongs to the
nearest earlier call of its id that is still open. Gemini needs no ids: there a result that stands right behind calls,
and whose id none of them has, answers the first that is open. An `item_reference` may stand for a call whose id only
the provider knows: a result that no call asked for answers the nearest of these.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Message, Opaque, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.view import Cutter, Item
from unabridged.wire.json_text import JsonNode
from unabridged.wire.openai_responses.identity import is_home

_UNKNOWN = "\0"
"""Stands for the id of a call that is only referred to."""
_NO_CALLS = ("msg_", "rs_")
"""What the ids of items begin with that are no calls."""


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
    def last(self) -> _Batch | None:
        """The batch that everything up to here ends with."""
        last = self.order[-1] if self.order else None
        return last if isinstance(last, _Batch) else None

    @property
    def asking(self) -> _Batch | None:
        """The same, as long as nothing of it was answered."""
        return self.last if self.last is not None and not self.last.answers else None

    def owner(self, id: str) -> _Batch | None:
        """Find whom a result answers, and close that call."""
        for wanted in (id, _UNKNOWN):
            found = next((batch for batch in reversed(self.batches) if wanted in batch.open), None)
            if found is not None:
                found.open.remove(wanted)
                return found
        return None


class Calls:
    """The rule, for one dialect."""

    NAME = "calls"

    def __init__(self, dialect: str) -> None:
        self._combines = dialect in ("anthropic", "gemini")
        """Neighbouring assistant messages are one turn, answered together."""
        self._apart = dialect == "openai_responses"
        """Something else may stand between a call and its result, in the form of this dialect."""
        self._keeps_ids = dialect == "gemini"

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Move results behind their calls, leave out those without one, close calls that nothing answered."""
        plan = _Arrangement()
        for item in items:
            asking = plan.asking if self._combines and item.message.role is Role.ASSISTANT else None
            asked = _asked(item.message)
            if asking is not None:
                asking.askers.append(item)
                asking.open += asked
            elif asked:
                batch = _Batch([item], asked)
                plan.batches.append(batch)
                plan.order.append(batch)
            elif item.message.results:
                self._place(item, plan, cutter)
            else:
                plan.order.append(item)
        return _laid_out(plan, cutter)

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item of a mended view whether it must stay with the one before it: results do."""
        if self._apart:
            return _spanned(items)
        held = [bool(item.message.results) for item in items]
        if self._combines:
            for at in range(1, len(items)):
                asked = items[at - 1].message.role is Role.ASSISTANT and (items[at - 1].message.calls or held[at - 1])
                held[at] |= items[at].message.role is Role.ASSISTANT and bool(asked)
        return held

    def _place(self, item: Item, plan: _Arrangement, cutter: Cutter) -> None:
        """Give every result of a message to its batch; what is no result stays in place."""
        owners = [plan.owner(result.call_id) for result in item.message.results]
        if None in owners and _is_gemini(item.message) and plan.last is not None:
            item, owners = self._by_place(item, owners, plan.last, cutter)
        apart = self._apart and is_home(item.message)  # others are written like their calls, so they stand with them
        first = owners[0]
        if first is not None and all(owner is first for owner in owners):
            if plan.last is first:
                first.answers.append(item)
            elif apart:
                plan.order.append(item)
            else:
                plan.mended += 1
                _split(item, [first], owners, plan, cutter)
            return
        plan.mended += sum(owner is None for owner in owners) or (0 if apart else 1)
        if apart:
            _without_orphans(item, owners, plan, cutter)
        else:
            _split(item, list(dict.fromkeys(owner for owner in owners if owner is not None)), owners, plan, cutter)
        lost = sum(_characters(result) for result, owner in zip(item.message.results, owners, strict=True) if not owner)
        if None in owners:
            plan.order.append(cutter.marker(markers.orphaned(lost), f"orphan-{item.message.id}"))

    def _by_place(
        self, item: Item, owners: Sequence[_Batch | None], last: _Batch, cutter: Cutter
    ) -> tuple[Item, list[_Batch | None]]:
        """Let results whose ids none of the calls before them has answer those that are open, in order."""
        found, parts = list(owners), list[Part | None](item.message.parts)
        places = [at for at, part in enumerate(parts) if isinstance(part, ToolResult)]
        for nth, at in enumerate(places):
            part = parts[at]
            if found[nth] is None and last.open and isinstance(part, ToolResult):
                found[nth], id = last, last.open.pop(0)
                parts[at] = part if self._keeps_ids else msgspec.structs.replace(part, call_id=id)
        return (item if tuple(parts) == item.message.parts else cutter.edited(item, parts)), found


def _asked(message: Message) -> list[str]:
    """Give the ids of what a message asks for."""
    asked = list[str]()
    for part in message.parts:
        if isinstance(part, ToolCall):
            asked.append(part.id)
        elif isinstance(part, Opaque) and part.kind == "item_reference" and _refers_to_call(part):
            asked.append(_UNKNOWN)
    return asked


def _refers_to_call(reference: Opaque) -> bool:
    return not JsonNode.parse(reference.data, "a reference").string("id").startswith(_NO_CALLS)


def _is_gemini(message: Message) -> bool:
    return message.raw is not None and message.raw.dialect == "gemini"


def _spanned(items: Sequence[Item]) -> list[bool]:
    """Hold everything from a call to its result together."""
    held = [False] * len(items)
    waiting = list[tuple[int, str]]()
    for at, item in enumerate(items):
        for result in item.message.results:
            ids = (result.call_id, _UNKNOWN)
            found = next((one for id in ids for one in reversed(waiting) if one[1] == id), None)
            if found is not None:
                waiting.remove(found)
                held[found[0] + 1 : at + 1] = [True] * (at - found[0])
        waiting += [(at, id) for id in _asked(item.message)]
    return held


def _laid_out(plan: _Arrangement, cutter: Cutter) -> tuple[list[Item], int]:
    out: list[Item] = []
    for entry in plan.order:
        if isinstance(entry, Item):
            out.append(entry)
            continue
        out += entry.askers
        out += entry.answers
        unanswered = [id for id in entry.open if id != _UNKNOWN]
        out += (_closed(entry.askers[-1], id, cutter) for id in unanswered)
        plan.mended += len(unanswered)
    return out, plan.mended


def _without_orphans(item: Item, owners: Sequence[_Batch | None], plan: _Arrangement, cutter: Cutter) -> None:
    mine = iter(owners)
    parts = [part if not isinstance(part, ToolResult) or next(mine) else None for part in item.message.parts]
    if any(part is not None for part in parts):
        plan.order.append(item if None not in parts else cutter.edited(item, parts))


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

"""The view: what the model gets in this step. Made from transcript and checkpoint, never stored as truth.

`project` obeys a plan and decides nothing: kept messages stand as they are, cut ones are cut at exactly the
ranges that the plan names, and a marker stands where messages were dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from unabridged import markers
from unabridged.arguments import with_leaf
from unabridged.checkpoint import Checkpoint
from unabridged.cutting import render
from unabridged.message import Media, Message, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.plan import Cut, CutKind, Run, Verdict
from unabridged.tokens import TokenCounter
from unabridged.tokens.price import Price, price_message, price_part
from unabridged.transcript import Record, Transcript


class Item(msgspec.Struct, frozen=True, gc=False):
    """One message as it is shown."""

    message: Message
    price: Price
    source: str | None
    """Id of the message it was made from; None for a marker, which stands for no single message."""
    changed: bool = False


class Editor(Protocol):
    """What cutting needs of a wire: the same message with other parts."""

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Give the message with its parts replaced one for one; None takes a part out."""
        ...


class Cutter:
    """Makes items: cuts messages at given ranges and prices what is left."""

    def __init__(self, editor: Editor, counter: TokenCounter, media: Mapping[str, bytes]) -> None:
        self._editor = editor
        self._counter = counter
        self._media = media

    def whole(self, record: Record) -> Item:
        """Give a message uncut."""
        return Item(record.message, record.price, record.message.id)

    def cut(self, record: Record, cuts: Sequence[Cut]) -> Item:
        """Give a message with the cuts applied."""
        message = record.message
        parts: list[Part | None] = list(message.parts)
        for cut in cuts:
            parts[cut.part] = apply(message.parts[cut.part], parts[cut.part], cut)
        return self.edited(Item(message, record.price, message.id), parts)

    def edited(self, item: Item, parts: Sequence[Part | None]) -> Item:
        """Give an item with other parts, priced anew."""
        message = self._editor.edit(item.message, parts)
        return Item(message, price_message(message, self._counter, self._media), item.source, changed=True)

    def price(self, part: Part) -> Price:
        """Give what one part costs."""
        return price_part(part, self._counter, self._media)

    def marker(self, text: str, id: str) -> Item:
        """Give a marker as an item: user-role text that no person typed."""
        return self.made(Message(id=id, role=Role.USER, parts=(Text(text),), origin=Origin.MARKER))

    def made(self, message: Message) -> Item:
        """Give an item for a message that no transcript holds."""
        return Item(message, price_message(message, self._counter, self._media), None, changed=True)

    def remade(self, item: Item, *, role: Role, parts: tuple[Part, ...] | None = None) -> Item:
        """Give an item in our own form, in another role: the provider's form of it cannot be kept."""
        own = item.message.parts if parts is None else parts
        message = msgspec.structs.replace(item.message, role=role, parts=own, raw=None)
        return Item(message, price_message(message, self._counter, self._media), item.source, changed=True)


def apply(original: Part, present: Part | None, cut: Cut) -> Part | None:
    """Give a part with one more cut applied; `present` already carries earlier ones."""
    match cut.kind:
        case CutKind.REASONING:
            return None
        case CutKind.ARGUMENTS:
            assert isinstance(original, ToolCall) and isinstance(present, ToolCall)
            return msgspec.structs.replace(present, arguments=_cut_leaf(original.arguments, present.arguments, cut))
        case _:
            if cut.inner is None:
                return _cut_piece(original, cut)
            assert isinstance(original, ToolResult) and isinstance(present, ToolResult)
            inner = list(present.parts)
            piece = _cut_piece(original.parts[cut.inner], cut)
            assert isinstance(piece, Text)
            inner[cut.inner] = piece
            return msgspec.structs.replace(present, parts=tuple(inner))


def _cut_piece(piece: Part, cut: Cut) -> Text:
    if isinstance(piece, Media):
        return Text(markers.removed_media(piece))
    assert isinstance(piece, Text)
    return Text(render(piece.text, cut.keep, markers.shortened(cut.keep, cut.total)))


def _cut_leaf(original: str, present: str, cut: Cut) -> str:
    def shortened(text: str) -> str:
        return render(text, cut.keep, markers.shortened(cut.keep, cut.total))

    # A custom tool takes any text: it has no pointer, the text itself is the leaf.
    return shortened(original) if cut.pointer is None else with_leaf(present, cut.pointer, shortened)


class Shown(msgspec.Struct, frozen=True):
    """What a checkpoint and those it inherits from say, flattened: dropped spans, cuts by message, and how far."""

    reaches: int
    """Position of the last message decided on; -1 without a checkpoint."""
    hidden: tuple[tuple[int, int], ...]
    """Positions [start, end) that are not shown, in order, neighbours merged."""
    gone: tuple[Run, ...]
    """The runs that say so, each with its reason, in order."""
    cuts: dict[str, list[Cut]]


def flatten(transcript: Transcript, chain: Sequence[Checkpoint]) -> Shown:
    """Read a chain of checkpoints (newest first) into what is hidden and what is cut."""
    cuts: dict[str, list[Cut]] = {}
    hidden: list[tuple[int, int]] = []
    gone: list[Run] = []
    for checkpoint in reversed(chain):
        for cut in checkpoint.plan.cuts:
            cuts.setdefault(cut.message, []).append(cut)
        for run in checkpoint.plan.runs:
            if run.verdict in (Verdict.DROP, Verdict.COMPACT):
                gone.append(run)
                start, end = transcript.position[run.first], transcript.position[run.last] + 1
                if hidden and hidden[-1][1] == start:
                    hidden[-1] = (hidden[-1][0], end)
                else:
                    hidden.append((start, end))
    reaches = transcript.position[chain[0].reaches] if chain else -1
    return Shown(reaches, tuple(hidden), tuple(gone), cuts)


def project(records: Sequence[Record], shown: Shown, cutter: Cutter) -> list[Item]:
    """Give the items of a view, in the order of the transcript."""
    items: list[Item] = []
    at = 0
    for start, end in shown.hidden:
        items += _show(records[at:start], shown.cuts, cutter)
        items.append(cutter.marker(markers.dropped(end - start), f"dropped-{records[start].message.id}"))
        at = end
    items += _show(records[at:], shown.cuts, cutter)
    return items


def _show(records: Iterable[Record], cuts: dict[str, list[Cut]], cutter: Cutter) -> list[Item]:
    return [
        cutter.cut(record, cuts[record.message.id]) if record.message.id in cuts else cutter.whole(record)
        for record in records
    ]

"""The view: what the model gets in this step. Made from transcript and checkpoint, never stored as truth.

`project` obeys a plan and decides nothing: kept messages stand as they are, cut ones are cut at exactly the
ranges that the plan names, and a marker stands where messages were dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from unabridged import markers
from unabridged.arguments import with_leaf
from unabridged.checkpoint import Checkpoint
from unabridged.cutting import render
from unabridged.frame import Frame
from unabridged.message import Media, Message, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.plan import Cut, CutKind, Run, Verdict
from unabridged.template_tokens import guarded
from unabridged.tokens import TokenCounter
from unabridged.tokens.price import Price, price_message, price_part
from unabridged.transcript import Record, Transcript

DROPPED = "dropped-"
"""What the id of a marker begins with that stands for dropped messages."""
MOST_PRICES = 1_000
"""Parts whose price is remembered; they are those of one view, for as long as it is decided on."""
SUMMARY = "summary-"
"""What the id of a summary begins with; the id of its checkpoint follows."""


class Item(msgspec.Struct, frozen=True, gc=False):
    """One message as it is shown."""

    message: Message
    price: Price
    source: str | None
    """Id of the message it was made from; None for a marker, which stands for no single message."""
    changed: bool = False
    guarded: bool = False
    """Template tokens in it were broken."""


class Editor(Protocol):
    """What cutting needs of a wire: the same message with other parts, and by whose rules media count."""

    @property
    def name(self) -> str:
        """The dialect."""
        ...

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Give the message with its parts replaced one for one; None takes a part out."""
        ...


class Cutter:
    """Makes items: cuts messages at given ranges and prices what is left.

    With `guards` template tokens in what a message quotes are broken (`template_tokens`). With `searchable` markers
    name the tools that find what they stand for.
    """

    def __init__(
        self,
        editor: Editor,
        counter: TokenCounter,
        media: Mapping[str, bytes],
        *,
        guards: bool = False,
        searchable: bool = False,
    ) -> None:
        self._editor = editor
        self.guards = guards
        self.searchable = searchable
        self._counter = counter
        self._media = media
        self._prices: dict[Part, Price] = {}

    @classmethod
    def of(cls, frame: Frame | None, editor: Editor, counter: TokenCounter, media: Mapping[str, bytes]) -> Cutter:
        """Make one that cuts messages for the requests of a frame."""
        if frame is None:
            return cls(editor, counter, media)
        return cls(editor, counter, media, guards=frame.guards, searchable=frame.searchable)

    def suits(self, frame: Frame) -> bool:
        """Tell whether this is how messages are cut for the requests of a frame."""
        return frame.guards is self.guards and frame.searchable is self.searchable

    def whole(self, record: Record) -> Item:
        """Give a message uncut."""
        if self.guards and (parts := guarded(record.message)) != record.message.parts:
            return self._changed(self._editor.edit(record.message, parts), record.message.id, guarded=True)
        return Item(record.message, record.cost.under(self._editor.name), record.message.id)

    def cut(self, record: Record, cuts: Sequence[Cut]) -> Item:
        """Give a message with the cuts applied."""
        message = record.message
        parts: list[Part | None] = list(message.parts)
        handle = str(record.seq) if self.searchable else None
        for cut in cuts:
            parts[cut.part] = apply(message.parts[cut.part], parts[cut.part], cut, handle)
        cut_down = self._editor.edit(message, parts)
        safe = guarded(cut_down) if self.guards else cut_down.parts
        if safe != cut_down.parts:
            return self._changed(self._editor.edit(cut_down, safe), message.id, guarded=True)
        return self._changed(cut_down, message.id)

    def edited(self, item: Item, parts: Sequence[Part | None]) -> Item:
        """Give an item with other parts, priced anew."""
        return self._changed(self._editor.edit(item.message, parts), item.source)

    def price(self, part: Part) -> Price:
        """Give what one part costs. While a plan is made the same parts are weighed again and again."""
        known = self._prices.get(part)
        if known is None:
            if len(self._prices) >= MOST_PRICES:
                self._prices.clear()
            known = self._prices[part] = price_part(part, self._counter, self._media, self._editor.name)
        return known

    def marker(self, text: str, id: str) -> Item:
        """Give a marker as an item: user-role text that no person typed."""
        return self.made(Message(id=id, role=Role.USER, parts=(Text(text),), origin=Origin.MARKER))

    def made(self, message: Message) -> Item:
        """Give an item for a message that no transcript holds."""
        safe = guarded(message) if self.guards else message.parts
        if safe != message.parts:
            return self._changed(msgspec.structs.replace(message, parts=safe), None, guarded=True)
        return self._changed(message, None)

    def remade(self, item: Item, *, role: Role, parts: tuple[Part, ...] | None = None) -> Item:
        """Give an item in our own form, in another role: the provider's form of it cannot be kept."""
        own = item.message.parts if parts is None else parts
        message = msgspec.structs.replace(item.message, role=role, parts=own, raw=None)
        return self._changed(message, item.source)

    def _changed(self, message: Message, source: str | None, *, guarded: bool = False) -> Item:
        price = price_message(message, self._counter, self._media).under(self._editor.name)
        return Item(message, price, source, changed=True, guarded=guarded)


def apply(original: Part, present: Part | None, cut: Cut, handle: str | None = None) -> Part | None:
    """Give a part with one more cut applied; `present` already carries earlier ones, and `handle` names the message."""
    match cut.kind:
        case CutKind.REASONING:
            return None
        case CutKind.ARGUMENTS:
            assert isinstance(original, ToolCall) and isinstance(present, ToolCall)
            arguments = _cut_leaf(original.arguments, present.arguments, cut, handle)
            return msgspec.structs.replace(present, arguments=arguments)
        case _:
            if cut.inner is None:
                return _cut_piece(original, cut, handle)
            assert isinstance(original, ToolResult) and isinstance(present, ToolResult)
            inner = list(present.parts)
            piece = _cut_piece(original.parts[cut.inner], cut, handle)
            assert isinstance(piece, Text)
            inner[cut.inner] = piece
            return msgspec.structs.replace(present, parts=tuple(inner))


def _cut_piece(piece: Part, cut: Cut, handle: str | None) -> Text:
    if isinstance(piece, Media):
        return Text(markers.removed_media(piece))
    assert isinstance(piece, Text)
    return Text(render(piece.text, cut.keep, markers.shortened(cut.keep, cut.total, handle=handle)))


def _cut_leaf(original: str, present: str, cut: Cut, handle: str | None) -> str:
    def shortened(text: str) -> str:
        return render(text, cut.keep, markers.shortened(cut.keep, cut.total, handle=handle))

    # A custom tool takes any text: it has no pointer, the text itself is the leaf.
    return shortened(original) if cut.pointer is None else with_leaf(present, cut.pointer, shortened)


class Hidden(NamedTuple):
    """Neighbours that are not shown: positions [start, end), and how many of them no summary stands for."""

    start: int
    end: int
    dropped: int


class Summarized(msgspec.Struct, frozen=True):
    """The summary in force."""

    text: str
    checkpoint: str
    role: str
    task: str | None
    """The task when it was made; None where nobody had said anything yet, and it stands first."""
    before_task: bool
    """The task was the last message then: a summary is never the last."""


class Shown(msgspec.Struct, frozen=True):
    """What a checkpoint and those it inherits from say, flattened: hidden spans, cuts by message, and how far."""

    reaches: int
    """Position of the last message decided on; -1 without a checkpoint."""
    hidden: tuple[Hidden, ...]
    """What is not shown, in order, neighbours merged."""
    gone: tuple[Run, ...]
    """The runs that say so, each with its reason, in order."""
    cuts: dict[str, list[Cut]]
    summary: Summarized | None = None


def summary_message(text: str, checkpoint: str, role: str, *, searchable: bool = False) -> Message:
    """Give a summary as the message that a model sees."""
    said = markers.archived(text, searchable=searchable)
    rank, origin = (Role.SYSTEM, Origin.INJECTED) if role == "system" else (Role.SUMMARY, Origin.MARKER)
    return Message(id=f"{SUMMARY}{checkpoint}", role=rank, parts=(Text(said),), origin=origin)


def flatten(transcript: Transcript, chain: Sequence[Checkpoint]) -> Shown:
    """Read a chain of checkpoints (newest first) into what is hidden and what is cut."""
    cuts: dict[str, list[Cut]] = {}
    hidden: list[Hidden] = []
    gone: list[Run] = []
    for checkpoint in reversed(chain):
        for cut in checkpoint.plan.cuts:
            cuts.setdefault(cut.message, []).append(cut)
        for run in checkpoint.plan.runs:
            if run.verdict in (Verdict.DROP, Verdict.COMPACT):
                gone.append(run)
                start, end = transcript.position[run.first], transcript.position[run.last] + 1
                dropped = end - start if run.verdict is Verdict.DROP else 0
                if hidden and hidden[-1].end == start:
                    hidden[-1] = Hidden(hidden[-1].start, end, hidden[-1].dropped + dropped)
                else:
                    hidden.append(Hidden(start, end, dropped))
    reaches = transcript.position[chain[0].reaches] if chain else -1
    return Shown(reaches, tuple(hidden), tuple(gone), cuts, _summary_of(transcript, chain))


def _summary_of(transcript: Transcript, chain: Sequence[Checkpoint]) -> Summarized | None:
    for checkpoint in chain:
        if not checkpoint.step:  # a step inherits it
            if checkpoint.summary is None:
                return None
            reaches = transcript.position[checkpoint.reaches]
            known = [at for at in transcript.humans[:1] if at <= reaches]  # what is said later moves no summary
            return Summarized(
                text=checkpoint.summary,
                checkpoint=checkpoint.id,
                role=checkpoint.summary_role,
                task=transcript.records[known[0]].message.id if known else None,
                before_task=known == [reaches],
            )
    return None


def project(records: Sequence[Record], shown: Shown, cutter: Cutter) -> list[Item]:
    """Give the items of a view, in the order of the transcript; a summary stands right behind the task."""
    items: list[Item] = []
    at = 0
    for start, end, dropped in shown.hidden:
        items += _show(records[at:start], shown.cuts, cutter)
        if dropped:
            said = markers.dropped(dropped, searchable=cutter.searchable)
            items.append(cutter.marker(said, f"{DROPPED}{records[start].message.id}"))
        at = end
    items += _show(records[at:], shown.cuts, cutter)
    if shown.summary is not None:
        summary = shown.summary
        made = summary_message(summary.text, summary.checkpoint, summary.role, searchable=cutter.searchable)
        items.insert(_behind_task(items, shown.summary), cutter.made(made))
    return items


def _behind_task(items: Sequence[Item], summary: Summarized) -> int:
    for place, item in enumerate(items):
        if item.source == summary.task and summary.task is not None:
            return place if summary.before_task else place + 1
    return 0


def _show(records: Iterable[Record], cuts: dict[str, list[Cut]], cutter: Cutter) -> list[Item]:
    return [
        cutter.cut(record, cuts[record.message.id]) if record.message.id in cuts else cutter.whole(record)
        for record in records
    ]

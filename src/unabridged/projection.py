"""The view as it grows: between two checkpoints only what is new is looked at.

Everything here could be made afresh from transcript and checkpoint (and is, in a new process): `fresh` says how.
What is kept between steps only saves doing it again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged import repair
from unabridged.checkpoint import Checkpoint
from unabridged.growing import Beginning
from unabridged.message import Role
from unabridged.template_tokens import NAME
from unabridged.tokens.price import Price
from unabridged.transcript import Record, Transcript
from unabridged.view import Cutter, Item, Shown, flatten, project
from unabridged.wire import Wire


class Projection:
    """The valid view of one transcript under one chain of checkpoints, in one dialect."""

    def __init__(self, transcript: Transcript, chain: Sequence[Checkpoint], wire: Wire, cutter: Cutter) -> None:
        self._transcript = transcript
        self._wire = wire
        self._cutter = cutter
        self.chain = chain
        self.key = tuple(checkpoint.id for checkpoint in chain)
        self.shown: Shown = flatten(transcript, chain)
        self.items: list[Item] = []
        self.repairs: tuple[tuple[str, int], ...] = ()
        self.tokens = 0
        self.dense = 0
        self._upto = 0
        self._last: Record | None = None
        self._watch = repair.Watch(wire.name)
        self._bodies: list[str] = []
        self._written = 0
        self._newest: tuple[tuple[int, int], list[str]] | None = None
        self._mended = False
        self.fresh()

    def fresh(self) -> None:
        """Make the view from the transcript, all of it that is shown."""
        records = self._transcript.records
        self.items = project(records, self.shown, self._cutter)
        self._watch = repair.Watch(self._wire.name)
        for item in self.items:
            self._watch.see(item)
        self._upto = len(records)
        self._last = records[-1] if records else None
        self._settle()

    def _follows(self, records: Sequence[Record]) -> bool:
        """Tell whether the view was made from what the transcript begins with; not so after a refusal."""
        return self._upto == 0 or (len(records) >= self._upto and records[self._upto - 1] is self._last)

    def follow(self) -> None:
        """Take in what was appended since: at the end of the view, as long as nothing there needs mending."""
        records = self._transcript.records
        if not self._follows(records):
            self.fresh()
            return
        if len(records) == self._upto:
            return
        if self._watch.suspicious or self._mended:
            self.fresh()
            return
        cuts = self.shown.cuts
        for record in records[self._upto :]:
            cut = cuts.get(record.message.id)
            item = self._cutter.whole(record) if cut is None else self._cutter.cut(record, cut)
            self._watch.see(item)
            self.items.append(item)
            if item.guarded:
                self.repairs = _with_guarded(self.repairs, 1)
            self.tokens += item.price.tokens
            self.dense += item.price.dense
        self._upto = len(records)
        self._last = records[-1]
        if self._needs_mending():
            self.fresh()

    @property
    def price(self) -> Price:
        """What the view costs, without the frame."""
        return Price(self.tokens, self.dense)

    def bodies(self, media: Mapping[str, bytes]) -> Sequence[str]:
        """Give the messages of the view as JSON texts of the wire. What was written once is not written again."""
        settled = self._settled()
        if self._written < settled:
            self._bodies += self._texts(self._written, settled, media)
            self._written = settled
        return Beginning(self._bodies, len(self._bodies), self._texts(settled, len(self.items), media))

    def _texts(self, start: int, end: int, media: Mapping[str, bytes]) -> list[str]:
        """Write a run of the view. Most are asked for twice: as the newest, and once something follows."""
        if self._newest is None or self._newest[0] != (start, end):
            run = [item.message for item in self.items[start:end]]
            self._newest = (start, end), self._wire.write_messages(run, media)
        return self._newest[1]

    def _settled(self) -> int:
        """Give how many items nothing that comes can be merged into: all before the newest answer and its results."""
        at = len(self.items)
        while at > self._written and self.items[at - 1].message.results:
            at -= 1
        while at > self._written and self.items[at - 1].message.role is Role.ASSISTANT:
            at -= 1
        return at

    def _needs_mending(self) -> bool:
        ends_with_answer = bool(self.items) and self.items[-1].message.role is Role.ASSISTANT
        return self._watch.suspicious or self._watch.is_open or ends_with_answer

    def _settle(self) -> None:
        self.repairs = ()
        self._mended = False
        guarded = sum(item.guarded for item in self.items)
        if self._needs_mending() or not self.items:
            self.items, self.repairs = repair.mend(self.items, self._wire.name, self._cutter)
            self._mended = bool(self.repairs)
        if guarded:
            self.repairs = _with_guarded(self.repairs, guarded)
        self.tokens = sum(item.price.tokens for item in self.items)
        self.dense = sum(item.price.dense for item in self.items)
        self._bodies, self._written, self._newest = [], 0, None


def _with_guarded(repairs: tuple[tuple[str, int], ...], more: int) -> tuple[tuple[str, int], ...]:
    known = dict(repairs)
    return tuple({**known, NAME: known.get(NAME, 0) + more}.items())

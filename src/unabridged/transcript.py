"""The transcript: the messages of one branch, in order, each with its price. The truth; a view is made from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from itertools import pairwise

import msgspec

from unabridged.checkpoint import Checkpoint
from unabridged.entry import (
    CheckpointEntry,
    Entry,
    FrameEntry,
    HiddenEntry,
    MessageEntry,
    RefusedEntry,
    ReportEntry,
    UndoEntry,
    UsageEntry,
)
from unabridged.errors import BadInput, NotFound
from unabridged.learned import Learned
from unabridged.log import MAIN, Log
from unabridged.message import Message
from unabridged.report import Report
from unabridged.tokens import TokenCounter, counter_named, default_counter
from unabridged.tokens.price import Cost, Price, measured_message, price_message


class Record(msgspec.Struct, frozen=True, gc=False):
    """A message of the transcript, with what it costs and where the chain stands after it."""

    message: Message
    cost: Cost
    known_digest: str
    """As the log gave it; empty where it makes it when it is asked for: see `Transcript.digest_of`."""
    seq: int


Decided = CheckpointEntry | UndoEntry | RefusedEntry | ReportEntry | FrameEntry
"""What may be appended about messages."""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What was on a branch before this process opened it, as a store gives it: nothing is read before it is needed."""

    records: MutableSequence[Record]
    position: MutableMapping[str, int]
    total: Cost
    humans: list[int]
    """The first position and the last, where there are any."""
    checkpoints: list[Checkpoint]
    """From the newest full one that counts on."""
    reports: list[Report]
    """The newest: as many as can have a say in whether a summarizer is left alone."""
    learned: Learned
    frame: str
    """Digest of the newest frame that was noted."""
    newer: Sequence[Entry] = ()
    """Entries that are made and not written, to be followed as if they had just come."""


class Transcript:
    """One branch of a log. Appending goes through it, so that every message is priced once.

    Everything it holds beside the log is derived: a new one over the same log is equal to it.
    """

    def __init__(
        self, log: Log | None = None, *, branch: str | None = None, counter: TokenCounter | None = None
    ) -> None:
        chosen = counter or (counter_named(log.counter) if log is not None and log.counter else default_counter())
        self.counter: TokenCounter = chosen
        self.log = log if log is not None else Log(counter=chosen.name)
        self.branch = branch or (self.log.newest_branch if log is not None else MAIN)
        self.records: MutableSequence[Record] = []
        self.position: MutableMapping[str, int] = {}
        """Where each message stands, by id; for an id that came twice, the last place."""
        self.total = Cost(Price(0))
        """Of all messages, nothing taken out."""
        self.humans: list[int] = []
        """Positions of what people wrote: the first is the task, the last the newest."""
        self.checkpoints: list[Checkpoint] = []
        """Those not undone, oldest first."""
        self.reports: list[Report] = []
        """What fits of this branch came to, oldest first."""
        self._force: tuple[tuple[Checkpoint, ...], tuple[str, ...]] | None = None
        self.learned = Learned()
        """What the models taught: how they count, and what they refuse."""
        self.frame = ""
        """Digest of the frame that the newest request went out with."""
        if not self._resumed():
            for entry in self.log.entries_of(self.log.ancestry(self.branch)):
                self._follow(entry)

    def append(self, *messages: Message, media: Mapping[str, bytes] | None = None) -> None:
        """Append messages, all or none. Media bytes are kept beside the log, once per digest."""
        if media:
            for digest, data in media.items():
                self.log.media.setdefault(digest, data)
        blobs, counter = self.log.media, self.counter
        new = set[str]()
        fresh, costs = list[MessageEntry](), list[Cost]()
        for message in messages:
            if message.id in self.position or message.id in new:
                raise BadInput(f"message id {message.id!r} is already in this transcript: give each message its own")
            new.add(message.id)
            measured = measured_message(message, blobs) if blobs else message
            fresh.append(MessageEntry(measured))
            costs.append(price_message(measured, counter, blobs))
        known = costs if counter.name == self.log.counter else ()  # a store keeps no other counter's
        for entry, cost in zip(self.log.add(*fresh, branch=self.branch, costs=known), costs, strict=True):
            self._take(entry, cost)

    def record(self, *payloads: Decided) -> None:
        """Append what was decided or reported. Messages themselves are never touched by it.

        Raises `NotFound` when a refusal names something else than the newest messages.
        """
        for payload in payloads:
            if isinstance(payload, RefusedEntry):
                newest = [record.message.id for record in self.records[-len(payload.messages) :]]
                if sorted(newest) != sorted(payload.messages):
                    raise NotFound("pending message", ", ".join(set(payload.messages) - set(newest)))
        if payloads:
            self._write(*payloads)

    def report_usage(self, entry: UsageEntry) -> None:
        """Append what a provider reported, and learn from it."""
        self._write(entry)

    @property
    def hidden(self) -> Mapping[int, str]:
        """The messages that no search finds, by position in the log, with their ids."""
        return self.log.hidden(self.branch)

    def hide(self, *messages: str, shown: bool = False) -> tuple[str, ...]:
        """Have no search find these messages, all or none; `shown` has them found again. Give those that are news.

        It holds for this branch, and for those that are made of it from now on. The log keeps all of them, and the
        view is what it was. Raises `NotFound` for an id that is not on this branch.
        """
        for id in messages:
            if id not in self.position:
                raise NotFound("message", id)
        hidden = set(self.hidden.values())
        changed = tuple(id for id in dict.fromkeys(messages) if (id in hidden) == shown)
        if changed:
            self._write(*(HiddenEntry(id, shown) for id in changed))
        return changed

    def branch_from(self, message: str | None, *, why: str, inclusive: bool = True) -> Transcript:
        """Open a branch that ends at a message (or before it, or before everything) and give its transcript.

        Rewind: up to an answer. Regenerate: up to the question. Edit: before the message, then append the new
        one. Fork: anywhere. The branch left behind stays as it is.
        """
        upto = -1
        if message is not None:
            place = self.position.get(message)
            if place is None:
                raise NotFound("message", message)
            record = self.records[place] if inclusive else self.records[place - 1] if place else None
            upto = record.seq if record is not None else -1
        name = self.log.fork(self.branch, upto=upto, why=why)
        return Transcript(self.log, branch=name, counter=self.counter)

    def digest_of(self, record: Record) -> str:
        """Give where the chain of digests stands after a message of this transcript."""
        return record.known_digest or self.log.transcript_digest_at(record.seq)

    def in_force(self) -> tuple[tuple[Checkpoint, ...], tuple[str, ...]]:
        """Give the checkpoint that holds, with the ones it inherits from, newest first; and why others were ignored."""
        if self._force is None:
            self._force = self._find_force()
        return self._force

    def _find_force(self) -> tuple[tuple[Checkpoint, ...], tuple[str, ...]]:
        ignored: list[str] = []
        by_id = {checkpoint.id: checkpoint for checkpoint in self.checkpoints}
        for checkpoint in reversed(self.checkpoints):
            chain = self._chain(checkpoint, by_id)
            problem = self._problem(chain)
            if problem is None:
                return chain, tuple(ignored)
            ignored.append(f"{checkpoint.id}: {problem}")
        return (), tuple(ignored)

    def _chain(self, checkpoint: Checkpoint, by_id: dict[str, Checkpoint]) -> tuple[Checkpoint, ...]:
        chain = [checkpoint]
        while chain[-1].step and chain[-1].parent is not None and chain[-1].parent in by_id:
            if len(chain) > len(by_id):
                break  # a log from elsewhere may hold one that inherits from itself
            chain.append(by_id[chain[-1].parent])
        return tuple(chain)

    def _problem(self, chain: Sequence[Checkpoint]) -> str | None:
        for checkpoint in chain:
            place = self.position.get(checkpoint.reaches)
            if place is None:
                return "reaches to a message that is not on this branch"
            if self.digest_of(self.records[place]) != checkpoint.digest:
                return "was made from other content"
        if chain[-1].step and chain[-1].parent is not None:
            return "inherits from a checkpoint that is not on this branch"
        return None if all(a.parent == b.id for a, b in pairwise(chain)) else "its chain is broken"

    def _write(self, *payloads: Decided | UsageEntry | HiddenEntry) -> None:
        for entry in self.log.add(*payloads, branch=self.branch):
            self._follow(entry)

    def _follow(self, entry: Entry) -> None:
        match entry.payload:
            case MessageEntry():
                self._take(entry)
            case CheckpointEntry(checkpoint=checkpoint):
                self.checkpoints.append(checkpoint)
                self._force = None
            case UndoEntry():
                self._undo(entry.payload.checkpoint)
            case RefusedEntry(messages=refused):
                self._refuse(refused)
            case ReportEntry(report=report):
                self.reports.append(report)
                self.learned = self.learned.after(entry.payload)
            case FrameEntry(digest=digest):
                self.frame = digest
            case UsageEntry():
                self.learned = self.learned.after(entry.payload)
            case _:
                pass

    def _take(self, entry: Entry, cost: Cost | None = None) -> None:
        assert isinstance(entry.payload, MessageEntry)
        message = entry.payload.message
        cost = cost or price_message(message, self.counter, self.log.media)
        place = len(self.records)
        self.position[message.id] = place
        if message.is_human:
            self.humans.append(place)
        self.records.append(Record(message, cost, entry.transcript_digest, entry.seq))
        self.total += cost

    def _resumed(self) -> bool:
        """Take over what a store knows of this branch; False where every entry has to be gone through."""
        past = self.log.past(self.branch, self.counter.name)
        if past is None:
            return False
        self.records, self.position = past.records, past.position
        self.total, self.humans = past.total, past.humans
        self.checkpoints, self.reports = past.checkpoints, past.reports
        self.learned, self.frame = past.learned, past.frame
        for entry in past.newer:
            self._follow(entry)
        return True

    def _undo(self, id: str) -> None:
        if any(checkpoint.id == id for checkpoint in self.checkpoints):
            self._force = None
            self.checkpoints.clear()  # planned again from the originals: what came before it must not come back

    def _refuse(self, refused: Iterable[str]) -> None:
        self._force = None
        if self._resumed():
            return
        gone = set(refused)
        while self.records and self.records[-1].message.id in gone:
            record = self.records.pop()
            del self.position[record.message.id]
            if self.humans and self.humans[-1] == len(self.records):
                self.humans.pop()
            self.total += -record.cost

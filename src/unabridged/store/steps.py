"""Any step of the past, made again: the view that the model had, byte for byte, and why it looked like that.

A step is one request: all that stood before an answer. It is made from the log as it was then, and nothing else.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping

import msgspec

from unabridged.entry import CheckpointEntry, Entry, FrameEntry, MessageEntry, ReportEntry, UndoEntry
from unabridged.errors import NotFound
from unabridged.frame import Frame
from unabridged.log import Log
from unabridged.plan import Cut, Reason, Verdict
from unabridged.projection import Projection
from unabridged.report import Report, Usage
from unabridged.store.as_of import as_of, bare_entries
from unabridged.store.spans import Span, spans
from unabridged.tokens.price import price_texts
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item
from unabridged.wire import wire

UNDO = "undo"


class Outline(msgspec.Struct, frozen=True, kw_only=True):
    """One step as a list shows it."""

    number: int
    """From 1, along the branch."""
    time: str
    """When the last thing of its request was appended."""
    messages: int
    """Of the transcript, when the request was made."""
    answered: bool
    reports: tuple[Report, ...]
    """What the fits of this step came to; none where nothing had to be done."""
    usage: Usage | None
    model: str
    """As its report of usage names it."""


class PastStep(msgspec.Struct, frozen=True, kw_only=True):
    """One request of the past."""

    number: int
    """From 1, along the branch."""
    before: int
    """Seq of the answer that it got, or of what comes next."""
    transcript: Transcript
    """As it was then."""
    items: tuple[Item, ...]
    """What the model saw, message by message."""
    texts: tuple[str, ...]
    """The same as JSON texts of the wire, as they were sent."""
    dialect: str
    frame: Frame | None
    """System text, tools and parameters; None where the log does not hold them."""
    reports: tuple[Report, ...]
    """What the fits of this step came to; none where nothing had to be done."""
    usage: Usage | None
    price: int
    """Tokens of the request by the session's counter, before anything that it learned from usage."""


class Fate(msgspec.Struct, frozen=True):
    """What one fit decided on one message."""

    seq: int
    """Of the entry that says so."""
    step: int
    """The step whose request was the first to go by it."""
    strategy: str
    """What decided; `undo` where all that was decided was taken back."""
    verdict: Verdict
    reason: Reason
    cuts: tuple[Cut, ...] = ()


class Steps:
    """The steps of one branch. Its entries are gone through once, when this is made."""

    def __init__(self, log: Log, branch: str | None = None) -> None:
        self.log = log
        self.branch = branch or log.newest_branch
        self._entries = list(bare_entries(log, self.branch))
        self._spans = spans(self._entries)

    def __len__(self) -> int:
        return len(self._spans)

    def outline(self, start: int = 1, stop: int | None = None) -> list[Outline]:
        """Give the steps from `start` up to and without `stop`, in one line each."""
        numbers = range(max(1, start), min(len(self) + 1, stop if stop is not None else len(self) + 1))
        return [self._outlined(number, self._spans[number - 1]) for number in numbers]

    def step(self, number: int) -> PastStep:
        """Make a step again. -1 is the newest. Raises `NotFound` for one that the branch does not have."""
        place = number - 1 if number > 0 else len(self) + number
        if number == 0 or not 0 <= place < len(self):
            raise NotFound("step", f"{number} (it has {len(self):,})")
        span = self._spans[place]
        transcript = as_of(self.log, self.branch, span.upto)
        frame, dialect = self._frame(span, transcript)
        spoken = wire(dialect)
        cutter = Cutter.of(frame, spoken, transcript.counter, self.log.media)
        view = Projection(transcript, transcript.in_force()[0], spoken, cutter)
        texts = spoken.frame_texts(frame) if frame is not None else ()
        return PastStep(
            number=place + 1,
            before=span.end,
            transcript=transcript,
            items=tuple(view.items),
            texts=tuple(view.bodies(self.log.media)),
            dialect=dialect,
            frame=frame,
            reports=self._reports(span),
            usage=span.usage.usage if span.usage is not None else None,
            price=view.tokens + price_texts(texts, transcript.counter).tokens,
        )

    def fates(self, message: str) -> tuple[Fate, ...]:
        """Give all that was ever decided on a message, oldest first. Raises `NotFound`."""
        said = [each.payload.message.id for each in self._entries if isinstance(each.payload, MessageEntry)]
        position = {id: at for at, id in enumerate(said)}
        if message not in position:
            raise NotFound("message", message)
        found: list[Fate] = []
        for entry in self._entries:
            fate = _fate(entry, message, position, self._step_at(entry.seq))
            undoes = fate is not None and fate.strategy == UNDO
            if fate is not None and not (undoes and (not found or found[-1].verdict is Verdict.KEEP)):
                found.append(fate)
        return tuple(found)

    def _outlined(self, number: int, span: Span) -> Outline:
        known = [entry for entry in self._of(span) if isinstance(entry.payload, MessageEntry)]
        return Outline(
            number=number,
            time=known[-1].time if known else "",
            messages=span.messages,
            answered=span.answered,
            reports=self._reports(span),
            usage=span.usage.usage if span.usage is not None else None,
            model=span.usage.model if span.usage is not None else "",
        )

    def _of(self, span: Span) -> Iterator[Entry]:
        """Give the entries that came between the answer before and the request."""
        return iter(self._entries[self._at(span.began + 1) : self._at(span.upto)])

    def _at(self, seq: int) -> int:
        return bisect_left(self._entries, seq, key=lambda entry: entry.seq)

    def _reports(self, span: Span) -> tuple[Report, ...]:
        return tuple(entry.payload.report for entry in self._of(span) if isinstance(entry.payload, ReportEntry))

    def _frame(self, span: Span, transcript: Transcript) -> tuple[Frame | None, str]:
        """Give the frame that was in force, as far as the log holds it, and the dialect of the request."""
        known = self._entries[: self._at(span.upto)]
        frames = [entry.payload.frame for entry in known if isinstance(entry.payload, FrameEntry)]
        newest = next((frame for frame in reversed(frames) if frame is not None), None)
        return (frames[-1] if frames else None), (newest.dialect if newest is not None else _dialect_of(transcript))

    def _step_at(self, seq: int) -> int:
        """Give the number of the step whose request was the first to be made with this entry."""
        return bisect_right(self._spans, seq, key=lambda span: span.end) + 1


def past_step(log: Log, number: int, *, branch: str | None = None) -> PastStep:
    """Make a step again. -1 is the newest. Raises `NotFound` for one that the branch does not have."""
    return Steps(log, branch).step(number)


def fates(log: Log, message: str, *, branch: str | None = None) -> tuple[Fate, ...]:
    """Give all that was ever decided on a message, oldest first. Raises `NotFound`."""
    return Steps(log, branch).fates(message)


def place_of(transcript: Transcript, asked: str) -> int | None:
    """Give where a message stands that a person names, by its id or its number from 1; None where there is none."""
    known = transcript.position.get(asked)
    if known is None and asked.isdecimal() and 1 <= int(asked) <= len(transcript.records):
        return int(asked) - 1
    return known


def _dialect_of(transcript: Transcript) -> str:
    newest = reversed(range(len(transcript.records)))
    spoken = (transcript.records[at].message.raw for at in newest)
    return next((raw.dialect for raw in spoken if raw is not None), "openai_chat")


def _fate(entry: Entry, message: str, position: Mapping[str, int], step: int) -> Fate | None:
    """Give what an entry decides on a message; None where it decides nothing on it."""
    if isinstance(entry.payload, UndoEntry):
        return Fate(entry.seq, step, UNDO, Verdict.KEEP, Reason.FITS)
    if not isinstance(entry.payload, CheckpointEntry):
        return None
    plan, strategy = entry.payload.checkpoint.plan, entry.payload.checkpoint.strategy
    cuts = tuple(cut for cut in plan.cuts if cut.message == message)
    at = position[message]
    for run in plan.runs:
        if position.get(run.first, at + 1) <= at <= position.get(run.last, at - 1):
            return Fate(entry.seq, step, strategy, run.verdict, run.reason, cuts)
    return Fate(entry.seq, step, strategy, Verdict.TRUNCATE, cuts[0].reason, cuts) if cuts else None

"""Any step of the past, made again: the view that the model had, byte for byte, and why it looked like that.

A step is one request: all that stood before an answer. It is made from the log as it was then, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.entry import CheckpointEntry, Entry, FrameEntry, MessageEntry, ReportEntry, UsageEntry
from unabridged.errors import NotFound
from unabridged.frame import Frame
from unabridged.log import Log
from unabridged.message import Role
from unabridged.plan import Cut, Reason, Verdict
from unabridged.projection import Projection
from unabridged.report import Report, Usage
from unabridged.transcript import Transcript
from unabridged.view import Cutter, Item
from unabridged.wire import wire


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


class Fate(msgspec.Struct, frozen=True):
    """What one fit decided on one message."""

    seq: int
    """Of the entry that says so."""
    step: int
    """The step whose request was the first to go by it."""
    strategy: str
    verdict: Verdict
    reason: Reason
    cuts: tuple[Cut, ...] = ()


def step_ends(entries: Sequence[Entry]) -> list[int]:
    """Give, for each step of a branch, the seq of the answer's first message; at last that of what comes next."""
    ends: list[int] = []
    answering = False
    for entry in entries:
        if isinstance(entry.payload, MessageEntry):
            answers = entry.payload.message.role is Role.ASSISTANT
            if answers and not answering:
                ends.append(entry.seq)
            answering = answers
    if entries and not answering:
        ends.append(entries[-1].seq + 1)
    return ends


def past_step(log: Log, number: int, *, branch: str | None = None) -> PastStep:
    """Make a step again. -1 is the newest. Raises `NotFound` for one that the branch does not have."""
    chosen = branch or log.newest_branch
    entries = log.entries_of(log.ancestry(chosen))
    ends = step_ends(entries)
    place = number - 1 if number > 0 else len(ends) + number
    if not 0 <= place < len(ends):
        raise NotFound("step", f"{number} (there are {len(ends)})")
    return _made(log, chosen, entries, place, ends)


def _made(log: Log, branch: str, entries: Sequence[Entry], place: int, ends: Sequence[int]) -> PastStep:
    began = ends[place - 1] if place else -1
    known = [entry for entry in entries if entry.seq < ends[place]]
    then = Log.restore(log.session, known, counter=log.counter, media={})
    then.media = log.media
    transcript = Transcript(then, branch=branch if branch in then.branches else None)
    frames = [entry.payload.frame for entry in known if isinstance(entry.payload, FrameEntry)]
    frame = next((each for each in reversed(frames) if each is not None), None)
    dialect = frame.dialect if frame is not None else _dialect_of(transcript)
    spoken = wire(dialect)
    cutter = Cutter(spoken, transcript.counter, log.media)
    view = Projection(transcript, transcript.in_force()[0], spoken, cutter)
    end = ends[place + 1] if place + 1 < len(ends) else None
    return PastStep(
        number=place + 1,
        before=ends[place],
        transcript=transcript,
        items=tuple(view.items),
        texts=tuple(view.bodies(log.media)),
        dialect=dialect,
        frame=frame,
        reports=tuple(
            entry.payload.report for entry in known if isinstance(entry.payload, ReportEntry) and entry.seq > began
        ),
        usage=_usage(entries, ends[place], end, transcript),
    )


def _usage(entries: Sequence[Entry], start: int, end: int | None, transcript: Transcript) -> Usage | None:
    """Give what the provider reported: noted before or behind the answer, of a request that ended as this one did."""
    last = transcript.records[-1].message.id if transcript.records else ""
    found = [
        entry.payload
        for entry in entries
        if isinstance(entry.payload, UsageEntry) and (end is None or entry.seq < end) and entry.payload.last == last
    ]
    del start
    return found[-1].usage if found else None


def _dialect_of(transcript: Transcript) -> str:
    spoken = [record.message.raw.dialect for record in transcript.records if record.message.raw is not None]
    return spoken[-1] if spoken else "openai_chat"


def fates(log: Log, message: str, *, branch: str | None = None) -> tuple[Fate, ...]:
    """Give all that was ever decided on a message, oldest first. Raises `NotFound`."""
    chosen = branch or log.newest_branch
    entries = log.entries_of(log.ancestry(chosen))
    position = {
        entry.payload.message.id: at
        for at, entry in enumerate(entry for entry in entries if isinstance(entry.payload, MessageEntry))
        if isinstance(entry.payload, MessageEntry)
    }
    if message not in position:
        raise NotFound("message", message)
    ends = step_ends(entries)
    found: list[Fate] = []
    for entry in entries:
        if isinstance(entry.payload, CheckpointEntry):
            step = next((number for number, end in enumerate(ends, 1) if entry.seq < end), len(ends) + 1)
            found += _fate(entry, entry.payload, message, position, step)
    return tuple(found)


def _fate(entry: Entry, payload: CheckpointEntry, message: str, position: dict[str, int], step: int) -> list[Fate]:
    plan, strategy = payload.checkpoint.plan, payload.checkpoint.strategy
    cuts = tuple(cut for cut in plan.cuts if cut.message == message)
    at = position[message]
    for run in plan.runs:
        if position.get(run.first, at + 1) <= at <= position.get(run.last, at - 1):
            return [Fate(entry.seq, step, strategy, run.verdict, run.reason, cuts)]
    return [Fate(entry.seq, step, strategy, Verdict.TRUNCATE, cuts[0].reason, cuts)] if cuts else []

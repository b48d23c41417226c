"""What leaves the view with a checkpoint: for those who want to find it again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from unabridged.checkpoint import Checkpoint
from unabridged.plan import CutKind, Verdict
from unabridged.transcript import Record, Transcript
from unabridged.view import Hidden, flatten


class Archiver(Protocol):
    """Takes what leaves, so that it is found again. The part with I/O is `unabridged.archive`."""

    def add(self, records: Sequence[Record], places: Sequence[int], scope: Sequence[tuple[str, int]]) -> int:
        """Archive the messages at these places of a branch, each once, and give how many are new."""
        ...

    def knows(self, seq: int) -> bool:
        """Tell whether the message at this place of the log is archived."""
        ...


def left(transcript: Transcript, checkpoint: Checkpoint, hidden: Sequence[Hidden] = ()) -> list[int]:
    """Give the places of the messages of which a checkpoint takes out some or all of what they say, in order.

    What was hidden before it has left already. A picture that gives way to a marker is no text,
    and nothing that could be found.
    """
    position = transcript.position
    places: list[int] = []
    for run in checkpoint.plan.runs:
        if run.verdict in (Verdict.DROP, Verdict.COMPACT):
            for start, end in _without((position[run.first], position[run.last] + 1), hidden):
                places += range(start, end)
    cut = {each.message for each in checkpoint.plan.cuts if each.kind in (CutKind.TEXT, CutKind.ARGUMENTS)}
    return sorted({*places, *(position[id] for id in cut if id in position)})


def _without(span: tuple[int, int], hidden: Sequence[Hidden]) -> Iterator[tuple[int, int]]:
    """Give what of a span no hidden one holds; those are in order."""
    at, end = span
    for start, stop, _ in hidden:
        if start >= end:
            break
        if stop > at:
            if start > at:
                yield at, start
            at = stop
    if at < end:
        yield at, end


def archive(archiver: Archiver, transcript: Transcript, checkpoint: Checkpoint, before: Sequence[Checkpoint]) -> int:
    """Archive what a checkpoint takes out, and give how many messages were new to the archive.

    Where the archive lacks what left before, as one that failed or began late, that is made up for.
    """
    hidden = flatten(transcript, before).hidden
    if not hidden or archiver.knows(transcript.records[hidden[-1].end - 1].seq):
        places = left(transcript, checkpoint, hidden)
    else:
        again = (*before, checkpoint) if checkpoint.step else (checkpoint,)
        places = sorted({place for each in again for place in left(transcript, each)})
    return archiver.add(transcript.records, places, transcript.log.ancestry(transcript.branch))

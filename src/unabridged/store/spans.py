"""Where the steps of a branch lie: a step is one request, all that stood before an answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.entry import CheckpointEntry, Entry, FrameEntry, MessageEntry, RefusedEntry, ReportEntry, UndoEntry
from unabridged.entry import UsageEntry as Reported
from unabridged.message import Role
from unabridged.report import Phase


class Span(msgspec.Struct, frozen=True):
    """One step."""

    began: int
    """Seq of the answer before it; -1 for the first."""
    end: int
    """Seq of its own answer, or of what comes next."""
    upto: int
    """The request was made of the entries before this: what a person says while the model works is in the next one."""
    messages: int
    """How many it was made of."""
    answered: bool
    usage: Reported | None


class _Said(msgspec.Struct, frozen=True, gc=False):
    id: str
    seq: int
    is_answer: bool


def spans(entries: Sequence[Entry]) -> list[Span]:
    """Give the steps of a branch, in order; the last may have no answer yet.

    Messages of the model that follow each other are one answer (`openai_responses` gives items), unless the log shows
    that a request was made between them.
    """
    walk = _Walk({entry.payload.last for entry in entries if isinstance(entry.payload, Reported)})
    for entry in entries:
        walk.see(entry)
    return walk.spans(entries[-1].seq + 1 if entries else 0)


class _Walk:
    """Follows a branch, entry by entry."""

    def __init__(self, lasts: set[str]) -> None:
        self._lasts = lasts
        """Messages that some request ended with."""
        self._said: list[_Said] = []
        self._reported: dict[str, tuple[int, Reported]] = {}
        self._starts: list[tuple[int, int]] = []
        """Of each answer: its seq, and how many messages stood before it."""
        self._fitted = False
        """A request was made of exactly the messages so far."""

    def see(self, entry: Entry) -> None:
        match entry.payload:
            case MessageEntry(message=message):
                answers = message.role is Role.ASSISTANT
                if answers and self._said and self._asks():
                    self._starts.append((entry.seq, len(self._said)))
                self._said.append(_Said(message.id, entry.seq, answers))
                self._fitted = False
            case RefusedEntry(messages=refused):
                while self._said and self._said[-1].id in refused:
                    self._said.pop()
            case Reported(last=last):
                self._reported[last] = entry.seq, entry.payload
            case CheckpointEntry() | UndoEntry() | FrameEntry():
                self._fitted = True
            case ReportEntry(report=report):
                self._fitted = self._fitted or report.phase is not Phase.COMPACTING
            case _:
                pass

    def _asks(self) -> bool:
        """Tell whether what comes from the model now is the answer to a new request."""
        return not self._said[-1].is_answer or self._fitted or self._said[-1].id in self._lasts

    def spans(self, end: int) -> list[Span]:
        found: list[Span] = []
        began = -1
        for seq, count in self._starts:
            found.append(self._span(began, seq, count, answered=True))
            began = seq
        if self._said and self._asks():
            found.append(self._span(began, end, len(self._said), answered=False))
        return found

    def _span(self, began: int, end: int, count: int, *, answered: bool) -> Span:
        at, usage = self._request(count)
        upto = end if at == count - 1 else self._said[at + 1].seq
        return Span(began, end, upto, at + 1, answered, usage)

    def _request(self, count: int) -> tuple[int, Reported | None]:
        """Find the last message of a request among what was said since the answer before, and what it took."""
        newest = count - 1
        at = newest
        while at >= 0:
            seq, reported = self._reported.get(self._said[at].id, (-1, None))
            # A report from before the next message is that of an earlier request, whose answer was lost.
            if reported is not None and (at == newest or seq > self._said[at + 1].seq):
                return at, reported
            if self._said[at].is_answer:
                break
            at -= 1
        return newest, None

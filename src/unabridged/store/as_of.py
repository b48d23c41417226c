"""A branch as it was before one of its entries, and what it is made of: for looking at, nothing is appended to it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from unabridged.entry import Entry, MessageEntry
from unabridged.log import Log
from unabridged.message import Message
from unabridged.store.large import filled
from unabridged.store.stored_log import StoredLog
from unabridged.transcript import Transcript


def as_of(log: Log, branch: str, upto: int) -> Transcript:
    """Give a branch as it was before the entry `upto`. Of a stored log, only what is looked at is read."""
    if isinstance(log, StoredLog):
        return Transcript(_Then(log, upto), branch=branch)
    known = [entry for entry in log.entries_of(log.ancestry(branch)) if entry.seq < upto]
    then = Log.restore(log.session, known, counter=log.counter, media={})
    then.media = log.media
    return Transcript(then, branch=branch if branch in then.branches else None)


def bare_entries(log: Log, branch: str) -> Iterator[Entry]:
    """Give the entries of a branch, messages without what they say: all of a long session fits into memory then."""
    limits = {name: float("inf") if last == -1 else last for name, last in log.ancestry(branch)}
    for entry in _Bare(log).each() if isinstance(log, StoredLog) else log.entries:
        if entry.seq > limits.get(entry.branch, -1):
            continue
        if isinstance(entry.payload, MessageEntry):
            message = entry.payload.message
            bare = Message(id=message.id, role=message.role, parts=(), origin=message.origin)
            entry = msgspec.structs.replace(entry, payload=MessageEntry(bare))
        yield entry


class _Bare(StoredLog):
    """A stored log whose large texts are not read."""

    def __init__(self, log: StoredLog) -> None:
        super().__init__(log._database, project="", session=(log._key, log.session), counter=log.counter)
        self.media = self.blobs = log.blobs

    def _filled(self, stored: bytes) -> bytes:
        return filled(stored, lambda _: b"")


class _Then(StoredLog):
    """A stored log in which nothing is that came later."""

    def __init__(self, log: StoredLog, upto: int) -> None:
        self._last = upto - 1
        super().__init__(log._database, project="", session=(log._key, log.session), counter=log.counter)
        self.media = self.blobs = log.blobs

    def ancestry(self, branch: str) -> tuple[tuple[str, int], ...]:
        """Give the parts of a branch, each up to where it had come."""
        parts = super().ancestry(branch)
        return tuple((name, self._last if last == -1 else min(last, self._last)) for name, last in parts)

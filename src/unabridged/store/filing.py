"""Whole logs into a store and out of it, as they are: positions, branches, times, digests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from unabridged.entry import BranchEntry, Entry, MessageEntry, UsageEntry
from unabridged.errors import BadInput, StoreError, StoreFault
from unabridged.log import MAIN, Log
from unabridged.message import Message
from unabridged.store.jsonl import JsonlWriter, block_of, header_of
from unabridged.store.reading import Opened
from unabridged.store.sessions import Project, Session
from unabridged.store.stored_log import StoredLog

AT_ONCE = 500
"""Entries that are written together."""
STREAMED = 20
"""Entries that are sent together: each may hold megabytes."""
LONGEST_TITLE = 80


class Filed(msgspec.Struct, frozen=True):
    """A log that lies in a store now."""

    session: str
    entries: int
    added: int
    """Of these, how many were not there before."""


class Counts(NamedTuple):
    """What a log file got."""

    entries: int
    messages: int
    usage: int


def is_whole(opened: Opened) -> bool:
    """Tell whether a log that was read from a file can be kept as it is: nothing missing, every digest follows."""
    if not opened.session or [entry.seq for entry in opened.entries] != list(range(len(opened.entries))):
        return False
    opens = {MAIN, *(entry.payload.branch for entry in opened.entries if isinstance(entry.payload, BranchEntry))}
    known = all(entry.branch in opens for entry in opened.entries)
    return known and not Log.restore(opened.session, opened.entries, counter=opened.counter, media={}).damaged()


def file_log(project: Project, opened: Opened, done: Callable[[int], None] = lambda _: None) -> Filed:
    """Put a whole log into a project, under the id that it has; what was begun and not ended goes on where it stopped.

    `done` is told how many entries are written. Raises `BadInput` where the project has another session under this id,
    or the log is not one that this version would have written in the same way.
    """
    session, entries = _opened(project, opened), opened.entries
    start = session.log.next_seq
    common = min(start, len(entries))
    if common and session.log.digest_at(common - 1) != entries[common - 1].log_digest:
        raise BadInput(f"session {opened.session!r} is in project {project.name!r} already, and is another")
    log = _Adopting(session.log)
    log.media.update(opened.media)
    try:
        for at in range(start, len(entries), AT_ONCE):
            log.adopt(entries[at : at + AT_ONCE])
            done(min(at + AT_ONCE, len(entries)))
    except BadInput:
        if not start:
            project.erase(opened.session)  # no half of a session stays
        raise
    return Filed(opened.session, max(start, len(entries)), max(0, len(entries) - start))


def write_session(session: Session, path: Path, done: Callable[[int], None] = lambda _: None) -> Counts:
    """Write a stored session as a new log file: all branches, every entry as it is."""
    log, counts = session.log, Counts(0, 0, 0)
    with JsonlWriter(path, session=session.id, counter=log.counter) as writer:
        entries = log.each()
        while some := list(islice(entries, AT_ONCE)):
            writer.append(some, log.media)
            counts = Counts(
                counts.entries + len(some),
                counts.messages + sum(isinstance(entry.payload, MessageEntry) for entry in some),
                counts.usage + sum(map(_is_usage, some)),
            )
            done(counts.entries)
    return counts


def log_lines(session: Session) -> Iterator[bytes]:
    """Give a stored session as the log file that `write_session` would make of it, as far as it goes now, in pieces.

    Raises `StoreError` in the middle where the session is erased meanwhile: half of a log is not passed off as whole.
    """
    log, known = session.log, set[str]()
    upto = log.next_seq
    yield header_of(session.id, log.counter)
    entries, written = log.each(), 0
    while some := [entry for entry in islice(entries, STREAMED) if entry.seq < upto]:
        block, added = block_of(some, log.media, known)
        known |= added
        written = some[-1].seq + 1
        yield block
    if written < upto:
        raise StoreError(StoreFault.DAMAGED, f"session {session.id!r} ended at entry {written} of {upto}")


def _is_usage(entry: Entry) -> bool:
    return isinstance(entry.payload, UsageEntry) and not entry.payload.counted


def title_of(messages: Iterable[Message]) -> str:
    """Give a title: the beginning of the first thing that a person said."""
    said = next((message.text for message in messages if message.is_human and message.text.strip()), "")
    words = " ".join(said[: 4 * LONGEST_TITLE].split())
    return words if len(words) <= LONGEST_TITLE else f"{words[: LONGEST_TITLE - 1].rstrip()}…"


def _opened(project: Project, opened: Opened) -> Session:
    if not project.has(opened.session):
        said = (entry.payload.message for entry in opened.entries if isinstance(entry.payload, MessageEntry))
        created = opened.entries[0].time if opened.entries else None
        project.create(id=opened.session, title=title_of(said), counter=opened.counter or None, created=created)
    return project.open(opened.session)


class _Adopting(StoredLog):
    """Takes entries as another log made them."""

    def __init__(self, log: StoredLog) -> None:
        self._time = ""
        super().__init__(
            log._database, project="", session=(log._key, log.session), counter=log.counter, clock=lambda: self._time
        )
        self.media = self.blobs = log.blobs

    def adopt(self, entries: Sequence[Entry]) -> None:
        """Append entries, all or none. Raises `BadInput` for one that would become another."""
        with self.step():
            for entry in entries:
                if isinstance(entry.payload, BranchEntry):
                    self._open(entry.payload)  # it stands on the branch that it opens
                self._time = entry.time
                made = self.append(entry.payload, branch=entry.branch, expected=entry.seq)
                if made != (entry,):
                    raise BadInput(f"entry {entry.seq} of session {self.session!r} cannot be kept as it is")

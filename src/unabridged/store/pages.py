"""A branch as people read it: a page at a time, with what was refused on it, and what is newest of other entries.

What a page takes does not grow with the session: it reads its messages, and where it begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import merge
from typing import NamedTuple, TypeVar

import msgspec

from unabridged.entry import Entry, MessageEntry, RefusedEntry
from unabridged.errors import NotFound
from unabridged.message import Message, Reasoning, Text, ToolCall, ToolResult
from unabridged.store.as_of import as_of
from unabridged.store.columns import FOREVER, column, id_of, name_column, name_in, text_in
from unabridged.store.database import Row
from unabridged.store.large import filled
from unabridged.store.rows import COLUMNS, entry_of
from unabridged.store.sessions import Session
from unabridged.transcript import Transcript

AT_ONCE = 500
"""Rows that are asked for by their keys with one query."""
TOGETHER = 32
"""Messages that are read with one query."""
MOST = 8 * 1024 * 1024
"""Characters after which a page ends, whatever was asked for."""

T = TypeVar("T")


class Listed(msgspec.Struct, frozen=True, kw_only=True):
    """A message as a page lists it."""

    seq: int
    place: int | None
    """In the transcript; None for one that was refused: it was taken out of the branch."""
    refused: str = ""
    """Why it was refused."""
    message: Message
    time: str = ""
    """When it was appended, RFC 3339."""


class _Found(NamedTuple):
    """Where a message was appended."""

    seq: int
    place: int


class Page(msgspec.Struct, frozen=True):
    """Some messages of a branch, and whether there are more in the direction that was asked for."""

    messages: tuple[Listed, ...]
    has_more: bool


class Pages:
    """One branch as it is now. What is appended later is not seen, so that all that is read here fits together."""

    def __init__(self, session: Session, branch: str | None = None) -> None:
        """Open a branch; None opens the newest. Raises `NotFound`."""
        self._session = session
        log = session.log
        self.branch = branch if branch is not None else log.newest_branch
        self.transcript: Transcript = as_of(log, self.branch, log.next_seq)
        ancestry = self.transcript.log.ancestry(self.branch)
        self._limits = {name: last if last >= 0 else FOREVER for name, last in ancestry}
        self._refused = self._refusals()

    def page(
        self, *, after: str | None = None, before: str | None = None, limit: int = 50, newest_first: bool = False
    ) -> Page:
        """Give messages behind `after`, or those right before `before`, in the order of the list.

        Both are ids. Raises `NotFound` for one that was never on this branch.
        """
        first, end = (None if id is None else self._find(id) for id in (after, before))
        low, high = (end, first) if newest_first else (first, end)
        turned = before is not None and after is None
        found, has_more = _taken(self._walk(low, high, backwards=newest_first != turned), limit)
        return Page(tuple(self._timed(found[::-1] if turned else found)), has_more)

    def find(self, id: str) -> Listed:
        """Give one message by its id. Raises `NotFound`."""
        found = self._find(id)
        if found.seq in self._refused:
            return self._gone(found.seq)
        message = self.transcript.records[found.place].message
        return self._timed([Listed(seq=found.seq, place=found.place, message=message)])[0]

    def newest(self, kind: str, limit: int = 1) -> list[Entry]:
        """Give the newest entries of a kind, by the name that `rows.kind_of` gives it, newest first."""
        sql = (
            f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = ? AND branch = ? AND place IS NULL"
            " AND seq <= ? ORDER BY seq DESC LIMIT ?"
        )
        database, key = self._session.database, self._session.key
        rows = [
            row
            for branch, last in self._limits.items()
            for row in database.rows(sql, key, kind, column(branch), last, limit)
        ]
        return [_entry(self._session, row) for row in sorted(rows, key=lambda row: -row[0])[:limit]]

    def _walk(self, low: _Found | None, high: _Found | None, *, backwards: bool) -> Iterator[Listed]:
        """Give what stands between two messages, read as far as somebody looks."""
        start = 0 if low is None else self._count(low, inclusive=True)
        stop = len(self.transcript.records) if high is None else self._count(high, inclusive=False)
        first, end = -1 if low is None else low.seq, FOREVER if high is None else high.seq
        gone = _turned([seq for seq in self._refused if first < seq < end], backwards)
        kept = self._kept(start, stop, backwards)
        return merge(kept, map(self._gone, gone), key=lambda each: each.seq, reverse=backwards)

    def _kept(self, start: int, stop: int, backwards: bool) -> Iterator[Listed]:
        for at in _turned(range(start, stop, TOGETHER), backwards):
            records = self.transcript.records[at : min(at + TOGETHER, stop)]
            for place, record in _turned(list(enumerate(records, at)), backwards):
                yield Listed(seq=record.seq, place=place, message=record.message)

    def _gone(self, seq: int) -> Listed:
        """Give a refused message."""
        entry = self._session.log.entry(seq)
        refusal = self._session.log.entry(self._refused[seq]).payload
        assert isinstance(entry.payload, MessageEntry)
        why = refusal.why if isinstance(refusal, RefusedEntry) else ""
        return Listed(seq=seq, place=None, refused=why, message=entry.payload.message, time=entry.time)

    def _count(self, found: _Found, *, inclusive: bool) -> int:
        """Give how many messages of the transcript stand before one; `inclusive` counts itself, if it is one."""
        if found.seq not in self._refused:
            return found.place + inclusive
        records = self.transcript.records
        place = min(found.place, len(records))
        while place and records[place - 1].seq > found.seq:  # others have the places of what was refused with it
            place -= 1
        return place

    def _find(self, id: str) -> _Found:
        sql = "SELECT seq, place, branch FROM entries WHERE session = ? AND name = ? AND place IS NOT NULL"
        rows = self._session.database.rows(sql, self._session.key, name_column(id))
        known = [_Found(seq, place) for seq, place, branch in rows if seq <= self._limits.get(text_in(branch), -1)]
        if not known:
            raise NotFound("message", id)
        return max(known)

    def _refusals(self) -> dict[int, int]:
        """Give where the messages lie that were refused on this branch, in order, each with where that is said."""
        sql = "SELECT seq, branch, refused_at FROM refused WHERE session = ? ORDER BY seq, refused_at"
        rows = self._session.database.rows(sql, self._session.key)
        return {seq: at for seq, branch, at in rows if at <= self._limits.get(text_in(branch), -1)}

    def _timed(self, listed: Sequence[Listed]) -> list[Listed]:
        """Give messages with when they were appended."""
        ids = [id_of(self._session.key, each.seq) for each in listed if not each.time]
        sql = f"SELECT seq, time FROM entries WHERE id IN ({', '.join('?' * len(ids))})"
        times = dict(self._session.database.rows(sql, *ids)) if ids else {}
        return [each if each.time else msgspec.structs.replace(each, time=times[each.seq]) for each in listed]


def branch_entries(session: Session) -> list[Entry]:
    """Give the entries that opened the branches of a session, the oldest first."""
    sql = f"SELECT {COLUMNS} FROM entries WHERE session = ? AND kind = 'branch' AND place IS NULL ORDER BY +seq"
    return [_entry(session, row) for row in session.database.rows(sql, session.key)]


def names_at(session: Session, seqs: Sequence[int]) -> dict[int, str]:
    """Give the ids of the messages at some positions of a log; positions that hold none are left out."""
    found: dict[int, str] = {}
    for at in range(0, len(seqs), AT_ONCE):
        ids = [id_of(session.key, seq) for seq in seqs[at : at + AT_ONCE]]
        sql = f"SELECT seq, name FROM entries WHERE place IS NOT NULL AND id IN ({', '.join('?' * len(ids))})"
        for seq, name in session.database.rows(sql, *ids):
            known = name_in(name)
            found[seq] = known if known is not None else _named(session, seq)
    return found


def _named(session: Session, seq: int) -> str:
    """Give the id of a message that is too long for its column."""
    payload = session.log.entry(seq).payload
    return payload.message.id if isinstance(payload, MessageEntry) else ""


def _entry(session: Session, row: Row) -> Entry:
    return entry_of(row, lambda stored: filled(stored, lambda digest: session.log.blobs[digest.hex()]))


def _turned(some: Sequence[T], backwards: bool) -> Sequence[T]:
    return some[::-1] if backwards else some


def _taken(walked: Iterable[Listed], limit: int) -> tuple[list[Listed], bool]:
    """Take what a page holds, and tell whether there is more. It holds one message at least, however long that is."""
    found: list[Listed] = []
    size = 0
    for each in walked:
        if len(found) == limit or (found and size >= MOST):
            return found, True
        found.append(each)
        size += _size(each.message)
    return found, False


def _size(message: Message) -> int:
    size = 0
    for part in message.parts:
        match part:
            case Text(text=text) | Reasoning(text=text) | ToolCall(arguments=text):
                size += len(text)
            case ToolResult(parts=parts):
                size += sum(len(piece.text) for piece in parts if isinstance(piece, Text))
            case _:
                pass
    return size

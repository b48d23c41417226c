"""A branch as a store holds it, read where somebody looks and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping, MutableSequence
from typing import overload

from unabridged.transcript import Record

PAGE = 64
"""Records that are read together: whoever looks at one looks at its neighbours."""

KEPT = 4_096
"""Records that are kept in memory, of the newest, and of those that were read."""

Load = Callable[[int, int], list[Record]]
"""Gives the records from a place up to another."""
Find = Callable[[str], int | None]
"""Gives the place of a message by its id."""


class StoredRecords(MutableSequence[Record]):
    """The records of a branch: stored ones are read as they are asked for, the newest are kept.

    However long a process goes on, it holds no more of them than `KEPT` and those that a view was just made from.
    """

    def __init__(self, length: int, load: Load, is_written: Callable[[], bool]) -> None:
        """Take what is stored; `is_written` says whether all that was appended is stored too by now."""
        self._stored = length
        self._load = load
        self._is_written = is_written
        self._read: dict[int, Record] = {}
        self._new: list[Record] = []

    def __len__(self) -> int:
        return self._stored + len(self._new)

    @property
    def held(self) -> int:
        """How many of them are in memory."""
        return len(self._read) + len(self._new)

    @overload
    def __getitem__(self, at: int) -> Record: ...
    @overload
    def __getitem__(self, at: slice) -> list[Record]: ...
    def __getitem__(self, at: int | slice) -> Record | list[Record]:
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            return self._run(start, stop) if step == 1 else [self[nth] for nth in range(start, stop, step)]
        place = at if at >= 0 else at + len(self)
        if not 0 <= place < len(self):
            raise IndexError(at)
        if place >= self._stored:
            return self._new[place - self._stored]
        if place not in self._read:
            self._make_room()
            start = place - place % PAGE
            self._fill(start, min(start + PAGE, self._stored))
        return self._read[place]

    def __iter__(self) -> Iterator[Record]:
        for start in range(0, len(self), PAGE):
            yield from self._run(start, min(start + PAGE, len(self)))

    def __setitem__(self, at: int | slice, value: object) -> None:
        raise TypeError("a transcript is append-only")

    def __delitem__(self, at: int | slice) -> None:
        raise TypeError("a transcript is append-only: a refusal opens it again")

    def insert(self, index: int, value: Record) -> None:
        """Append a record; nothing can stand anywhere else."""
        if index < len(self):
            raise TypeError("a transcript is append-only")
        self._new.append(value)
        if len(self._new) > KEPT and self._is_written():
            old = KEPT // 2
            del self._new[:old]
            self._stored += old

    def _run(self, start: int, stop: int) -> list[Record]:
        stored = min(stop, self._stored)
        self._make_room()
        missing = [at for at in range(start, stored) if at not in self._read]
        if missing:
            self._fill(missing[0], missing[-1] + 1)
        return [self._read[at] for at in range(start, stored)] + self._new[
            max(0, start - self._stored) : max(0, stop - self._stored)
        ]

    def _make_room(self) -> None:
        if len(self._read) > KEPT:
            self._read.clear()

    def _fill(self, start: int, stop: int) -> None:
        for place, record in enumerate(self._load(start, stop), start):
            self._read.setdefault(place, record)


class StoredPositions(MutableMapping[str, int]):
    """Where each message of a branch stands, by its id."""

    def __init__(self, length: int, find: Find, ids: Callable[[], Iterator[str]]) -> None:
        self._stored = length
        self._find = find
        self._ids = ids
        self._known: dict[str, int] = {}
        self._new: dict[str, int] = {}

    def __getitem__(self, id: str) -> int:
        place = self._new.get(id)
        if place is None:
            place = self._known.get(id)
        if place is None:
            place = self._find(id) if self._stored else None
            if place is None:
                raise KeyError(id)
            self._known[id] = place
        return place

    def __setitem__(self, id: str, place: int) -> None:
        self._new[id] = place

    def __delitem__(self, id: str) -> None:
        raise TypeError("a transcript is append-only: a refusal opens it again")

    def __len__(self) -> int:
        return self._stored + len(self._new)

    def __iter__(self) -> Iterator[str]:
        yield from self._ids()
        yield from self._new

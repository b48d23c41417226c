"""The beginning of a list that only grows, without a copy of it: a view has a thousand items, and three are new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TypeVar, cast, overload

T = TypeVar("T")


class Beginning(Sequence[T]):
    """The first `length` items of a list that nothing is ever taken out of, and some more behind them.

    It equals any sequence with the same items.
    """

    __slots__ = ("_length", "_list", "_more")

    def __init__(self, whole: list[T], length: int, more: Sequence[T] = ()) -> None:
        self._list = whole
        self._length = length
        self._more = more

    def __len__(self) -> int:
        return self._length + len(self._more)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> list[T]: ...
    def __getitem__(self, at: int | slice) -> T | list[T]:
        if isinstance(at, slice):
            return list(self)[at]
        place = at if at >= 0 else at + len(self)
        if not 0 <= place < len(self):
            raise IndexError(at)
        return self._list[place] if place < self._length else self._more[place - self._length]

    def __iter__(self) -> Iterator[T]:
        return chain(islice(self._list, self._length), self._more)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        theirs = cast("Sequence[object]", other)
        return len(self) == len(theirs) and list[object](self) == list(theirs)

    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __repr__(self) -> str:
        return repr(list(self))

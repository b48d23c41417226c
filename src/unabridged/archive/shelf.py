"""Where the segments of one conversation are kept."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Protocol

import msgspec

from unabridged.archive.chunks import Place
from unabridged.archive.ranking import Lengths
from unabridged.archive.segment import Segment, merged
from unabridged.archive.vectors import MemoryVectors, Moved, Vectors

TIER = 8
"""Segments of about one size that become one: a search reads few, and a chunk is written few times."""
LARGEST = 4_096
"""Chunks of a segment that is merged no further."""


class Head(msgspec.Struct, frozen=True):
    """What a search needs to know of a segment before it reads it."""

    number: int
    branch: str
    first: int
    """The smallest seq in it."""
    last: int
    """The largest."""
    count: int
    """Chunks."""


class Read(msgspec.Struct, frozen=True):
    """What a search works on: all of it from one moment."""

    heads: Mapping[int, Head]
    lengths: Mapping[int, Lengths]
    postings: Sequence[Mapping[int, array[int]]]
    """Of each term, by segment."""


class Shelf(Protocol):
    """Keeps segments, and nothing of any other conversation."""

    @property
    def vectors(self) -> Vectors:
        """What an embedder made of the chunks, where there is one."""
        ...

    def heads(self, limits: Mapping[str, float]) -> Mapping[int, Head]:
        """Give the segments of some branches, each with the last seq of it that counts."""
        ...

    def known(self, seqs: Sequence[int]) -> set[int]:
        """Give which of these entries are archived already."""
        ...

    def read(self, terms: Sequence[str], limits: Mapping[str, float]) -> Read:
        """Give what there is of some terms; `limits` are branches, each with the last seq of it that counts."""
        ...

    def places(self, number: int) -> Sequence[Place]:
        """Give where the chunks of a segment come from, each read when it is asked for. Raises `Moved`."""
        ...

    def put(self, segment: Segment) -> int:
        """Keep a segment, all or nothing of it, and give how many entries of it are new."""
        ...

    def pass_over(self, seqs: Sequence[int]) -> None:
        """Take these entries as archived: they say nothing that could be found."""
        ...


class MemoryShelf:
    """Keeps segments for as long as the process lives."""

    def __init__(self) -> None:
        self.vectors = MemoryVectors()
        self._segments: dict[int, Segment] = {}
        self._heads: dict[int, Head] = {}
        self._known: set[int] = set()
        self._next = 0

    def known(self, seqs: Sequence[int]) -> set[int]:
        """Give which of these entries are archived already."""
        return self._known.intersection(seqs)

    def heads(self, limits: Mapping[str, float]) -> Mapping[int, Head]:
        """Give the segments of some branches."""
        heads = list(self._heads.items())  # at once: another thread may add to them
        return {number: head for number, head in heads if head.first <= limits.get(head.branch, -1)}

    def read(self, terms: Sequence[str], limits: Mapping[str, float]) -> Read:
        """Give what there is of some terms."""
        heads = self.heads(limits)
        lengths = {number: Lengths(self._segments[number].own, self._segments[number].near) for number in heads}
        postings = [
            {number: found for number in heads if (found := self._segments[number].postings.get(term)) is not None}
            for term in terms
        ]
        return Read(heads, lengths, postings)

    def places(self, number: int) -> Sequence[Place]:
        """Give where the chunks of a segment come from. Raises `Moved`."""
        segment = self._segments.get(number)
        if segment is None:
            raise Moved
        return segment.places

    def put(self, segment: Segment) -> int:
        """Keep a segment, and give how many entries of it are new."""
        new = {place.seq for place in segment.places} - self._known
        self._known |= new
        self._add(segment, {})
        while old := to_merge(list(self._heads.values())):
            starts = starts_of([self._heads.pop(number) for number in old])
            self._add(merged([self._segments.pop(number) for number in old]), starts)
        return len(new)

    def pass_over(self, seqs: Sequence[int]) -> None:
        """Take these entries as archived."""
        self._known.update(seqs)

    def _add(self, segment: Segment, starts: Mapping[int, int]) -> None:
        self.vectors.open(self._next, starts)
        self._segments[self._next] = segment
        self._heads[self._next] = head_of(self._next, segment)
        self._next += 1


def head_of(number: int, segment: Segment) -> Head:
    """Give what is to be known of a segment."""
    seqs = [place.seq for place in segment.places]
    return Head(number, segment.branch, min(seqs), max(seqs), len(seqs))


def starts_of(heads: Sequence[Head]) -> dict[int, int]:
    """Give where each of some segments begins in the one that is made of them."""
    return dict(
        zip((head.number for head in heads), accumulate((head.count for head in heads), initial=0), strict=False)
    )


def to_merge(heads: Sequence[Head]) -> list[int]:
    """Give the numbers of segments that are to become one: the newest of a branch, once as many are of one size.

    They become the newest of all: what is merged is merged in order.
    """
    if not heads:
        return []
    branch = heads[-1].branch
    newest = [head for head in heads if head.branch == branch][-TIER:]
    tiers = {_tier(head.count) for head in newest}
    small = sum(head.count for head in newest) <= LARGEST
    return [head.number for head in newest] if len(newest) == TIER and len(tiers) == 1 and small else []


def _tier(count: int) -> int:
    """Give the size of a segment as a power of `TIER`."""
    tier = 0
    while count >= TIER ** (tier + 1):
        tier += 1
    return tier

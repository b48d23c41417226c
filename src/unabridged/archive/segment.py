"""A segment: what one fit archived, as postings. Small ones are merged, so that a search reads few.

A posting is a number of 32 bits: which chunk (16 bits), how often the term stands in it, and how often in it or near it
(8 bits each). What is near are the first words of the two neighbours on either side, for a short chunk: a question and
its answer are seldom in one message, and together they are found by the words of both.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from unabridged.archive.chunks import Chunk, Place
from unabridged.archive.terms import terms_of

NEIGHBOURS = 2
"""On either side."""
NEAR = 40
"""Terms of each neighbour."""
SHORT = 100
"""Terms of a chunk that is found by its neighbours too: a longer one speaks for itself."""
MOST = 1 << 16
"""Chunks of a segment."""
_MANY = 0xFF
_LONG = 0xFFFF


class Segment(msgspec.Struct, frozen=True, kw_only=True):
    """Some chunks of one branch, ready to be searched."""

    branch: str
    places: tuple[Place, ...]
    own: array[int]
    """Terms of each chunk."""
    near: array[int]
    """Terms of each chunk and what is near it."""
    postings: dict[str, array[int]]


class Prepared(msgspec.Struct, frozen=True):
    """A chunk as terms; `is_new` for one that is to be archived, not only a neighbour."""

    chunk: Chunk
    head: tuple[str, ...]
    body: tuple[str, ...]
    is_new: bool


def prepared(chunk: Chunk, *, is_new: bool) -> Prepared:
    """Cut a chunk into terms."""
    return Prepared(chunk, tuple(terms_of(chunk.head)), tuple(terms_of(chunk.text)), is_new)


def segment_of(branch: str, run: Sequence[Prepared]) -> Segment:
    """Make a segment of the new chunks of a run, which stand in it beside their neighbours. At most `MOST` are new."""
    postings: dict[str, list[int]] = {}
    own, near = array("H"), array("H")
    places: list[Place] = []
    for at, each in enumerate(run):
        if not each.is_new:
            continue
        said = Counter(each.head)
        said.update(each.body)
        around = said.copy()
        around.update(_near(run, at))
        few = around.total() <= _MANY  # nothing needs to be cut off then
        number = len(places) << 16
        for term, count in around.items():
            inside = said.get(term, 0)
            posting = number | (inside << 8 | count if few else min(inside, _MANY) << 8 | min(count, _MANY))
            known = postings.get(term)
            if known is None:
                postings[term] = [posting]
            else:
                known.append(posting)
        places.append(each.chunk.place)
        own.append(min(said.total(), _LONG))
        near.append(min(around.total(), _LONG))
    arrays = {term: array("I", found) for term, found in postings.items()}
    return Segment(branch=branch, places=tuple(places), own=own, near=near, postings=arrays)


def _near(run: Sequence[Prepared], at: int) -> Iterable[str]:
    if len(run[at].body) >= SHORT:
        return
    for other in range(max(0, at - NEIGHBOURS), min(len(run), at + NEIGHBOURS + 1)):
        if other != at:
            yield from run[other].body[:NEAR]


def merged(segments: Sequence[Segment]) -> Segment:
    """Make one segment of several of one branch, in their order."""
    postings: dict[str, array[int]] = {}
    own, near = array("H"), array("H")
    places: list[Place] = []
    for segment in segments:
        moved = len(places) << 16
        for term, found in segment.postings.items():
            known = postings.get(term)
            fresh = array("I", [posting + moved for posting in found])
            postings[term] = fresh if known is None else known + fresh
        places += segment.places
        own += segment.own
        near += segment.near
    return Segment(branch=segments[0].branch, places=tuple(places), own=own, near=near, postings=postings)


def packed(numbers: array[int]) -> bytes:
    """Give numbers as bytes, little end first on every machine."""
    if sys.byteorder == "big":
        numbers = array(numbers.typecode, numbers)
        numbers.byteswap()
    return numbers.tobytes()


def unpacked(kind: Literal["H", "I"], stored: bytes) -> array[int]:
    """Read numbers back; `kind` is `H` for 16 bits, `I` for 32."""
    numbers: array[int] = array(kind)
    numbers.frombytes(stored)
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers

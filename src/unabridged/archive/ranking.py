"""Which chunks answer a question best: BM25 over the chunk itself and over the chunk with what is near it, added.

BM25: Robertson and Zaragoza, The Probabilistic Relevance Framework (2009). Long chunks are held back more than its
authors advise, and short ones are read with their neighbours: what is tuned on short turns alone ruins long messages.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from heapq import nlargest

import msgspec

K1 = 1.0
"""How soon a term that comes again counts for less."""
B = 0.85
"""How much the length of a chunk counts."""
NEAR = 1.2
"""What the chunk with its neighbours weighs beside the chunk itself."""

Ranked = tuple[float, int, int]
"""Score, segment, chunk in it."""


class Lengths(msgspec.Struct, frozen=True):
    """How many terms each chunk of a segment has, alone and with what is near."""

    own: array[int]
    near: array[int]


Found = Mapping[int, "array[int]"]
"""The postings of one term, by segment."""


class _Side(msgspec.Struct, frozen=True):
    """One of the two texts of a chunk, over a whole conversation."""

    count: int
    mean: float
    weight: float

    def idf(self, holding: int) -> float:
        return self.weight * (K1 + 1) * math.log(1 + (self.count - holding + 0.5) / (holding + 0.5))


def ranked(scores: Mapping[int, float], limit: int) -> list[Ranked]:
    """Give the best chunks, best first; of equals the older one."""
    best = nlargest(limit, scores.items(), key=lambda each: (each[1], -each[0]))
    return [(score, key >> 16, key & 0xFFFF) for key, score in best]


def scored(terms: Sequence[Found], lengths: Mapping[int, Lengths], limit: int) -> dict[int, float]:
    """Give the scores of chunks, those of the best `limit` in full. `terms` are the postings of each term asked for.

    A key is the segment and, in its last 16 bits, the chunk in it.
    """
    count = sum(len(each.own) for each in lengths.values())
    if not count:
        return {}
    own = _Side(count, sum(sum(each.own) for each in lengths.values()) / count or 1.0, 1.0)
    near = _Side(count, sum(sum(each.near) for each in lengths.values()) / count or 1.0, NEAR)
    weighed = sorted((_weighed(found, own, near) for found in terms if found), key=lambda each: -sum(each[:2]))
    scores: dict[int, float] = {}
    rest = sum(sum(each[:2]) for each in weighed)
    for idf_own, idf_near, found in weighed:
        # What no term so far is in cannot be among the best any more, once the terms that are left weigh too little.
        closed = len(scores) > limit and nlargest(limit, scores.values())[-1] > rest
        rest -= idf_own + idf_near
        _add(scores, found, lengths, (idf_own, own.mean), (idf_near, near.mean), closed=closed)
    return scores


def share_said(terms: Sequence[Found], lengths: Mapping[int, Lengths], key: int) -> float:
    """Give how much of what was asked for a chunk says itself, from 0 to 1: rare words count for more."""
    side = _Side(sum(len(each.own) for each in lengths.values()), 1.0, 1.0)
    said = asked = 0.0
    for found in terms:
        weight = side.idf(_holding(found))
        asked += weight
        postings = found.get(key >> 16, array("I"))
        place = bisect_left(postings, (key & 0xFFFF) << 16)
        if place < len(postings) and postings[place] >> 16 == key & 0xFFFF and postings[place] & 0xFF00:
            said += weight
    return said / asked if asked else 0.0


def _holding(found: Found) -> int:
    """Give how many chunks hold a term themselves."""
    return sum(sum(1 for posting in each if posting & 0xFF00) for each in found.values())


def _weighed(found: Found, own: _Side, near: _Side) -> tuple[float, float, Found]:
    return own.idf(_holding(found)), near.idf(sum(map(len, found.values()))), found


def _add(
    scores: dict[int, float],
    found: Found,
    lengths: Mapping[int, Lengths],
    own: tuple[float, float],
    near: tuple[float, float],
    *,
    closed: bool,
) -> None:
    """Add what one term tells of every chunk that holds it; `closed`: of those alone that are in `scores` already."""
    (idf_own, mean_own), (idf_near, mean_near) = own, near
    base, slope_own, slope_near = K1 * (1 - B), K1 * B / mean_own, K1 * B / mean_near
    for segment, postings in found.items():
        of, first = lengths[segment], segment << 16
        for posting in postings:
            chunk = posting >> 16
            key = first | chunk
            if closed and key not in scores:
                continue
            count = posting & 0xFF
            score = idf_near * count / (count + base + slope_near * of.near[chunk])
            count = posting >> 8 & 0xFF
            if count:
                score += idf_own * count / (count + base + slope_own * of.own[chunk])
            scores[key] = scores.get(key, 0.0) + score

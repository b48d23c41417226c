"""Finding by meaning: vectors beside the words. Nothing of a turn waits for them, and no answer needs them.

Words are right where all of them are found. The more a question's best hit by words lacks of it, the more vectors may
say: nothing where a line is found as it stands or only names are asked for, most where another language is asked in.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from heapq import nlargest
from itertools import accumulate
from time import monotonic
from typing import TYPE_CHECKING

from unabridged.archive.embedding import Embedder
from unabridged.archive.nearby import RECIPE, Texts
from unabridged.archive.ranking import Ranked, ranked
from unabridged.archive.shelf import Head, Shelf
from unabridged.archive.vectors import Block, Moved, pack, the_numpy, unpack
from unabridged.redact import redacted

if TYPE_CHECKING:
    from numpy import float32, int8
    from numpy.typing import NDArray

    from unabridged.transcript import Record

WEIGHT = 0.7
"""Of the nearest chunk beside the one that is best by words, for a question of which no word is found."""
NEAR = 0.85
"""What the chunk with what is near it weighs in the vector of a short one; the rest is the chunk itself."""
POOL = 200
"""Chunks that are looked at by both, of each."""
AT_ONCE = 64
"""Chunks that are embedded, and kept, together: what an end in between costs at most."""
LONGEST_QUERY = 2_000
REST_S = 30.0
"""After an embedder failed, searches go by words alone for so long, instead of waiting for it each time."""
TRIES = 5


class Near:
    """How near the chunks that have a vector are to a question."""

    def __init__(self, cosines: Mapping[int, NDArray[float32]]) -> None:
        self._cosines = cosines
        numpy = the_numpy()
        self._all = numpy.concatenate(list(cosines.values()))
        self._all[numpy.isnan(self._all)] = -1.0
        self._starts: list[tuple[int, int]] = []
        at = 0
        for number, each in cosines.items():
            self._starts.append((at, number))
            at += len(each)
        self.highest = max(float(self._all.max()), 1e-6)

    def of(self, key: int) -> float | None:
        """Give the cosine of a chunk; None where it has no vector."""
        cosines = self._cosines.get(key >> 16)
        cosine = math.nan if cosines is None else float(cosines[key & 0xFFFF])
        return None if math.isnan(cosine) else cosine

    def best(self, limit: int) -> Iterator[int]:
        """Give the keys of the nearest chunks, in no order."""
        found = the_numpy().argpartition(-self._all, min(limit, len(self._all)) - 1)[:limit]
        for place in sorted(found.tolist()):
            while len(self._starts) > 1 and self._starts[1][0] <= place:
                del self._starts[0]
            yield self._starts[0][1] << 16 | (place - self._starts[0][0])


def fused(scores: Mapping[int, float], near: Near, lacking: float, limit: int) -> list[Ranked]:
    """Give the best chunks by words and vectors, best first. `lacking` is what the best by words lacks of the question.

    A chunk without a vector is taken to be as near as its words are good, and so stays where it was among the others.
    """
    weight, pool = WEIGHT * math.sqrt(lacking), max(limit, POOL)
    most = max(scores.values(), default=0.0) or 1.0
    both: dict[int, float] = {}
    for key in {*nlargest(pool, scores, key=lambda key: (scores[key], -key)), *(near.best(pool) if weight else ())}:
        words, cosine = scores.get(key, 0.0), near.of(key)
        share = words / most if cosine is None else max(cosine, 0.0) / near.highest
        if words or share:
            both[key] = words + weight * most * share
    return ranked(both, limit)


class Dense:
    """The vectors of one conversation, and what makes them."""

    def __init__(self, shelf: Shelf, embedder: Embedder) -> None:
        self._shelf = shelf
        self._embedder = embedder
        self._name = f"{embedder.name} {RECIPE}"
        self._read: dict[Block, tuple[NDArray[int8], NDArray[float32]]] = {}
        self._rests_until = -math.inf
        self.problem: Exception | None = None
        """Why the newest search went by words alone; None where nothing was wrong."""

    def near(self, query: str, heads: Mapping[int, Head], limits: Mapping[str, float]) -> Near | None:
        """Give how near the chunks of some segments are to a question; None where nobody can tell. Raises `Moved`."""
        blocks = [block for block in self._shelf.vectors.blocks(self._name) if block.number in heads]
        if not blocks or monotonic() < self._rests_until:
            return None
        try:
            (vector,) = self._embedder.embed([redacted(query[:LONGEST_QUERY])])
            asked = the_numpy().asarray(vector, the_numpy().float32)
        except Exception as error:  # whatever an embedder is made of: words find without it
            self.problem, self._rests_until = error, monotonic() + REST_S
            return None
        self.problem = None
        cosines = self._cosines(asked, blocks, heads)
        for number, each in cosines.items():
            limit = limits[heads[number].branch]
            if heads[number].last > limit:
                beyond = [chunk for chunk, place in enumerate(self._shelf.places(number)) if place.seq > limit]
                each[beyond] = math.nan
        return Near(cosines) if cosines else None

    def _cosines(
        self, asked: NDArray[float32], blocks: Sequence[Block], heads: Mapping[int, Head]
    ) -> dict[int, NDArray[float32]]:
        numpy = the_numpy()
        asked = asked / max(float(numpy.linalg.norm(asked)), 1e-12)
        cosines: dict[int, NDArray[float32]] = {}
        for block, (numbers, scales) in self._unpacked(blocks).items():
            if numbers.shape[1] != len(asked):
                continue  # a service gives another model by the same name
            if block.number not in cosines:
                cosines[block.number] = numpy.full(heads[block.number].count, math.nan, numpy.float32)
            cosines[block.number][block.first : block.end] = (numbers @ asked) * scales
        return cosines

    def _unpacked(self, blocks: Sequence[Block]) -> dict[Block, tuple[NDArray[int8], NDArray[float32]]]:
        """Read blocks, each once: what is written of a segment never changes."""
        missing = [block for block in blocks if block not in self._read]
        stored = self._shelf.vectors.packed(self._name, missing) if missing else []
        new = {block: unpack(each, block.count) for block, each in zip(missing, stored, strict=True)}
        # What is part of another segment by now is forgotten.
        self._read = {block: new[block] if block in new else self._read[block] for block in blocks}
        return self._read

    def catch_up(self, records: Sequence[Record], limits: Mapping[str, float], most_s: float) -> int:
        """Embed what has no vector of this embedder yet, and give how many chunks that were."""
        until, texts, done = monotonic() + most_s, Texts(records), 0
        for _ in range(TRIES):
            try:
                for block, said in self._missing(limits, texts):
                    self._shelf.vectors.keep(self._name, block, self._embedded(said))
                    done += block.count
                    if monotonic() >= until:
                        return done
            except Moved:
                continue
            break
        return done

    def _embedded(self, said: Sequence[tuple[str, ...]]) -> bytes:
        """Embed some chunks, each by its one or two texts."""
        found = self._embedder.embed([text for texts in said for text in texts])
        last = list(accumulate(map(len, said)))
        own, near = (
            [found[end - len(texts)] for end, texts in zip(last, said, strict=True)],
            [found[end - 1] for end in last],
        )
        return pack(own, near, NEAR)

    def _missing(self, limits: Mapping[str, float], texts: Texts) -> Iterator[tuple[Block, list[tuple[str, ...]]]]:
        """Give what has no vector, a few neighbouring chunks at once, with their texts. Raises `Moved`."""
        there: dict[int, list[Block]] = {}
        for block in self._shelf.vectors.blocks(self._name):
            there.setdefault(block.number, []).append(block)
        for number, head in self._shelf.heads(limits).items():
            for start, end in _gaps(there.get(number, []), head.count):
                places, said = self._shelf.places(number), list[tuple[str, ...]]()
                for chunk in range(start, end):
                    each = texts.of(places[chunk]) if places[chunk].seq <= limits[head.branch] else ()
                    if each:
                        said.append(each)
                    if said and (not each or len(said) == AT_ONCE or chunk == end - 1):
                        behind = chunk + 1 if each else chunk
                        yield Block(number, behind - len(said), len(said)), said
                        said = []


def _gaps(blocks: Sequence[Block], count: int) -> Iterator[tuple[int, int]]:
    """Give which chunks of a segment no block holds."""
    at = 0
    for block in sorted(blocks, key=lambda block: block.first):
        if block.first > at:
            yield at, block.first
        at = max(at, block.end)
    if at < count:
        yield at, count

"""Vectors as they are kept: each with a scale, in a byte for each number, in blocks of neighbouring chunks.

A number takes a byte, a quarter of the room; all that is measured is measured so. numpy is imported where the first
vector is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from unabridged.errors import EmbeddingError

if TYPE_CHECKING:
    from numpy import float32, int8
    from numpy.typing import NDArray

SCALE = 4
"""Bytes of a vector before its numbers."""
STEPS = 127


class Block(msgspec.Struct, frozen=True):
    """Chunks [first, first + count) of a segment that have vectors."""

    number: int
    """Of the segment."""
    first: int
    count: int

    @property
    def end(self) -> int:
        """Give the chunk behind its last."""
        return self.first + self.count


class Moved(Exception):
    """A segment is part of another one by now: search again."""


class Vectors(Protocol):
    """Keeps the vectors of a conversation beside its segments: they move and go with them."""

    def blocks(self, embedder: str) -> list[Block]:
        """Give which chunks have vectors of an embedder."""
        ...

    def packed(self, embedder: str, blocks: Sequence[Block]) -> list[bytes]:
        """Give the vectors of some blocks. Raises `Moved` where one is part of another segment by now."""
        ...

    def keep(self, embedder: str, block: Block, vectors: bytes) -> None:
        """Keep vectors; those that other embedders made of the segment go.

        Nothing is kept where the segment is gone by now, or where others were quicker.
        """
        ...


class MemoryVectors:
    """Keeps vectors for as long as the process lives."""

    def __init__(self) -> None:
        self._kept: dict[int, dict[Block, tuple[str, bytes]]] = {}
        self._lock = Lock()

    def open(self, number: int, parts: Mapping[int, int]) -> None:
        """Begin to keep those of a segment; it may be made of others: `parts` says where each begins in it."""
        with self._lock:
            kept = [
                (embedder, Block(number, block.first + at, block.count), vectors)
                for part, at in parts.items()
                for block, (embedder, vectors) in self._kept.pop(part, {}).items()
            ]
            self._kept[number] = {block: (embedder, vectors) for embedder, block, vectors in joined(kept)}

    def blocks(self, embedder: str) -> list[Block]:
        """Give which chunks have vectors of an embedder."""
        with self._lock:
            return [block for kept in self._kept.values() for block, (name, _) in kept.items() if name == embedder]

    def packed(self, embedder: str, blocks: Sequence[Block]) -> list[bytes]:
        """Give the vectors of some blocks. Raises `Moved`."""
        with self._lock:
            found = [self._kept.get(block.number, {}).get(block) for block in blocks]
        if any(each is None or each[0] != embedder for each in found):
            raise Moved
        return [each[1] for each in found if each is not None]

    def keep(self, embedder: str, block: Block, vectors: bytes) -> None:
        """Keep vectors."""
        with self._lock:
            kept = self._kept.get(block.number)
            if kept is None:
                return
            for other in [other for other, (name, _) in kept.items() if name != embedder]:
                del kept[other]
            if not any(other.first < block.end and block.first < other.end for other in kept):
                kept[block] = (embedder, vectors)


def joined(kept: Iterable[tuple[str, Block, bytes]]) -> list[tuple[str, Block, bytes]]:
    """Make one block of blocks of one segment that follow each other: a search reads few."""
    runs: list[list[tuple[str, Block, bytes]]] = []
    for each in sorted(kept, key=lambda each: each[1].first):
        if runs and _follows(runs[-1][-1], each):
            runs[-1].append(each)
        else:
            runs.append([each])
    return [
        (
            run[0][0],
            Block(run[0][1].number, run[0][1].first, run[-1][1].end - run[0][1].first),
            b"".join(each[2] for each in run),
        )
        for run in runs
    ]


def _follows(before: tuple[str, Block, bytes], each: tuple[str, Block, bytes]) -> bool:
    """Tell whether two blocks can be one: of one embedder, and with vectors of one length."""
    (embedder, last, known), (name, block, vectors) = before, each
    return embedder == name and last.end == block.first and len(known) * block.count == len(vectors) * last.count


def pack(own: Sequence[Sequence[float]], near: Sequence[Sequence[float]], share: float) -> bytes:
    """Give vectors as they are kept, each made of two; `share` is the second one's. Only directions count."""
    numpy = the_numpy()
    given = _directions((1 - share) * _directions(own) + share * _directions(near))
    scales = numpy.abs(given).max(axis=1, keepdims=True) / STEPS
    kept = numpy.empty(len(given), _layout(given.shape[1]))
    kept["scale"] = scales[:, 0]
    kept["numbers"] = numpy.rint(given / numpy.maximum(scales, 1e-12))
    return bytes(kept.tobytes())


def _directions(vectors: Any) -> Any:
    numpy = the_numpy()
    given = numpy.asarray(vectors, numpy.float32)
    return given / numpy.maximum(numpy.linalg.norm(given, axis=1, keepdims=True), 1e-12)


def unpack(stored: bytes, count: int) -> tuple[NDArray[int8], NDArray[float32]]:
    """Read vectors back: the numbers of each, and what they are multiplied by."""
    numpy = the_numpy()
    kept = numpy.frombuffer(stored, _layout(len(stored) // count - SCALE))
    return numpy.ascontiguousarray(kept["numbers"]), kept["scale"].astype(numpy.float32)


def _layout(dimensions: int) -> list[Any]:
    return [("scale", "<f4"), ("numbers", "i1", (dimensions,))]


def the_numpy() -> Any:
    """Give numpy, which whoever embeds nothing needs not. Raises `EmbeddingError`."""
    try:
        import numpy
    except ModuleNotFoundError:
        raise EmbeddingError("numpy", "searching by vectors needs numpy: pip install 'unabridged[dense]'") from None
    return numpy

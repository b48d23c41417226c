"""What of a chunk is embedded: its text, and a short one's again with what stands before and behind it; no secrets."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from unabridged.archive.chunks import Place, chunks_of, text_of, tools_of
from unabridged.redact import secrets_in, without
from unabridged.transcript import Record

RECIPE = "1"
"""Part of the name of every vector: another way to make the text makes other vectors."""
SHORT = 500
"""Characters of a chunk that is embedded with what is near: a longer one speaks for itself."""
NEAR = 250
"""Characters on either side."""
AWAY = 5
"""Messages that are looked through for one that says something."""
KEPT = 8
"""Messages that are read once for all the chunks they are in or near."""


class _Read(msgspec.Struct, frozen=True):
    text: str
    secrets: list[tuple[int, int]]

    def part(self, start: int, end: int) -> str:
        return without(self.text, self.secrets, max(0, start), min(len(self.text), end))


class Texts:
    """The texts of one branch, as they are embedded."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records
        self._read: dict[int, _Read | None] = {}

    def of(self, chunk: Place) -> tuple[str, ...]:
        """Give what of a chunk is embedded, one text or two; nothing where the branch does not hold it."""
        place = place_of(self._records, chunk.seq)
        read = self._message(place) if place is not None else None
        if place is None or read is None:
            return ()
        text = read.part(chunk.start, chunk.end)
        if chunk.end - chunk.start >= SHORT:
            return (text,)
        before = read.part(chunk.start - NEAR, chunk.start) if chunk.start else self._beside(place, -1)
        after = read.part(chunk.end, chunk.end + NEAR) if chunk.end < len(read.text) else self._beside(place, 1)
        return text, " ".join(filter(None, (before, text, after)))

    def _beside(self, place: int, step: int) -> str:
        for other in range(place + step, place + step * (AWAY + 1), step):
            read = self._message(other) if 0 <= other < len(self._records) else None
            if read is not None:
                return read.part(0, NEAR) if step > 0 else read.part(len(read.text) - NEAR, len(read.text))
        return ""

    def _message(self, place: int) -> _Read | None:
        """Read a message; None for one of which nothing is archived."""
        if place not in self._read:
            while len(self._read) >= KEPT:
                del self._read[next(iter(self._read))]
            record = self._records[place]
            text = text_of(record.message)
            silent = next(chunks_of(record.message, record.seq, tools_of(self._records, place)), None) is None
            self._read[place] = None if silent else _Read(text, secrets_in(text))
        return self._read[place]


def place_of(records: Sequence[Record], seq: int) -> int | None:
    """Give where on a branch the message at this place of its log stands; None where none of the branch does."""
    place = bisect_left(records, seq, key=lambda record: record.seq)
    return place if place < len(records) and records[place].seq == seq else None

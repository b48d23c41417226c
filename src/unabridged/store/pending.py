"""Entries that are made and not written yet: those of one append, or of one step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unabridged.entry import Entry, MessageEntry
from unabridged.message import media_digests
from unabridged.tokens.price import Cost


class Pending:
    """What one transaction will write, in order."""

    __slots__ = ("costs", "entries", "large", "refused", "rows", "told")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.rows: list[tuple[Any, ...]] = []
        self.costs: list[Cost | None] = []
        self.large: dict[bytes, bytes] = {}
        """Large texts by digest."""
        self.refused: list[tuple[int, str, int]] = []
        """Position of a refused message, the branch that it is refused on, and the position of the refusal."""
        self.told = 0
        """How many of these a writer believes to be written: `append` gave them to somebody already."""

    def add(self, entry: Entry, row: tuple[Any, ...], cost: Cost | None, large: dict[bytes, bytes]) -> None:
        """Take in one more entry: its row, what it costs, and its large texts."""
        self.entries.append(entry)
        self.rows.append(row)
        self.costs.append(cost)
        if large:
            self.large |= large

    def back_to(self, length: int) -> None:
        """Forget all but the first entries."""
        del self.entries[length:], self.rows[length:], self.costs[length:]
        last = self.entries[-1].seq if self.entries else -1
        self.refused = [each for each in self.refused if each[2] <= last]

    def on(self, ancestry: Sequence[tuple[str, int]]) -> Iterator[tuple[Entry, Cost | None]]:
        """Give the entries of a branch, each with its cost; what was refused on it is not there."""
        limits = {branch: float("inf") if last == -1 else last for branch, last in ancestry}
        gone = {seq for seq, branch, at in self.refused if at <= limits.get(branch, -1)}
        for entry, cost in zip(self.entries, self.costs, strict=True):
            if entry.seq <= limits.get(entry.branch, -1) and entry.seq not in gone:
                yield entry, cost

    def media(self) -> set[str]:
        """Give the digests of all media that these entries refer to."""
        found: set[str] = set()
        for entry in self.entries:
            if isinstance(entry.payload, MessageEntry):
                found.update(media_digests(entry.payload.message))
        return found

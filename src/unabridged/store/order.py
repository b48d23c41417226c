"""Which entry has which place in a log, when a damaged file leaves doubts."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import pairwise

import msgspec

from unabridged.entry import Entry
from unabridged.log import linked
from unabridged.store.lines import StoredEntry
from unabridged.store.problem import Problem, ProblemKind


class _Held(msgspec.Struct, gc=False):
    entry: Entry
    line: int
    place: int
    """How many entries stand before it in the file, those that could not be read included."""
    proved: bool
    """Its digest follows from the entry before it."""

    @property
    def trust(self) -> tuple[bool, int]:
        """How likely `seq` is what was written: in a whole file it counts the entries before."""
        return self.proved, -abs(self.entry.seq - self.place)


class EntryOrder:
    """Takes entries as they stand in a file; each `seq` is given to one of them, the others are put aside."""

    def __init__(self) -> None:
        self.aside: list[Entry] = []
        self._held: dict[int, _Held] = {}
        self._place = 0
        self._previous = (-1, "")

    def __len__(self) -> int:
        return len(self._held)

    @property
    def next_seq(self) -> int:
        """The position behind the last entry."""
        return max(self._held, default=-1) + 1

    def entries(self) -> Iterator[Entry]:
        """Every entry that has a place, in order."""
        return (self._held[seq].entry for seq in sorted(self._held))

    def gaps(self) -> Iterator[Problem]:
        """Every entry that has a place, but whose forerunner is missing."""
        for before, seq in pairwise([-1, *sorted(self._held)]):
            if seq != before + 1:
                missing = f"{before + 1} to {seq - 1} are" if seq > before + 2 else f"{before + 1} is"
                yield Problem(self._held[seq].line, ProblemKind.GAP_IN_SEQ, f"{missing} not in the file")

    def skip(self) -> None:
        """Count an entry that could not be read."""
        self._place += 1

    def put(self, read: StoredEntry, line: int) -> list[Problem]:
        """Give an entry its place, and say what is wrong with it."""
        entry = read.entry
        problems: list[Problem] = []
        seq, digest = self._previous
        proved = False
        if entry.seq == seq + 1:
            proved = linked(digest, sha256(read.stored).digest()) == entry.log_digest
            if not proved:
                detail = f"entry {entry.seq} is not what was written, or follows another one"
                problems.append(Problem(line, ProblemKind.BAD_DIGEST, detail))
        elif entry.seq < seq and entry.seq not in self._held:
            problems.append(Problem(line, ProblemKind.OUT_OF_ORDER, f"entry {entry.seq} stands behind entry {seq}"))
        self._previous = (entry.seq, entry.log_digest)
        new = _Held(entry, line, self._place, proved)
        self._place += 1
        old = self._held.setdefault(entry.seq, new)
        if old is not new:
            problems.append(Problem(line, ProblemKind.DUPLICATE_SEQ, self._settle(old, new)))
        return problems

    def _settle(self, old: _Held, new: _Held) -> str:
        seq = new.entry.seq
        if old.entry == new.entry:
            return f"entry {seq} once more; the first is on line {old.line}"
        kept, other = (new, old) if new.trust > old.trust else (old, new)
        self._held[seq] = kept
        self.aside.append(other.entry)
        return f"another entry {seq}; the one of line {other.line} is put aside"

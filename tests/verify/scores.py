"""How far down the list what was looked for stands: recall of the first hits, and the rank of the first right one."""

from __future__ import annotations

from collections.abc import Sequence

from unabridged.archive import Archive
from unabridged.log import MAIN, Log
from unabridged.message import Message
from unabridged.transcript import Transcript

SCOPE = ((MAIN, -1),)
CUTS: tuple[int, ...] = (5, 10, 20)


class Scores:
    """How far down the list what was looked for stands."""

    def __init__(self) -> None:
        self.asked = 0
        self._recall: dict[int, float] = dict.fromkeys(CUTS, 0.0)
        self._rank = 0.0

    def add(self, found: Sequence[str], gold: frozenset[str]) -> None:
        """Take in the ids that were found, best first."""
        self.asked += 1
        for cut in CUTS:
            self._recall[cut] += len(gold.intersection(found[:cut])) / len(gold)
        self._rank += next((1 / place for place, id in enumerate(found, 1) if id in gold), 0.0)

    def recall(self, cut: int) -> float:
        """Give the share of what was looked for among the first hits."""
        return self._recall[cut] / max(1, self.asked)

    @property
    def rank(self) -> float:
        """Give the mean reciprocal rank of the first right hit."""
        return self._rank / max(1, self.asked)

    def row(self, name: str) -> str:
        """Give a line of a table."""
        cells = "".join(f"{self.recall(cut):>8.3f}" for cut in CUTS)
        return f"{name:26}{self.asked:>7}{cells}{self.rank:>8.3f}"

    def is_below(self, other: Scores) -> bool:
        """Tell whether any figure, as it is printed, is below the other's."""
        mine, theirs = ([*map(each.recall, CUTS), each.rank] for each in (self, other))
        return any(round(a, 3) < round(b, 3) for a, b in zip(mine, theirs, strict=True))


def transcript_of(messages: Sequence[Message]) -> Transcript:
    """Give a conversation; of messages with one id the first."""
    transcript = Transcript(Log())
    for message in messages:
        if message.id not in transcript.position:
            transcript.append(message)
    return transcript


def found(archive: Archive, query: str) -> list[str]:
    """Give the ids of messages, each once."""
    return list(dict.fromkeys(hit.place.message for hit in archive.search(query, scope=SCOPE, limit=2 * CUTS[-1])))

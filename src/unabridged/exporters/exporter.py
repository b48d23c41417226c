"""What an exporter is given and gives, and the sentences about what its format cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol

from unabridged.importers import Imported


class Losses:
    """Counts what is left out or said in another way, for the person who exports."""

    def __init__(self) -> None:
        self._counted: Counter[str] = Counter()

    def note(self, what: str, count: int = 1) -> None:
        """Count one thing more, in words that a number may follow: `thoughts are left out`."""
        if count:
            self._counted[what] += count

    @property
    def sentences(self) -> list[str]:
        """One sentence for each kind."""
        return [f"{what} ({count:,})" for what, count in self._counted.items()]


class Exporter(Protocol):
    """Writes one format."""

    @property
    def name(self) -> str:
        """What `--to` calls it."""
        ...

    @property
    def about(self) -> str:
        """What it is and who loads it, in a few words."""
        ...

    @property
    def suffix(self) -> str:
        """How its files end."""
        ...

    @property
    def holds_several(self) -> bool:
        """Whether one file may hold several conversations."""
        ...

    def write(self, conversations: Sequence[Imported], losses: Losses) -> Iterator[str]:
        """Give the text of the file, piece by piece."""
        ...

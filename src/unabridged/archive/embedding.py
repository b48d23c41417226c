"""What turns texts into vectors: near each other where texts mean nearly the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Embeds texts. `unabridged.archive.packaged` and `unabridged.archive.served` have one each.

    How long its vectors are, they say themselves: of a model behind a service nobody knows before its first answer.
    """

    @property
    def name(self) -> str:
        """Which model with which settings. Vectors of different names are never compared."""
        ...

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Give one vector for each text, all of one length. Raises `EmbeddingError`."""
        ...

"""Going back to before a person said something: what there is to go back to, and what it comes to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class Files(Protocol):
    """Keeps files as they were before each turn."""

    def begin(self, turn: str) -> None:
        """Take note that a turn begins; `turn` is the id of what the person said."""
        ...

    def restore(self, turn: str) -> Sequence[str]:
        """Put files back to how they were before a turn; gives their paths. It can be undone."""
        ...

    def undo(self) -> Sequence[str]:
        """Take back the last `restore`; gives the paths."""
        ...

    def affected(self, turn: str) -> Sequence[str]:
        """Give the paths that `restore` would touch."""
        ...

    def diff(self, turn: str | None = None) -> str:
        """Give what was changed since a turn began, or since the first, as a unified diff."""
        ...


class Point(msgspec.Struct, frozen=True):
    """Something that a person said, to go back to."""

    id: str
    number: int
    """Of the message in the transcript, from 1."""
    text: str


class Rewound(msgspec.Struct, frozen=True):
    """What a rewind came to."""

    text: str
    """What the person had said there, to be said otherwise."""
    files: tuple[str, ...]

"""What is drawn on: a terminal with a live part, or one that only takes lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rich.console import Console, RenderableType


class Leaves(Exception):
    """The person leaves while they were asked."""


class Screen(Protocol):
    """Implementations do not inherit."""

    @property
    def console(self) -> Console:
        """Where it is printed: its width, its colours."""
        ...

    def show(self, *what: RenderableType) -> None:
        """Print something for good, in the order in which it is given."""
        ...

    def refresh(self) -> None:
        """Draw what is live anew, as soon as there is time."""
        ...

    async def choose(self, shown: Sequence[RenderableType], keys: Mapping[str, str], none: str) -> str:
        """Ask for one of some keys, each with what it does; gives the key. Escape gives `none`."""
        ...

    async def line(self, label: str) -> str:
        """Ask for a line; "" where nothing was typed, or Escape was."""
        ...

    def prefill(self, text: str) -> None:
        """Put a text where the person types, to be changed and sent."""
        ...

    def leave(self) -> None:
        """End."""
        ...

    async def run(self, typist: Typist) -> None:
        """Take what is typed until somebody leaves."""
        ...


class Typist(Protocol):
    """Takes what a person types and which keys they press."""

    @property
    def is_busy(self) -> bool:
        """Something runs that can be interrupted."""
        ...

    def live(self, width: int) -> Sequence[RenderableType]:
        """Give what is still coming."""
        ...

    def status(self, width: int) -> list[tuple[str, str]]:
        """Give the line below the input."""
        ...

    def submit(self, text: str) -> None:
        """Take a text that was sent."""
        ...

    def interrupt(self) -> bool:
        """Stop what runs; False where nothing does."""
        ...

    def cycle_mode(self) -> None:
        """Go to the next mode."""
        ...

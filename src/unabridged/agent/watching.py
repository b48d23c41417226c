"""Who watches an agent, and what was heard of the answer that comes in."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from unabridged.agent.events import Event, Streamed
from unabridged.message import Message
from unabridged.models.model import Event as ModelEvent
from unabridged.models.model import Restarted, TextDelta


def _nobody(_: object) -> None:
    return None


class Watcher(msgspec.Struct, frozen=True, kw_only=True):
    """Is told what happens. What it raises ends the turn: it should raise nothing."""

    tell: Callable[[Event], None] = _nobody
    task: Callable[[Message], None] = _nobody
    """Takes what a person said, as appended, before anything is done about it."""
    window: Callable[[int], None] = _nobody
    """Takes a window that the provider taught."""


class Heard:
    """The text of an answer that is not complete yet."""

    def __init__(self, tell: Callable[[Event], None]) -> None:
        self._tell = tell
        self._pieces: list[str] = []

    @property
    def text(self) -> str:
        """Give it as far as it came."""
        return "".join(self._pieces)

    def take(self, event: ModelEvent) -> None:
        """Take in what was streamed, and tell it on."""
        if isinstance(event, TextDelta):
            self._pieces.append(event.text)
        elif isinstance(event, Restarted):
            self.clear()  # what came is void
        self._tell(Streamed(event))

    def clear(self) -> None:
        """Begin anew."""
        self._pieces.clear()

"""What a call is about to touch, and who says whether it may."""

from __future__ import annotations

from typing import Protocol

import msgspec


class Reads(msgspec.Struct, frozen=True, tag="reads"):
    """Looks at a file or folder."""

    path: str
    """Absolute, links followed."""


class Writes(msgspec.Struct, frozen=True, tag="writes"):
    """Changes, makes or removes a file."""

    path: str
    """Absolute, links followed."""


class Runs(msgspec.Struct, frozen=True, tag="runs"):
    """Runs a command in a shell."""

    command: str
    folder: str
    """Where it begins, absolute."""


class Fetches(msgspec.Struct, frozen=True, tag="fetches"):
    """Reads from the network."""

    url: str


Access = Reads | Writes | Runs | Fetches


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A call that waits for permission."""

    tool: str
    title: str
    """What it is about, in one line: a path, a command."""
    touches: tuple[Access, ...] = ()
    preview: str = ""
    """What would change, as a unified diff. Empty where nothing is edited."""
    reads_only: bool = False


class Verdict(msgspec.Struct, frozen=True):
    """What came of asking."""

    allowed: bool
    why: str = ""
    """What the model is told where it may not: what to do instead, or the person's own words."""


class Permissions(Protocol):
    """Says whether a call may run; asks a person where the rules leave it open."""

    async def allow(self, asked: Asked) -> Verdict:
        """Judge one call. Never raises for what a model can write; a person who walks away cancels the task."""
        ...

"""What every kind of output is given, and what it must do with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import msgspec

from unabridged.importers import Imported
from unabridged.replay.walk import Step


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation to show."""

    file: str
    """As it was named on the command line."""
    conversation: Imported
    steps: Iterable[Step]
    """The walk; it happens while the steps are taken."""
    alone: bool
    """Nothing else is shown."""


class Outlet(Protocol):
    """One kind of output."""

    def show(self, job: Job) -> None:
        """Walk one conversation and print what is asked for. Raises `BadInput` when it is not there."""
        ...

    def finish(self) -> None:
        """Print what is said once, after all conversations."""
        ...

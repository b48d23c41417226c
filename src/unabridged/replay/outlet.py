"""What every kind of output is given, and what it must do with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import msgspec

from unabridged.importers import Imported
from unabridged.policy import Policy
from unabridged.replay.walk import Step


class Walk(Protocol):
    """Walks one conversation under each of some policies, and shows how far it is."""

    def __call__(self, policies: Sequence[Policy], *, mortal: bool = False) -> Iterator[tuple[int, Step]]:
        """Give every step with the number of its policy, policy by policy. A walk happens while it is taken.

        With `mortal` a walk that leaves nothing out ends where the window is outgrown.
        """
        ...


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """One conversation to show."""

    file: str
    """As it was named on the command line."""
    conversation: Imported
    policy: Policy
    """The one that was asked for."""
    walk: Walk
    alone: bool
    """Nothing else is shown."""

    @property
    def steps(self) -> Iterator[Step]:
        """The walk under the policy that was asked for."""
        return (step for _, step in self.walk([self.policy]))


class Outlet(Protocol):
    """One kind of output."""

    def show(self, job: Job) -> None:
        """Walk one conversation and print what is asked for. Raises `BadInput` when it is not there."""
        ...

    def finish(self) -> None:
        """Print what is said once, after all conversations."""
        ...

"""What a sandbox is, and what it is told to hold."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from unabridged.sandbox.secret_files import kept_from_commands, secret_places


class Level(StrEnum):
    """How well commands are held."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "landlock"
    NONE = "none"


class Confinement(msgspec.Struct, frozen=True, kw_only=True):
    """What commands may do at most."""

    writable: tuple[Path, ...]
    """Absolute, links followed: the workspace, and what its user added."""
    temp: Path
    """Theirs alone, for this session."""
    home: Path = msgspec.field(default_factory=Path.home)
    readable: tuple[Path, ...] = ()
    """Of what a private temporary folder would hide: kept outputs."""
    network: bool = False
    hides_secrets_of_workspace: bool = True
    """`.env` files and private keys. Programs that read them find them empty."""
    system: tuple[Path, ...] | None = None
    """All of the machine that can be seen, for commands of strangers; None: all but secrets, for the user's own.

    Then nothing of the writable folders is kept or hidden: what lies there was made by the same stranger.
    """

    @property
    def is_closed(self) -> bool:
        """Only what is named can be seen."""
        return self.system is not None

    def hidden(self) -> list[Path]:
        """Give the secrets that are there now, links followed: hidden under whatever name."""
        if self.is_closed:
            return []
        found = [Path(os.path.realpath(path)) for path in secret_places(self.home) if os.path.lexists(path)]
        if self.hides_secrets_of_workspace:
            found += [path for folder in self.writable for path in kept_from_commands(folder)]
        return [path for path in dict.fromkeys(found) if path.exists() and not self._holds_workspace(path)]

    def kept(self) -> list[Path]:
        """Give what lies in the workspace and must not change: what git runs, and rules for the agent itself."""
        names = (".git/hooks", ".git/config", ".git/config.worktree", ".git/info/attributes", ".unabridged")
        return self._own(names)

    def held(self) -> list[Path]:
        """Give the folders that must not be moved: or all of `.git` could be put aside, and another one made."""
        return [path for path in self._own((".git",)) if path.is_dir()]

    def _own(self, names: Sequence[str]) -> list[Path]:
        """Give those that are there and are no links: one that a command made could lead out, and be mounted."""
        if self.is_closed:
            return []
        found = [folder / name for folder in self.writable for name in names]
        return [path for path in found if path.exists() and os.path.realpath(path) == str(path)]

    def _holds_workspace(self, path: Path) -> bool:
        return any(folder == path or path in folder.parents for folder in (*self.writable, self.temp))


class Sandbox(Protocol):
    """Puts a command into what holds it. Implementations do not inherit."""

    @property
    def level(self) -> Level:
        """How well it holds."""
        ...

    def command(self, argv: Sequence[str], folder: Path) -> list[str]:
        """Give what to start instead of a command that is to run in a folder. Its process ends with ours."""
        ...

    def describe(self) -> str:
        """Say in a few sentences what holds commands and what does not: for the user and for the model."""
        ...


class Unconfined:
    """No sandbox: commands may do whatever the user may."""

    level = Level.NONE

    def __init__(self, why: str = "it was switched off") -> None:
        self.why = why

    def command(self, argv: Sequence[str], folder: Path) -> list[str]:
        """Give the command as it is."""
        del folder
        return list(argv)

    def describe(self) -> str:
        """Say it plainly."""
        return (
            f"sandbox: none ({self.why}). Commands can read, change and send whatever the user can: only permissions "
            "stand between them and the machine."
        )

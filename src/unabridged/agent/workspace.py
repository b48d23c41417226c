"""Where an agent may work: a folder, and others that its user added."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

from unabridged.agent.tool import ToolError


class Workspace(msgspec.Struct, frozen=True):
    """Folders, absolute and without links."""

    root: Path
    others: tuple[Path, ...] = ()

    @classmethod
    def at(cls, root: str | Path, *others: str | Path) -> Workspace:
        """Give the workspace of these folders."""
        return cls(Path(root).resolve(), tuple(Path(each).resolve() for each in others))

    @property
    def folders(self) -> tuple[Path, ...]:
        """Give all of its folders, the root first."""
        return (self.root, *self.others)

    def resolve(self, given: str) -> Path:
        """Give a path as the system finds it: from the root, links followed, whether it is there or not.

        Raises `ToolError` for what can be no path.
        """
        if not given or "\0" in given:
            raise ToolError(f"{given!r} is no path: give one, relative to {self.root} or absolute")
        try:
            return Path(os.path.realpath(self.root / os.path.expanduser(given)))
        except (OSError, ValueError) as error:
            raise ToolError(f"{given!r} is no path that can be followed ({error})") from None

    def holds(self, path: Path) -> bool:
        """Tell whether a resolved path lies inside."""
        return any(path == folder or folder in path.parents for folder in self.folders)

    def shown(self, path: Path) -> str:
        """Give a path as people and models read it: relative to the root where it lies there."""
        return str(path.relative_to(self.root)) if path == self.root or self.root in path.parents else str(path)

"""Where commands run: the workspace, what holds them, where their output is kept."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from unabridged.agent.tool import ToolError
from unabridged.agent.workspace import Workspace
from unabridged.sandbox.captured import Captured
from unabridged.sandbox.command_line import shell, unfit
from unabridged.sandbox.environment import clean_environment
from unabridged.sandbox.processes import Started
from unabridged.sandbox.sandbox import Sandbox


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """What every command of a session has in common."""

    workspace: Workspace
    sandbox: Sandbox
    temp: Path
    """A folder of theirs alone, the one that the sandbox was told of."""
    outputs: Path
    """Takes outputs that are too long. Tools must be allowed to read there."""
    keep: tuple[str, ...] = ()
    """More variables of the environment that commands get."""

    def folder(self, given: str) -> Path:
        """Give the folder that a command begins in. Raises `ToolError`."""
        folder = self.workspace.resolve(given or ".")
        if not folder.is_dir():
            raise ToolError(f"{given!r} is no folder: give one that is there, relative to {self.workspace.root}")
        return folder

    async def start(self, command: str, folder: Path, say: Callable[[str], None]) -> Started:
        """Start a command in a shell. Raises `ToolError`."""
        check(command)
        started = Started(Captured(self.outputs), say)
        environment = clean_environment(os.environ, self.temp, self.keep)
        try:
            await started.start(self.sandbox.command([*shell(), command], folder), folder, environment)
        except OSError as error:
            raise ToolError(f"the command could not be started: {error}") from None
        return started


def check(command: str) -> None:
    """Raise `ToolError` for what no shell could be given."""
    why = unfit(command)
    if why:
        raise ToolError(why)

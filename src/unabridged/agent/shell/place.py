"""Where commands run: the workspace, what holds them, where their output is kept."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import msgspec

from unabridged.agent.sandbox.environment import clean_environment
from unabridged.agent.sandbox.sandbox import Sandbox
from unabridged.agent.shell.captured import Captured
from unabridged.agent.shell.processes import Started
from unabridged.agent.tool import ToolError
from unabridged.agent.workspace import Workspace

# One argument of a program may not be longer on Linux.
_LONGEST = 128_000


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
            await started.start(self.sandbox.command([*_shell(), command], folder), folder, environment)
        except OSError as error:
            raise ToolError(f"the command could not be started: {error}") from None
        return started


def check(command: str) -> None:
    """Raise `ToolError` for what no shell could be given."""
    if not command.strip():
        raise ToolError("the command is empty: give one")
    if "\0" in command:
        raise ToolError(
            "a command cannot hold a NUL character: write it to a file, or as an escape that the shell reads"
        )
    try:
        length = len(command.encode())
    except UnicodeEncodeError:
        raise ToolError("the command holds half of a surrogate pair, which no program can be given") from None
    if length > _LONGEST:
        raise ToolError(
            f"the command has {length:,} bytes, more than {_LONGEST:,}: write a script to a file and run it"
        )


def told(code: int | None) -> str:
    """Say how a command ended."""
    if code is not None and code < 0:
        names = {each.value: each.name for each in signal.Signals}
        return f"ended by {names.get(-code, f'signal {-code}')}"
    return f"exit {code}"


def _shell() -> list[str]:
    if os.access("/bin/bash", os.X_OK):
        return ["/bin/bash", "--noprofile", "--norc", "-c"]
    return ["/bin/sh", "-c"]

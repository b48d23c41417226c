"""Files as they were before each turn: what tools and commands change is kept first, and can be put back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unabridged.agent.access import Access
from unabridged.agent.files.checkpoints import Change, Checkpoints
from unabridged.agent.files.diff import difference
from unabridged.agent.files.restoring import changes_since, restore, text_of
from unabridged.agent.files.text import NotText
from unabridged.agent.files.watching import Watcher
from unabridged.agent.files.working import aside
from unabridged.agent.tool import Output, Running, Tool, ToolError
from unabridged.agent.workspace import Workspace
from unabridged.errors import BadInput, NotFound


class FilesOfTurns:
    """The files of a workspace, turn by turn. A turn is named by the id of what the person said."""

    def __init__(self, checkpoints: Checkpoints, workspace: Workspace) -> None:
        self._checkpoints = checkpoints
        self._workspace = workspace
        self._undo = ""

    def begin(self, turn: str) -> None:
        """Take note that a turn begins. Raises `ToolError` where nothing can be written."""
        self._checkpoints.begin(turn)

    def affected(self, turn: str) -> Sequence[str]:
        """Give the paths that `restore` would touch; none for a turn that nothing is known of."""
        try:
            return [self._shown(change.path) for change in changes_since(self._checkpoints, turn)]
        except NotFound:
            return ()

    def restore(self, turn: str) -> Sequence[str]:
        """Put files back to how they were before a turn; gives their paths. It can be undone."""
        try:
            outcome = restore(self._checkpoints, turn)
        except NotFound:
            return ()
        self._undo = outcome.undo
        return [self._shown(change.path) for change in outcome.changes]

    def undo(self) -> Sequence[str]:
        """Take back the last `restore`; gives the paths. Raises `BadInput` where there was none."""
        if not self._undo:
            raise BadInput("no files were put back since the agent was started")
        return self.restore(self._undo)

    def diff(self, turn: str | None = None) -> str:
        """Give what was changed since a turn began, or since the first, as a unified diff."""
        turns = self._checkpoints.turns
        if not turns or (turn is not None and turn not in turns):
            return ""
        changes = changes_since(self._checkpoints, turn or turns[0])
        return "".join(self._difference(change) for change in changes)

    def _difference(self, change: Change) -> str:
        name = self._shown(change.path)
        try:
            old, new = (text_of(self._checkpoints, change.path, state) for state in (change.before, change.after))
        except (NotText, ToolError, OSError):
            return f"{name}: no text, or too large to be kept\n"
        return difference(old, new, name).diff

    def _shown(self, path: Path) -> str:
        return self._workspace.shown(path)


class KeepingShell:
    """A shell whose commands are watched: what they change in the workspace is kept as it was."""

    reads_only = False

    def __init__(self, shell: Tool, watcher: Watcher) -> None:
        self.name = shell.name
        self.description = shell.description
        self.arguments = shell.arguments
        self._shell = shell
        self._watcher = watcher

    def title(self, arguments: Any) -> str:
        """Give the command in one line."""
        return self._shell.title(arguments)

    def touches(self, arguments: Any) -> Sequence[Access]:
        """Say that it runs this command."""
        return self._shell.touches(arguments)

    def preview(self, arguments: Any) -> str:
        """Nothing: what a command changes is known only afterwards."""
        return self._shell.preview(arguments)

    async def run(self, arguments: Any, running: Running) -> Output:
        """Look, run the command, and look again, whatever ends it."""
        watch = await aside(self._watcher.before)
        try:
            return await self._shell.run(arguments, running)
        finally:
            if watch is not None:
                await aside(lambda: self._watcher.after(watch))

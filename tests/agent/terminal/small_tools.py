"""The terminal with two tools of our own: one that edits with a diff, one that talks while it runs.

Run as a program: `small_tools.py FOLDER STORE URL [TEXT]`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from unabridged.agent.access import Access, Runs, Writes
from unabridged.agent.assembly import Parts
from unabridged.agent.permissions.gate import Gate
from unabridged.agent.permissions.questions import Ask, Mode
from unabridged.agent.permissions.ruling import Policy
from unabridged.agent.settings import Settings
from unabridged.agent.tool import Output, Running
from unabridged.agent.workspace import Workspace


class _Edit(msgspec.Struct):
    path: str


class EditTool:
    name = "edit"
    description = "Edit a file."
    arguments: type[msgspec.Struct] = _Edit
    reads_only = False

    def __init__(self, files: KeptFiles, workspace: Workspace) -> None:
        self._files = files
        self._workspace = workspace

    def title(self, arguments: Any) -> str:
        return str(arguments.path)

    def touches(self, arguments: Any) -> Sequence[Access]:
        return (Writes(str(self._workspace.resolve(arguments.path))),)

    def preview(self, arguments: Any) -> str:
        return f"--- {arguments.path}\n+++ {arguments.path}\n@@ -1 +1 @@\n-old line\n+new line\n"

    async def run(self, arguments: Any, running: Running) -> Output:
        del running
        self._files.changed.append(arguments.path)
        return Output(text="Edited.", headline="1 line", diff=self.preview(arguments))


class _Shell(msgspec.Struct):
    command: str


class ShellTool:
    name = "shell"
    description = "Run a command."
    arguments: type[msgspec.Struct] = _Shell
    reads_only = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def title(self, arguments: Any) -> str:
        return str(arguments.command)

    def touches(self, arguments: Any) -> Sequence[Access]:
        return (Runs(str(arguments.command), str(self._workspace.root)),)

    def preview(self, arguments: Any) -> str:
        del arguments
        return ""

    async def run(self, arguments: Any, running: Running) -> Output:
        running.say(f"running {arguments.command}\n")
        if arguments.command == "make wait":
            await asyncio.sleep(600)
        return Output(text=f"ran {arguments.command}", headline="exit 0")


class KeptFiles:
    """Says which files were changed, and that they were put back."""

    def __init__(self) -> None:
        self.changed: list[str] = []

    def begin(self, turn: str) -> None:
        del turn

    def restore(self, turn: str) -> Sequence[str]:
        del turn
        return self.changed

    def undo(self) -> Sequence[str]:
        return self.changed

    def affected(self, turn: str) -> Sequence[str]:
        del turn
        return self.changed

    def diff(self, turn: str | None = None) -> str:
        del turn
        return "--- a.py\n+++ a.py\n@@ -1 +1 @@\n-before\n+after\n" if self.changed else ""


@asynccontextmanager
async def assemble(settings: Settings, workspace: Workspace, ask: Ask | None) -> AsyncGenerator[Parts]:
    files = KeptFiles()
    permissions = Gate(Policy(workspace=workspace, mode=Mode(settings.mode)), ask)
    tools = (EditTool(files, workspace), ShellTool(workspace))
    yield Parts(tools=tools, permissions=permissions, files=files, level="no sandbox")


if __name__ == "__main__":
    from unabridged.agent.terminal.run import Opening, run

    folder, store, url, *text = sys.argv[1:]
    made = Settings(model="fake", base_url=f"{url}/v1", window=16_000)
    sys.exit(run(Opening(settings=made, folder=Path(folder), store=store, text=" ".join(text), assemble=assemble)))

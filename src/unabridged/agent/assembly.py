"""What an agent works with in a folder: its tools, who may use them, what keeps files as they were."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from unabridged.agent.access import Permissions
from unabridged.agent.fetching import FetchTool
from unabridged.agent.files.checkpoints import Checkpoints
from unabridged.agent.files.known import Known
from unabridged.agent.files.watching import Watcher as FileWatcher
from unabridged.agent.keeping import FilesOfTurns, KeepingShell
from unabridged.agent.permissions.gate import Gate
from unabridged.agent.permissions.questions import Ask, Mode
from unabridged.agent.permissions.rule_files import RuleFile, project_file, user_file
from unabridged.agent.permissions.rules import Rules
from unabridged.agent.permissions.ruling import Policy
from unabridged.agent.rewinding import Files
from unabridged.agent.settings import Settings
from unabridged.agent.shell.job_tools import JobKill, JobOutput
from unabridged.agent.shell.jobs import Jobs
from unabridged.agent.shell.place import Place
from unabridged.agent.shell.shell import Shell
from unabridged.agent.tool import Tool
from unabridged.agent.tools.edit import Edit
from unabridged.agent.tools.glob import GlobFiles
from unabridged.agent.tools.grep import Grep
from unabridged.agent.tools.read import Read
from unabridged.agent.tools.write import Write
from unabridged.agent.workspace import Workspace
from unabridged.folders import data_folder
from unabridged.sandbox.choosing import Wanted as Confining
from unabridged.sandbox.choosing import choose
from unabridged.sandbox.sandbox import Confinement, Level

Assembling = Callable[[Settings, Workspace, Ask | None], AbstractAsyncContextManager["Parts"]]
"""Puts together what is used in a folder. What it starts ends with its block."""


class Switched(Permissions, Protocol):
    """Permissions whose mode can be changed while they hold."""

    @property
    def mode(self) -> Mode:
        """The mode that holds now."""
        ...

    def switch(self, mode: Mode) -> None:
        """Change the mode, for the calls that follow."""
        ...


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What was put together."""

    tools: tuple[Tool, ...]
    permissions: Switched
    files: Files | None = None
    confined: str = ""
    """What confines commands, in a sentence for the model."""
    level: str = ""
    """The same in a word or two, for a status line."""


@asynccontextmanager
async def parts_of(settings: Settings, workspace: Workspace, ask: Ask | None) -> AsyncGenerator[Parts]:
    """Put together what these settings want. What was started ends with the block.

    Raises `BadInput` for rules that cannot be read, and for a sandbox that was named and does not work.
    """
    outputs, kept = data_folder() / "outputs", data_folder() / "files" / _name(workspace.root)
    for folder in (outputs, kept):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="unabridged-") as temp:
        own = Path(os.path.realpath(temp))
        confinement = Confinement(writable=workspace.folders, temp=own, readable=(outputs,), network=settings.network)
        sandbox = await asyncio.to_thread(choose, confinement, Confining(settings.sandbox))
        checkpoints = Checkpoints(kept)
        place = Place(workspace=workspace, sandbox=sandbox, temp=own, outputs=outputs)
        jobs = Jobs(place)
        user = RuleFile(user_file())
        policy = Policy(
            workspace=workspace,
            mode=Mode(settings.mode),
            argument=Rules.parse(
                (*(f"allow {rule}" for rule in settings.allow), *(f"deny {r}" for r in settings.deny))
            ),
            user=user.rules(),
            project=RuleFile(project_file(workspace.root)).rules(),
            confined=sandbox.level is not Level.NONE,
            readable=(outputs,),
        )
        try:
            yield Parts(
                tools=_tools(settings, place, jobs, checkpoints),
                permissions=Gate(policy, ask, user),
                files=FilesOfTurns(checkpoints, workspace),
                confined=sandbox.describe(),
                level=str(sandbox.level),
            )
        finally:
            await jobs.close()


def _tools(settings: Settings, place: Place, jobs: Jobs, checkpoints: Checkpoints) -> tuple[Tool, ...]:
    workspace = place.workspace
    known = Known.of(workspace, checkpoints.keep)
    shell = KeepingShell(Shell(place, jobs), FileWatcher(workspace, checkpoints))
    tools: list[Tool] = [Read(known), Edit(known), Write(known), GlobFiles(workspace), Grep(workspace), shell]
    tools += [JobOutput(jobs), JobKill(jobs)]
    return (*tools, FetchTool()) if settings.web else tuple(tools)


def _name(root: Path) -> str:
    """Name what is kept of a workspace: by its path, so that two of one name are not mixed up."""
    digest = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return f"{root.name[:40]}-{digest}"

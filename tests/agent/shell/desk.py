"""The shell tool and its jobs in a workspace, and what lives on this machine afterwards."""

from __future__ import annotations

from pathlib import Path

from unabridged.agent.shell.job_tools import JobKill, JobKillArguments, JobOutput, JobOutputArguments
from unabridged.agent.shell.jobs import Jobs
from unabridged.agent.shell.place import Place
from unabridged.agent.shell.shell import Shell, ShellArguments
from unabridged.agent.tool import Output, Running
from unabridged.agent.workspace import Workspace
from unabridged.sandbox.sandbox import Sandbox


class Desk:
    def __init__(self, root: Path, temp: Path, sandbox: Sandbox, outputs: Path) -> None:
        self.root = root
        self.place = Place(workspace=Workspace.at(root), sandbox=sandbox, temp=temp, outputs=outputs)
        self.jobs = Jobs(self.place)
        self.shell = Shell(self.place, self.jobs)
        self.said: list[str] = []

    async def run(self, command: str, timeout_s: float = 20, folder: str = ".", *, background: bool = False) -> Output:
        arguments = ShellArguments(command, folder, timeout_s, background)
        return await self.shell.run(arguments, Running("call-1", self.said.append))

    async def output(self, job: str = "", since: int | None = None, wait_s: float = 0) -> Output:
        return await JobOutput(self.jobs).run(
            JobOutputArguments(job, since, wait_s), Running("call-2", self.said.append)
        )

    async def kill(self, job: str) -> Output:
        return await JobKill(self.jobs).run(JobKillArguments(job), Running("call-3", self.said.append))

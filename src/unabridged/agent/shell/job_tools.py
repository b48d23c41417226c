"""The tools `job_output` and `job_kill`, for commands in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

import msgspec

from unabridged.agent.access import Access
from unabridged.agent.shell.jobs import Jobs
from unabridged.agent.tool import Output, Running

_MOST_WAIT_S = 60.0


class JobOutputArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `job_output` takes."""

    job: Annotated[str, msgspec.Meta(description="Its id, as `job-1`. Empty: list all jobs.")] = ""
    since: Annotated[
        int | None, msgspec.Meta(ge=0, description="Position to read from; without it, what was not read yet.")
    ] = None
    wait_s: Annotated[
        float, msgspec.Meta(ge=0, le=_MOST_WAIT_S, description="Wait up to so long for its end before reading.")
    ] = 0.0


class JobKillArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `job_kill` takes."""

    job: Annotated[str, msgspec.Meta(description="Its id, as `job-1`.")]


class JobOutput:
    """Reads what a job wrote."""

    name = "job_output"
    description = "Read what a command in the background wrote since the last time, and whether it still runs."
    arguments = JobOutputArguments
    reads_only = True

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def title(self, arguments: JobOutputArguments) -> str:
        """Name the job."""
        return arguments.job or "all jobs"

    def touches(self, arguments: JobOutputArguments) -> Sequence[Access]:
        """Nothing."""
        del arguments
        return []

    def preview(self, arguments: JobOutputArguments) -> str:
        """Nothing."""
        del arguments
        return ""

    async def run(self, arguments: JobOutputArguments, running: Running) -> Output:
        """Read it."""
        del running
        if not arguments.job:
            lines = [f"{job.id} ({job.state}): {job.command}" for job in self._jobs.list()]
            return Output(text="\n".join(lines) or "no jobs were started", headline=f"{len(lines)} jobs")
        job = self._jobs.find(arguments.job)
        left_s = arguments.wait_s
        while job.running and left_s > 0:
            await asyncio.sleep(min(0.05, left_s))
            left_s -= 0.05
        text = job.output(arguments.since).rstrip("\n") or "(nothing new)"
        return Output(text=f"{text}\n[{job.state}; read up to position {job.read_to}]", headline=job.state)


class JobKill:
    """Ends a job."""

    name = "job_kill"
    description = "End a command in the background, with everything that it started."
    arguments = JobKillArguments
    # It ends what the agent itself began, and only that: there is nothing to ask about.
    reads_only = True

    def __init__(self, jobs: Jobs) -> None:
        self._jobs = jobs

    def title(self, arguments: JobKillArguments) -> str:
        """Name the job."""
        return arguments.job

    def touches(self, arguments: JobKillArguments) -> Sequence[Access]:
        """Nothing."""
        del arguments
        return []

    def preview(self, arguments: JobKillArguments) -> str:
        """Nothing."""
        del arguments
        return ""

    async def run(self, arguments: JobKillArguments, running: Running) -> Output:
        """End it."""
        del running
        job = self._jobs.find(arguments.job)
        was_running = job.running
        await job.end()
        said = "ended" if was_running else "had ended by itself"
        return Output(text=f"{job.id} {said} ({job.state})", headline=said)

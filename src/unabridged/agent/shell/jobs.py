"""Commands in the background: they go on while the agent works, and end with it."""

from __future__ import annotations

import asyncio
import atexit
import time
from pathlib import Path

from unabridged.agent.shell.place import Place
from unabridged.agent.tool import ToolError
from unabridged.sandbox.command_line import told
from unabridged.sandbox.processes import Started

_MOST = 16


class Job:
    """One command in the background."""

    def __init__(self, id: str, command: str, started: Started) -> None:
        self.id = id
        self.command = command
        self.read_to = 0
        """How far its output was read."""
        self._started = started
        self._begun = time.monotonic()
        self._seconds: float | None = None
        self._watching = asyncio.ensure_future(self._watch())

    @property
    def running(self) -> bool:
        """Tell whether it still runs."""
        return self._seconds is None

    @property
    def state(self) -> str:
        """Say how it is."""
        if self._seconds is None:
            return f"running, {time.monotonic() - self._begun:.0f} s"
        return f"{told(self._started.code)}, {self._seconds:.1f} s"

    def output(self, since: int | None = None) -> str:
        """Give what it wrote after a position; without one, what was not read yet."""
        text, self.read_to = self._started.captured.since(self.read_to if since is None else since)
        return text

    async def end(self) -> None:
        """End it with all that it started."""
        if self.running:
            self._watching.cancel()
            await asyncio.shield(self._started.end())
            self._seconds = time.monotonic() - self._begun

    def end_now(self) -> None:
        """End it without waiting."""
        if self.running:
            self._started.end_now()

    async def _watch(self) -> None:
        await self._started.wait()
        self._seconds = time.monotonic() - self._begun


class Jobs:
    """All of a session. `close` ends them; the end of the program does so too."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._jobs: dict[str, Job] = {}
        # Holds on to this until `close`: whoever forgets that must not leave servers behind.
        atexit.register(self.end_now)

    async def start(self, command: str, folder: Path) -> Job:
        """Start a command. Raises `ToolError`."""
        if sum(job.running for job in self._jobs.values()) >= _MOST:
            raise ToolError(f"{_MOST} jobs are running already: end one with job_kill")
        started = await self._place.start(command, folder, lambda text: None)
        job = Job(f"job-{len(self._jobs) + 1}", command, started)
        self._jobs[job.id] = job
        return job

    def list(self) -> list[Job]:
        """Give all jobs of the session, those that ended too."""
        return list(self._jobs.values())

    def find(self, id: str) -> Job:
        """Give a job. Raises `ToolError`."""
        if id not in self._jobs:
            known = ", ".join(self._jobs) or "none were started"
            raise ToolError(f"there is no job {id!r} (there are: {known})")
        return self._jobs[id]

    async def close(self) -> None:
        """End all of them."""
        atexit.unregister(self.end_now)
        await asyncio.gather(*(job.end() for job in self._jobs.values()))

    def end_now(self) -> None:
        """End all of them without waiting."""
        for job in self._jobs.values():
            job.end_now()

"""The tool `shell`: runs a command in a sandbox and gives back all that it wrote."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

import msgspec

from unabridged.agent.access import Access, Runs
from unabridged.agent.shell.jobs import Jobs
from unabridged.agent.shell.place import Place, check
from unabridged.agent.tool import Output, Running
from unabridged.sandbox.command_line import told
from unabridged.sandbox.processes import Started, to_its_end
from unabridged.sandbox.sandbox import Level

_USUAL_S = 120.0
_MOST_S = 3600.0
_TITLE = 120
# What a sandbox says when it could not even begin.
_NOT_BEGUN = ("bwrap: ", "the sandbox could not be made", "[Errno")


class ShellArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What `shell` takes."""

    command: Annotated[str, msgspec.Meta(description="For bash -c. Its input is empty; it cannot ask anything.")]
    folder: Annotated[str, msgspec.Meta(description="Where it begins, relative to the workspace.")] = "."
    timeout_s: Annotated[
        float, msgspec.Meta(gt=0, le=_MOST_S, description="After so many seconds it is ended, with all it started.")
    ] = _USUAL_S
    background: Annotated[
        bool, msgspec.Meta(description="Give back at once, for servers and watchers; see job_output and job_kill.")
    ] = False


class Shell:
    """Runs commands."""

    name = "shell"
    arguments = ShellArguments
    reads_only = False

    def __init__(self, place: Place, jobs: Jobs) -> None:
        self._place = place
        self._jobs = jobs

    @property
    def description(self) -> str:
        """Its contract, and what holds its commands here."""
        return (
            "Run a command with bash in the workspace, to its end, and read what it wrote (both streams, as it came). "
            "Each call is a new shell: folder and variables do not carry over. What it leaves running is ended with "
            "it; use background for what has to go on. Prefer the tools for reading, searching and editing files. "
            + self._place.sandbox.describe()
        )

    def title(self, arguments: ShellArguments) -> str:
        """Give the command in one line."""
        line = " ".join(arguments.command.split())
        short = line if len(line) <= _TITLE else line[: _TITLE - 1] + "…"
        return f"{short} (background)" if arguments.background else short

    def touches(self, arguments: ShellArguments) -> Sequence[Access]:
        """Say that it runs this command."""
        check(arguments.command)
        return [Runs(arguments.command, str(self._place.folder(arguments.folder)))]

    def preview(self, arguments: ShellArguments) -> str:
        """Nothing: what a command changes is known only afterwards."""
        del arguments
        return ""

    async def run(self, arguments: ShellArguments, running: Running) -> Output:
        """Run the command to its end, or start it in the background."""
        folder = self._place.folder(arguments.folder)
        if arguments.background:
            job = await self._jobs.start(arguments.command, folder)
            text = f"started as {job.id}; read what it writes with job_output, end it with job_kill"
            return Output(text=f"{text}\n[{self._sandbox()}]", headline=job.id)
        begun = time.monotonic()
        started = await self._place.start(arguments.command, folder, running.say)
        left, in_time = await to_its_end(started, arguments.timeout_s)
        return self._output(started, time.monotonic() - begun, left, arguments.timeout_s if not in_time else None)

    def _output(self, started: Started, seconds: float, left: int, limit_s: float | None) -> Output:
        ended = told(started.code) if limit_s is None else f"ended after the limit of {limit_s:g} s"
        text = started.captured.text()
        notes = [f"{ended}, {seconds:.1f} s, {self._sandbox()}"]
        if left:
            notes.append(f"{left} processes that it left behind were ended: use background for what has to go on")
        if limit_s is not None:
            notes.append("give a larger timeout_s, or use background")
        not_begun = started.code in (1, 126) and self._place.sandbox.level is not Level.NONE
        return Output(
            text=f"{text.rstrip(chr(10)) or '(no output)'}\n[{'; '.join(notes)}]",
            is_error=limit_s is not None or (not_begun and text.startswith(_NOT_BEGUN)),
            headline=f"{ended}, {seconds:.1f} s",
        )

    def _sandbox(self) -> str:
        return f"sandbox: {self._place.sandbox.level}"

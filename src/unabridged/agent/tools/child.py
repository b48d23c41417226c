"""A program that is asked something: its output in pieces, a limit to its time, and nothing of it left behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from unabridged.agent.tool import ToolError

_READ = 1 << 18
_SAID = 8_192
"""Characters that are kept of what it complains about."""


class Child:
    """A running program."""

    def __init__(self, process: asyncio.subprocess.Process, seconds: float) -> None:
        self._process = process
        self._end = asyncio.get_running_loop().time() + seconds
        self._complaints = asyncio.ensure_future(_beginning(process))
        self.is_late = False
        """Its time was over before it had said everything."""

    async def pieces(self, separator: bytes) -> AsyncGenerator[bytes]:
        """Give its output, cut at each separator."""
        assert self._process.stdout is not None
        rest: list[bytes] = []
        while True:
            left = self._end - asyncio.get_running_loop().time()
            try:
                async with asyncio.timeout(max(0.0, left)):
                    read = await self._process.stdout.read(_READ)
            except TimeoutError:
                self.is_late = True
                return
            if not read:
                break
            first, *others = read.split(separator)
            rest.append(first)
            for each in others:
                yield b"".join(rest)
                rest = [each]
        if last := b"".join(rest):
            yield last

    async def ended(self) -> tuple[int, str]:
        """Wait for its end; give its exit code and its complaints."""
        complaints = await self._complaints
        return await self._process.wait(), complaints

    async def stop(self) -> None:
        """End it, and what it began."""
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._complaints.cancel()
        await asyncio.wait([self._complaints])
        await self._process.wait()


@asynccontextmanager
async def running(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> AsyncGenerator[Child]:
    """Run a program in a folder, at most so long. However the block is left, it has ended. Raises `ToolError`."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            cwd=folder,
            env=dict(environment),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ToolError(f"{folder} cannot be searched ({error.strerror or error})") from error
    child = Child(process, seconds)
    try:
        yield child
    finally:
        await child.stop()


async def _beginning(process: asyncio.subprocess.Process) -> str:
    """Read all complaints, so that the program never waits for somebody to do so; keep the first."""
    assert process.stderr is not None
    kept = b""
    while piece := await process.stderr.read(_READ):
        kept = (kept + piece)[:_SAID]
    return kept.decode("utf-8", "replace")

"""How a command starts, and how it ends together with everything that it started."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import os
import secrets
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from unabridged.sandbox.captured import Captured

MARK = "UNABRIDGED_CALL"
"""A variable by which processes are found that left their parent and their group."""
_GRACE_S = 2.0
_LAST_WORDS_S = 0.2
_CHUNK = 65_536
_TRIES = 20


class Started:
    """A running command, and what it writes."""

    def __init__(self, captured: Captured, say: Callable[[str], None]) -> None:
        self.captured = captured
        self.code: int | None = None
        self._say = say
        self._mark = secrets.token_hex(8)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._silent = asyncio.Event()
        self._read_end = -1
        self._process: asyncio.subprocess.Process

    @property
    def pid(self) -> int:
        """Its number: also that of its group and session."""
        return self._process.pid

    async def start(self, argv: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Start it. Raises `OSError`."""
        self._read_end, write_end = os.pipe()
        os.set_blocking(self._read_end, False)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *argv, cwd=folder, env={**environment, MARK: self._mark}, stdin=asyncio.subprocess.DEVNULL,
                stdout=write_end, stderr=write_end, start_new_session=True,
            )  # fmt: skip
        except BaseException:  # Cancelled or failed: nobody else would close it.
            os.close(self._read_end)
            raise
        finally:
            os.close(write_end)
        # A pipe of our own: with one of asyncio's, a child of the child that holds it would be waited for as well.
        asyncio.get_running_loop().add_reader(self._read_end, self._take)

    async def wait(self) -> int:
        """Wait for its end, and end what it leaves behind. Gives how many processes that were."""
        self.code = await self._process.wait()
        return await self._clear()

    async def end(self) -> None:
        """End it and everything below it: asked first, then by force."""
        self._signal(signal.SIGTERM, sparing={"bwrap"})
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                while self._below():
                    await asyncio.sleep(0.02)
        await self._force()
        self.code = await self._process.wait()
        await self._clear()

    def end_now(self) -> None:
        """End it without waiting, when this program ends."""
        self._signal(signal.SIGKILL)

    async def _clear(self) -> int:
        left = self._below()
        await self._force()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._silent.wait(), _LAST_WORDS_S)
        self._stop_reading()
        self.captured.close()
        return len(left)

    async def _force(self) -> None:
        for _ in range(_TRIES):
            if not self._below():
                return
            self._signal(signal.SIGKILL)
            await asyncio.sleep(0.01)

    def _signal(self, number: int, sparing: set[str] | None = None) -> None:
        if not os.path.isdir("/proc/self"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
            return
        for pid, name in self._below():
            # The sandbox's own process ends with what runs in it; asked by itself it would take that along at once.
            if name not in (sparing or ()):
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)

    def _below(self) -> list[tuple[int, str]]:
        """Find it and all that came of it: by parent, by group and session, by the mark."""
        found = _processes()
        mark = f"{MARK}={self._mark}".encode()
        known = {self.pid, *(pid for pid in found if mark in _environment(pid))}
        grown = True
        while grown:
            new = {pid for pid, each in found.items() if pid not in known and each.near & known}
            grown = bool(new)
            known |= new
        return [(pid, found[pid].name) for pid in known & found.keys()]

    def _take(self) -> None:
        try:
            data = os.read(self._read_end, _CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if data:
            self.captured.add(data)
        else:
            asyncio.get_running_loop().remove_reader(self._read_end)
            self._silent.set()
        text = self._decoder.decode(data, final=not data).replace("\0", "\N{REPLACEMENT CHARACTER}")
        if text:
            self._say(text)

    def _stop_reading(self) -> None:
        if self._read_end >= 0:
            asyncio.get_running_loop().remove_reader(self._read_end)
            os.close(self._read_end)
            self._read_end = -1


async def to_its_end(started: Started, limit_s: float) -> tuple[int, bool]:
    """Wait for a command. Gives how many processes it left behind, and whether it ended by itself."""
    waiting = asyncio.ensure_future(started.wait())
    try:
        done, _ = await asyncio.wait({waiting}, timeout=limit_s)
        if done:
            return waiting.result(), True
    except asyncio.CancelledError:
        await _ended(started, waiting)
        raise
    await _ended(started, waiting)
    return 0, False


async def _ended(started: Started, waiting: asyncio.Future[int]) -> None:
    """End a command, whoever may lose patience meanwhile: nothing of it may go on."""
    waiting.cancel()
    ending = asyncio.ensure_future(started.end())
    while not ending.done():
        try:
            await asyncio.shield(ending)
        except asyncio.CancelledError:
            # Once more: the first cancellation is raised when the command has ended.
            continue


class _Process(msgspec.Struct, frozen=True):
    name: str
    near: frozenset[int]
    """Its parent, its group, its session."""

    @classmethod
    def read(cls, stat: str) -> _Process | None:
        # The name stands in parentheses and may hold anything, parentheses too.
        end = stat.rindex(")")
        state, *numbers = stat[end + 2 :].split()[:4]
        # One that ended and was not fetched yet does nothing more.
        return None if state in "ZX" else cls(stat[stat.index("(") + 1 : end], frozenset(map(int, numbers)))


def _processes() -> dict[int, _Process]:
    """Give all processes that live."""
    found: dict[int, _Process] = {}
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdigit():
                with contextlib.suppress(OSError, ValueError):
                    process = _Process.read(Path("/proc", name, "stat").read_text(errors="replace"))
                    if process is not None:
                        found[int(name)] = process
    return found


def _environment(pid: int) -> bytes:
    try:
        return Path("/proc", str(pid), "environ").read_bytes()
    except OSError:
        return b""

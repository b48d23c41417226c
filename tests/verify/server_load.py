"""Hundreds of streams open at once, wave after wave: what one costs in memory, and whether it grows."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import httpx2
import msgspec

from tests.server.reading import Seen, frames_coming
from tests.verify.server_process import ServerProcess, make_project, provider_of, running
from tests.verify.server_resume import Paced
from unabridged.testing import Asked, Reply

PIECE = 24
GROWTH = 1.15
"""Of the memory at the end of the last wave, against that at the end of the one before."""


class Waves(msgspec.Struct):
    """What came of it."""

    streams: int
    seconds: float = 0.0
    idle: int = 0
    early: list[int] = []
    """Resident bytes in each wave, when all its streams are open, and at its end."""
    late: list[int] = []
    frames: int = 0
    breaches: list[str] = []

    def line(self, what: str, seconds: float) -> str:
        """Say it in a line."""
        each = [(late - self.idle) / self.streams / 1024 for late in self.late]
        grew = [round(late / early - 1, 3) for early, late in zip(self.early, self.late, strict=True)]
        return (
            f"{what:24} {self.streams} streams at once, {len(self.late)} waves of {self.seconds:.0f} s, "
            f"{self.frames:,} frames, KB a stream {', '.join(f'{kb:.0f}' for kb in each)}, "
            f"growth within a wave {', '.join(f'{share:.1%}' for share in grew)}, "
            f"{len(self.breaches)} breaches, {seconds:.0f} s"
        )


class Speaker:
    """Talks for so many pieces of a stream."""

    def __init__(self, pieces: int) -> None:
        self._text = "river stones by a lamp. " * pieces
        assert len(self._text) == PIECE * pieces

    def reply(self, asked: Asked) -> Reply:
        """Give a long answer."""
        del asked
        return Reply(text=self._text)


def load(place: str, folder: Path, *, streams: int, waves: int, seconds: int) -> Waves:
    """Open so many streams at once, each with a piece every second, and again."""
    key = make_project(place, "load")
    paced = Paced(provider_of(Speaker(seconds), 32_000), 1.0)
    with running(place, paced, folder, window=32_000, heartbeat_s=5.0) as server:
        return asyncio.run(_waves(server, key, Waves(streams, float(seconds)), waves))


async def _waves(server: ServerProcess, key: str, found: Waves, waves: int) -> Waves:
    limits = httpx2.Limits(max_connections=None)
    headers = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(
        base_url=server.url, headers=headers, timeout=120, limits=limits, trust_env=False
    ) as http:
        await _one(http, asyncio.Semaphore(0), found, short=True)  # what is loaded once does not count
        found.idle = server.resident
        for _ in range(waves):
            open_ones = asyncio.Semaphore(0)
            tasks = [asyncio.create_task(_one(http, open_ones, found)) for _ in range(found.streams)]
            for _ in range(found.streams):
                await open_ones.acquire()
            found.early.append(server.resident)
            ends = time.monotonic() + found.seconds * 0.8
            peak = 0
            while time.monotonic() < ends and not all(task.done() for task in tasks):
                await asyncio.sleep(0.5)
                peak = server.resident
            found.late.append(peak or server.resident)
            await asyncio.gather(*tasks)
    if len(found.late) > 1 and found.late[-1] > GROWTH * found.late[-2]:
        found.breaches.append(f"memory grows from wave to wave: {found.late}")
    return found


async def _one(http: httpx2.AsyncClient, is_open: asyncio.Semaphore, found: Waves, *, short: bool = False) -> None:
    frames: list[Seen] = []
    try:
        async with http.stream("POST", "/chat", json={"message": "Talk to me."}) as answer:
            async for seen in frames_coming(answer.aiter_lines()):
                if seen.event == "session":
                    is_open.release()
                frames.append(seen)
    except httpx2.TransportError as error:
        found.breaches.append(f"{type(error).__name__} after {len(frames)} frames")
        is_open.release()
        return
    found.frames += len(frames)
    if not frames or frames[-1].data.get("status") != "completed":
        found.breaches.append(f"a stream ended with {frames[-1:]}")
        is_open.release()

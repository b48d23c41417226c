"""Streamed turns a second and the time to the first token, beside a bare app that streams the same bytes.

`make bench-server` runs it on SQLite and PostgreSQL (with fsync). Both servers run at once, each in its own process,
and are asked in turns, in short rounds, so that a busy machine is as busy for one as for the other; what is printed is
the median of the rounds. The bare app commits as often as our turn was counted to. All clients are in this process:
their work is in the turns a second of both, and not in the milliseconds of CPU that a turn takes its server. Times to
the first token are those of turns that come one after the other.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any

import httpx2
import msgspec

from benchmarks.server_apps import Job
from benchmarks.server_model import SAYS
from tests.store.databases import own_server
from unabridged.testing import Asked, FakeProvider, Reply, serving

ROUNDS, ROUND_S, ALONE = 7, 4.0, 40
STREAMS = 16
TURNS = 10
"""Of a session, before another one is begun."""
PROMISED_SHARE, PROMISED_MS = 0.60, 5.0


class Times(msgspec.Struct):
    """Of one round."""

    turns: int = 0
    seconds: float = 0.0
    firsts: list[float] = []
    """Milliseconds to the first token."""

    @property
    def rate(self) -> float:
        """Turns a second."""
        return self.turns / self.seconds


class Client:
    """Asks one server over one connection, with as little work as can be."""

    def __init__(self, port: int, key: str, *, sessions: bool) -> None:
        self._port = port
        self._key = key
        self._sessions = sessions
        self._path = "/chat"
        self._turns = 0

    async def connect(self) -> None:
        """Open the connection."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)

    async def turn(self) -> float:
        """Take a turn to its end; give the milliseconds to its first token."""
        body = msgspec.json.encode({"message": f"What of number {self._turns}? Tell me in a few words."})
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self._key}\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        began = time.perf_counter()
        self._writer.write(head.encode() + body)
        answer = await self._reader.readuntil(b"\r\n\r\n")
        first, tail = 0.0, b""
        while not tail.endswith(b"0\r\n\r\n"):
            came = await self._reader.read(1 << 20)
            tail += came
            if not came:
                raise OSError(f"the server hung up after {answer + tail!r}")
            if not first and b"event: delta" in tail:
                first = time.perf_counter() - began
        if b" 200 " not in answer[:20] or b'"status":"completed"' not in tail:
            raise OSError(f"a turn failed: {answer[:200]!r} {tail[-300:]!r}")
        self._next(answer)
        return first * 1e3

    def _next(self, answer: bytes) -> None:
        self._turns += 1
        if self._sessions:
            named = answer.lower().partition(b"x-session-id: ")[2].partition(b"\r\n")[0].decode()
            self._path = f"/chat/sessions/{named}/turns" if self._turns % TURNS else "/chat"

    def close(self) -> None:
        """Close the connection."""
        self._writer.close()


async def _round(port: int, key: str, *, sessions: bool, streams: int, seconds: float, turns: int) -> Times:
    """Take turns on so many connections at once, for so long, or so many on each."""
    found = Times()
    clients = [Client(port, key, sessions=sessions) for _ in range(streams)]
    await asyncio.gather(*(client.connect() for client in clients))
    began = time.perf_counter()

    async def one(client: Client) -> None:
        count = 0
        while (time.perf_counter() - began < seconds) if seconds else (count < turns):
            found.firsts.append(await client.turn())
            count += 1

    await asyncio.gather(*(one(client) for client in clients))
    found.seconds, found.turns = time.perf_counter() - began, len(found.firsts)
    for client in clients:
        client.close()
    return found


class Process(msgspec.Struct, frozen=True):
    """A server in a process of its own."""

    port: int
    pid: int

    @property
    def cpu_s(self) -> float:
        """Seconds of a processor that it has used; 0 where the system does not tell."""
        try:
            told = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _process(job: Job, folder: Path) -> Generator[Process]:
    """Run a server in a process of its own."""
    path = folder / f"{job.kind}.json"
    path.write_bytes(msgspec.json.encode(job))
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.server_apps", str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        said = process.stdout.readline()
        if not said:
            raise OSError(f"the {job.kind} server did not start")
        yield Process(int(said), process.pid)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _told(port: int) -> dict[str, Any]:
    return httpx2.get(f"http://127.0.0.1:{port}/bench", trust_env=False).json()


def _events(port: int, key: str) -> tuple[str, ...]:
    """Give the frames of one of our turns."""
    asked = {"message": "What of number 0? Tell me in a few words."}
    headers = {"Authorization": f"Bearer {key}"}
    answer = httpx2.post(f"http://127.0.0.1:{port}/chat", json=asked, headers=headers, timeout=60, trust_env=False)
    return tuple(f"{event}\n\n" for event in answer.text.split("\n\n")[:-1] if not event.startswith(":"))


def _counted(port: int, key: str) -> tuple[float, float]:
    """Give how often a turn commits before its first token, alone, and in all, under load."""
    _run(port, key, sessions=True, streams=1, turns=20)
    before = _told(port)
    _run(port, key, sessions=True, streams=1, turns=50)
    after = _told(port)
    early = (after["before"] - before["before"]) / max(1, after["turns"] - before["turns"])
    loaded = _run(port, key, sessions=True, streams=STREAMS, seconds=ROUND_S)
    return early, (_told(port)["commits"] - after["commits"]) / loaded.turns


def _run(port: int, key: str, *, sessions: bool, streams: int, seconds: float = 0.0, turns: int = 0) -> Times:
    return asyncio.run(_round(port, key, sessions=sessions, streams=streams, seconds=seconds, turns=turns))


class Says:
    """Answers of the provider, as those of the model without a network."""

    def reply(self, asked: Asked) -> Reply:
        """Give the answer."""
        del asked
        return Reply(text=SAYS)


def compare(name: str, places: Iterator[str], *, provider: bool, rounds: int) -> bool:
    """Print a row; tell whether what is promised holds."""
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory()))
        fake = FakeProvider(Says(), window=128_000, keep=10)
        url = after.enter_context(serving(fake) if provider else nullcontext(""))
        own = after.enter_context(_process(Job(kind="ours", place=next(places), provider=url), folder))
        port = own.port
        key = _told(port)["key"]
        early, commits = _counted(port, key)
        if provider:  # only the model in the process tells when it is asked
            early = COUNTED[name.partition(",")[0]]
        COUNTED[name.partition(",")[0]] = early
        job = Job(
            kind="bare",
            place=next(places),
            provider=url,
            events=_events(port, key),
            before=round(early),
            commits=round(commits),
        )
        other = after.enter_context(_process(job, folder))
        _run(other.port, key, sessions=False, streams=STREAMS, seconds=1.0)
        return _row(name, (own, other), key, rounds, commits)


COUNTED: dict[str, float] = {}
"""Commits before the first token, by engine."""


def _row(name: str, servers: tuple[Process, Process], key: str, rounds: int, commits: float) -> bool:
    loaded: tuple[list[Times], list[Times]] = ([], [])
    firsts: tuple[list[float], list[float]] = ([], [])
    cpu = [0.0, 0.0]
    for _ in range(rounds):
        for which, server in enumerate(servers):
            before = server.cpu_s
            loaded[which].append(_run(server.port, key, sessions=not which, streams=STREAMS, seconds=ROUND_S))
            cpu[which] += server.cpu_s - before
            firsts[which].extend(_run(server.port, key, sessions=not which, streams=1, turns=ALONE).firsts)
    share = median(own.rate / bare.rate for own, bare in zip(*loaded, strict=True))
    rate, other = (median(times.rate for times in each) for each in loaded)
    spent, spared = (1e3 * used / sum(times.turns for times in each) for used, each in zip(cpu, loaded, strict=True))
    middle = [median(times) for times in firsts]
    late = [sorted(times)[int(len(times) * 0.95)] for times in firsts]
    print(
        f"{name:24}{commits:>8.1f}{rate:>9.0f}{other:>7.0f}{share:>7.2f}{spent:>9.2f}{spared:>7.2f}"
        f"{middle[0]:>9.2f}{middle[1]:>7.2f}{middle[0] - middle[1]:>7.2f}{late[0]:>9.2f}{late[1]:>7.2f}",
        flush=True,
    )
    return share >= PROMISED_SHARE and middle[0] - middle[1] < PROMISED_MS


def main() -> int:
    """Print the table; give 0 if what is promised holds on this machine."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--engine", choices=("sqlite", "postgres", "both"), default="both")
    given = parser.parse_args()
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)
    print(f"{STREAMS} streams at once; p50 and p95 of the first token in ms, turn after turn; bare: the same bytes")
    print(
        f"{'':24}{'commits':>8}{'turns/s':>9}{'bare':>7}{'share':>7}{'CPU ms':>9}{'bare':>7}{'p50':>9}{'bare':>7}"
        f"{'added':>7}{'p95':>9}{'bare':>7}"
    )
    held: list[bool] = []
    for engine in ("SQLite", "PostgreSQL"):
        if given.engine in ("both", engine.lower().removesuffix("ql") if engine == "PostgreSQL" else engine.lower()):
            held += _engine(engine, given.rounds)
    print(f"promised: a share of at least {PROMISED_SHARE:.2f}, and less than {PROMISED_MS:.0f} ms added at p50")
    return 0 if all(held) else 1


def _engine(engine: str, rounds: int) -> list[bool]:
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory()))
        places = iter([str(folder / f"{nth}.db") for nth in range(4)])
        if engine == "PostgreSQL":
            server = after.enter_context(own_server("bench-server"))
            server.run("ALTER SYSTEM SET fsync = on")
            server.run("SELECT pg_reload_conf()")
            places = iter([after.enter_context(server.database()) for _ in range(4)])
        return [
            compare(f"{engine}, no network", places, provider=False, rounds=rounds),
            compare(f"{engine}, provider", places, provider=True, rounds=rounds),
        ]


if __name__ == "__main__":
    sys.exit(main())

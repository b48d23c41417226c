"""Kills the server, attacks its tenants, asks whatever its OpenAPI allows, cuts its clients off, opens many streams.

`make verify-server` does it at full size on both engines, in about an hour. Prints one line for each trial; exit code 1
where anything is lost, told twice, shown to somebody else, or breaks.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

from tests.store.databases import own_server
from tests.verify import server_kills, server_load, server_resume, server_schema, server_tenants

PARTS = ("kills", "tenants", "schema", "resume", "load")
ENGINES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}


class Found(Protocol):
    """What came of a trial."""

    breaches: list[str]

    def line(self, what: str, seconds: float) -> str:
        """Say it in a line."""
        ...


Trial = Callable[[str, Path], Found]


def main() -> int:
    """Run the trials; give 0 where no promise was broken."""
    given = _flags().parse_args()
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # it says every attempt to connect
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it says every line that a killed server leaves
    held: list[bool] = []
    for engine in ENGINES if given.engine == "both" else (given.engine,):
        with _places(engine) as make:
            for name, trial in _trials(given).items():
                if name in given.only:
                    held.append(_tried(f"{name}, {ENGINES[engine]}", trial, make))
    return 0 if held and all(held) else 1


def _flags() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--engine", choices=(*ENGINES, "both"), default="both")
    parser.add_argument("--sessions", type=int, default=100, help="that grow while the server is killed")
    parser.add_argument("--minutes", type=float, default=10.0, help="for which they grow")
    parser.add_argument("--kill-every", type=float, default=60.0, help="seconds between two kills")
    parser.add_argument("--cut-kills", type=int, default=20, help="kills at a frame of a turn")
    parser.add_argument("--streams", type=int, default=500, help="open at once")
    parser.add_argument("--waves", type=int, default=4)
    parser.add_argument("--wave-s", type=int, default=30)
    parser.add_argument("--examples", type=int, default=100, help="for each route, of what its OpenAPI allows")
    return parser


def _trials(given: argparse.Namespace) -> dict[str, Trial]:
    return {
        "kills": lambda place, folder: server_kills.kill(
            place, folder, sessions=given.sessions, seconds=60 * given.minutes, every_s=given.kill_every
        ),
        "tenants": server_tenants.attack,
        "schema": lambda place, folder: server_schema.ask_anything(place, folder, examples=given.examples),
        "resume": lambda place, folder: server_resume.resume(place, folder, kills=given.cut_kills),
        "load": lambda place, folder: server_load.load(
            place, folder, streams=given.streams, waves=given.waves, seconds=given.wave_s
        ),
    }


@contextmanager
def _places(engine: str) -> Iterator[Callable[[ExitStack, Path], str]]:
    """Give how a database is made on an engine."""
    if engine == "sqlite":
        yield lambda _, folder: str(folder / "server.db")
        return
    with own_server("verify-server") as server:
        server.run("ALTER SYSTEM SET fsync = on")
        server.run("SELECT pg_reload_conf()")
        yield lambda after, _: after.enter_context(server.database())


def _tried(what: str, trial: Trial, make: Callable[[ExitStack, Path], str]) -> bool:
    with ExitStack() as after:
        folder = Path(after.enter_context(tempfile.TemporaryDirectory()))
        started = time.monotonic()
        found = trial(make(after, folder), folder)
        print(found.line(what, time.monotonic() - started), flush=True)
        for breach in found.breaches[:50]:
            sys.stderr.write(f"  {breach}\n")
    return not found.breaches


if __name__ == "__main__":
    sys.exit(main())

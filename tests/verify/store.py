"""Crashes the store at random moments and races processes for its turns: nothing acknowledged is ever lost.

`make verify-store` does it at full size, in about half an hour. Prints one line for each trial; exit code 1
where anything is lost, changed, does not open or go on, or where turns interleave.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from tests.store.databases import OwnServer, own_server
from tests.verify.store_checks import Kind, Tally
from tests.verify.store_cuts import cut_power
from tests.verify.store_kills import kill_agents, stop_server
from tests.verify.store_race import Race, race

KILLS, CUTS, STOPS, RACE_S = 500, 200, 50, 60.0
SHARE = 0.4
"""Of the kills, how many come again on PostgreSQL."""


def main() -> int:
    """Run the trials; give 0 where no promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=KILLS, help="on SQLite; on PostgreSQL 40 %% of it")
    parser.add_argument("--cuts", type=int, default=CUTS, help="power cuts on SQLite, with FULL and again with NORMAL")
    parser.add_argument("--stops", type=int, default=STOPS, help="immediate stops of PostgreSQL")
    parser.add_argument("--race-s", type=float, default=RACE_S, help="seconds of the race on each engine")
    parser.add_argument("--engine", choices=("sqlite", "postgres", "both"), default="both")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    logging.getLogger("psycopg").setLevel(logging.CRITICAL)  # it says every attempt to connect
    held: list[bool] = []
    with ExitStack() as after:
        if given.engine != "postgres":
            held += _on_sqlite(Path(after.enter_context(tempfile.TemporaryDirectory())), given)
        if given.engine != "sqlite":
            held += _on_postgres(after.enter_context(own_server(f"verify-{given.seed}")), given)
    return 0 if held and all(held) else 1


def _on_sqlite(folder: Path, given: argparse.Namespace) -> list[bool]:
    seed = given.seed
    return [
        _crashed("kill -9, SQLite", given.kills, lambda: kill_agents(str(folder / "kills.db"), given.kills, seed)),
        _crashed("power cut, SQLite, FULL", given.cuts, lambda: cut_power(given.cuts, "FULL", seed)),
        _crashed("power cut, SQLite, NORMAL", given.cuts, lambda: cut_power(given.cuts, "NORMAL", seed), (Kind.LOST,)),
        _raced("race, SQLite", given.race_s, lambda: race(str(folder / "race.db"), given.race_s, seed)),
    ]


def _on_postgres(server: OwnServer, given: argparse.Namespace) -> list[bool]:
    server.run("ALTER SYSTEM SET fsync = on")
    server.run("SELECT pg_reload_conf()")
    kills = round(given.kills * SHARE)
    with server.database() as url:
        return [
            _crashed("kill -9, PostgreSQL", kills, lambda: kill_agents(url, kills, given.seed)),
            _crashed(
                "stop -m immediate, PostgreSQL", given.stops, lambda: stop_server(server, given.stops, given.seed)
            ),
            _raced("race, PostgreSQL", given.race_s, lambda: race(url, given.race_s, given.seed)),
        ]


def _crashed(what: str, times: int, work: Callable[[], Tally], allowed: tuple[Kind, ...] = ()) -> bool:
    """Print the line of a trial; tell whether nothing is wrong but what is allowed."""
    if not times:
        return True
    started = time.monotonic()
    tally = work()
    print(tally.line(what, time.monotonic() - started), flush=True)
    return tally.crashes >= times and tally.acknowledged > 0 and tally.count(*allowed) == len(tally.breaches)


def _raced(what: str, seconds: float, work: Callable[[], Race]) -> bool:
    if not seconds:
        return True
    started = time.monotonic()
    found = work()
    print(found.line(what, time.monotonic() - started), flush=True)
    for breach in found.breaches:
        sys.stderr.write(f"{breach}\n")
    return found.turns > 0 and not found.breaches


if __name__ == "__main__":
    sys.exit(main())

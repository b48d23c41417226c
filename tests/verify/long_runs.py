"""Lets agents work 3,000 turns against a provider with a window, in every dialect. `make verify-long`.

Each session is held twice: with a provider that counts as we do, and with one whose vocabulary is a fifth denser and
which adds 350 tokens that nobody sees. Demanded of every request: it is not refused, and our count of it
(`tokens_after` of its report, `tokens` where it has none) is within 2 % of the usage that the provider reports. The
first three are told apart: until three reports are in a count carries a margin of 7 % on purpose, and a hidden prompt
is not known before the first.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from statistics import median

from tests.e2e.long_run import CLOSE, DIALECTS, EXACT, OTHERWISE, STRATEGIES, UNJUDGED, Counting, Run, live

TURNS = 3_000
STEPS = 3
"""Requests of a turn."""
ALL = [
    (counting, dialect, strategy) for counting in (EXACT, OTHERWISE) for dialect in DIALECTS for strategy in STRATEGIES
]


def lived(counting: Counting, dialect: str, strategy: str, turns: int) -> Run:
    """Go through one session, in whatever process."""
    return asyncio.run(live(dialect, strategy, counting, turns))


def breaches(run: Run, turns: int) -> list[str]:
    """Say what was demanded of a session and did not come."""
    found = [f"refused: {says}" for says in run.refused]
    if run.requests != STEPS * turns:
        found.append(f"{run.requests:,} requests instead of {STEPS * turns:,}")
    if not run.fits:
        found.append("nothing had to be fitted: the window was never reached")
    off = [(place, error) for place, error in enumerate(run.errors) if place >= UNJUDGED and abs(error) > CLOSE]
    found += [f"request {place + 1}: counted {error:+.2%} off" for place, error in off[:3]]
    return found


def main() -> int:
    """Print the table; give 0 if no session breached what is demanded."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--dialects", nargs="*", choices=DIALECTS, default=DIALECTS)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    sessions = [each for each in ALL if each[1] in given.dialects]
    started = time.monotonic()
    print(
        f"{'provider':10}{'dialect':18}{'strategy':11}{'requests':>9}{'fits':>7}{'worst':>9}{'median':>9}"
        f"{f'first {UNJUDGED}':>9}{'refused':>9}{'seconds':>9}",
        flush=True,
    )
    with ProcessPoolExecutor(given.jobs) as pool:
        runs = pool.map(lived, *zip(*sessions, strict=True), [given.turns] * len(sessions))
        failed = sum(_told(*each, run, given.turns) for each, run in zip(sessions, runs, strict=True))
    told = f"{len(sessions)} sessions of {given.turns:,} turns, {time.monotonic() - started:.0f} s"
    print(f"{told}: {'no breach' if not failed else f'{failed} with a breach'}")
    return 1 if failed or not sessions else 0


def _told(counting: Counting, dialect: str, strategy: str, run: Run, turns: int) -> bool:
    """Print the line of a session; tell whether something is wrong with it."""
    print(
        f"{counting.name:10}{dialect:18}{strategy:11}{run.requests:>9,}{run.fits:>7,}{_worst(run.judged):>9.2%}"
        f"{median(map(abs, run.judged or [0.0])):>9.2%}{_worst(run.errors[:UNJUDGED]):>9.1%}{len(run.refused):>9}"
        f"{run.seconds:>9.0f}",
        flush=True,
    )
    found = breaches(run, turns)
    for line in found:
        print(f"    {line}")
    return bool(found)


def _worst(errors: Iterable[float]) -> float:
    return max(map(abs, errors), default=0.0)


if __name__ == "__main__":
    sys.exit(main())

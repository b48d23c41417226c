"""Walks every recorded conversation every way and judges each request from outside. `make verify-replay`.

Zeros are demanded: no crash, no invalid request, none over its budget by an independent exact count (under `none` one
may be, and its report must say so), no lost task, no unread result altered without a marker. Each refusal must be
confirmed by the same count. Every file of the data is read, or named with the reason why it holds no conversation.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.shared import DATA
from tests.verify import grid, tables
from tests.verify.grid import Grid
from tests.verify.judging import judge_all
from tests.verify.recorded import Source, read, sources
from tests.verify.tables import Outcome
from unabridged.policy import ORDERS


def main() -> int:
    """Print the tables; give 0 if every fault column is 0, 1 if not, 2 if there is nothing to judge."""
    given = _options()
    if not DATA.is_dir():
        print(f"no recorded conversations at {DATA}: set UNABRIDGED_DATA to the folder that holds them")
        return 2
    started = time.monotonic()
    found = list(sources(given.folder))
    if not found:
        known = sorted({path.name for path in DATA.iterdir() if path.is_dir()})
        print(f"no folder {given.folder} in {DATA}: there are {', '.join(known)}")
        return 2
    asked = Grid(grid.ways(given.strategy, given.order), tuple(given.dialect), tuple(given.windows), given.all)
    outcomes = list(_outcomes(found, asked, given.jobs))
    faults = tables.show(found, outcomes, asked)
    seconds = time.monotonic() - started
    print(f"{len(found)} files, {seconds:.0f} s: {'no fault' if not faults else f'{faults} faults'}")
    return 1 if faults else 0


def verify_file(source: Source, asked: Grid) -> Outcome:
    """Judge every conversation of one file."""
    outcome = Outcome(source.home)
    for conversation in read(source.path) if source.holds else ():
        for judgement in judge_all(conversation, asked):
            outcome.take(judgement)
    return outcome


def _outcomes(found: Sequence[Source], asked: Grid, jobs: int) -> Iterator[Outcome]:
    """Judge files in several processes; say on the way how far it is."""
    started = time.monotonic()
    with ProcessPoolExecutor(jobs) as pool:
        for number, outcome in enumerate(pool.map(partial(verify_file, asked=asked), found), 1):
            yield outcome
            seconds = time.monotonic() - started
            line = f"{number} of {len(found)} files, {seconds:.0f} s, {found[number - 1].path.name}"
            print(f"\r{line[:79]:79}", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 79 + "\r", end="", file=sys.stderr, flush=True)


def _options() -> argparse.Namespace:
    sampling = (grid.__doc__ or "").partition("\n\n")[2]
    parser = argparse.ArgumentParser(
        prog="python -m tests.verify.replay", description=f"{__doc__}\n{sampling}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    several = partial(parser.add_argument, nargs="+")
    several("--strategy", choices=grid.STRATEGIES, default=grid.STRATEGIES, metavar="NAME", help=_of(grid.STRATEGIES))
    several("--order", choices=ORDERS, default=ORDERS, metavar="NAME", help=_of(ORDERS))
    several("--dialect", choices=grid.TONGUES, default=grid.TONGUES, metavar="NAME", help=_of(grid.TONGUES))
    several("--windows", type=int, default=grid.WINDOWS, metavar="TOKENS", help="default 8000 32000 128000")
    parser.add_argument("--folder", help="only this folder of the shared data")
    parser.add_argument("--all", action="store_true", help="walk and judge every request every way: takes hours")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    return parser.parse_args()


def _of(names: Sequence[str]) -> str:
    return f"of {', '.join(names)} (default all)"


if __name__ == "__main__":
    sys.exit(main())

"""Walks every recorded conversation at three windows and judges each request from outside. `make verify-replay`.

Zeros are demanded: no crash, no invalid request, none over its budget by an independent exact count, no lost task, no
unread result altered without a marker. Each refusal must be confirmed by the same count.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from tests.shared import DATA
from tests.verify.judging import Judgement, judge
from tests.verify.recorded import recorded
from unabridged.errors import BadInput
from unabridged.importers import read_file
from unabridged.policy import Policy

WINDOWS = (8_000, 32_000, 128_000)
FAULTS = ("crashed", "invalid", "over", "task", "unread", "unconfirmed")
COLUMNS = ("requests", "fits", "repaired", "foreign", "refused", *FAULTS)


def verify_file(path: Path, windows: Iterable[int]) -> list[Judgement]:
    """Judge one file at every window."""
    try:
        conversations = read_file(path)
    except BadInput:
        return []
    return [judge(conversation, Policy(), window) for conversation in conversations for window in windows]


def main() -> int:
    """Print the table; give 0 if every fault column is 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="only this folder of the shared data")
    parser.add_argument("--windows", type=int, nargs="*", default=WINDOWS)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    if not DATA.is_dir():
        print(f"no recorded conversations at {DATA}: set UNABRIDGED_DATA to the folder that holds them")
        return 2
    started = time.monotonic()
    files = [(home, path) for home, path, _ in recorded(given.folder)]
    totals: dict[tuple[str, int], Counter[str]] = {}
    details: list[str] = []
    with ProcessPoolExecutor(given.jobs) as pool:
        judged = pool.map(verify_file, [path for _, path in files], [tuple(given.windows)] * len(files))
        for (home, path), judgements in zip(files, judged, strict=True):
            for judgement in judgements:
                totals.setdefault((home, judgement.window), Counter()).update(judgement.counts)
                details += [f"{home}/{path.name} {line}" for line in judgement.details]
            print(f"\r{path.name[:60]:60}", end="", file=sys.stderr, flush=True)
    print("\r" + " " * 60 + "\r", end="", file=sys.stderr)
    _table(totals)
    for line in sorted(details):
        print(line)
    faults = sum(count[name] for count in totals.values() for name in FAULTS)
    print(f"{len(files)} files, {time.monotonic() - started:.0f} s: {'no fault' if not faults else f'{faults} faults'}")
    return 1 if faults or not files else 0


def _table(totals: dict[tuple[str, int], Counter[str]]) -> None:
    print(f"{'folder':32}{'window':>8}" + "".join(f"{name:>12}" for name in COLUMNS))
    for (home, window), count in sorted(totals.items()):
        print(f"{home:32}{window:>8}" + "".join(f"{count[name]:>12}" for name in COLUMNS))
    whole = sum(totals.values(), Counter[str]())
    print(f"{'all':32}{'':>8}" + "".join(f"{whole[name]:>12}" for name in COLUMNS))


if __name__ == "__main__":
    sys.exit(main())

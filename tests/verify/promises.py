"""Tests every promise on thousands of generated conversations. `make verify-promises`.

Prints, for each promise, whether it held, and how often each rung, repair rule, verdict and reason occurred in all
stories: a promise about something that never happened would be empty, so a zero fails as well.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.shared import REPOSITORY
from unabridged.plan import CutKind, Reason, Verdict
from unabridged.report import Fallback, FitReason, Phase, ResolvedBy

PROMISES = sorted((REPOSITORY / "tests" / "properties").glob("test_*.py"))
LEAST_OVER = 0.6
RULES = ("calls", "content", "ids", "media", "order", "surrogates")
UNREACHABLE = {
    ("verdict", Verdict.COMPACT): "summaries come later",
    ("reason", Reason.SUMMARIZED): "summaries come later",
    ("reason", Reason.ORPHAN_RESULT): "told by the repair rule `calls`",
    ("reason", Reason.INVALID): "told by the repair rule `content`",
    ("phase", Phase.COMPACTING): "summaries come later",
    ("resolved by", ResolvedBy.SUMMARIZE): "summaries come later",
}
EXPECTED = [
    *(("verdict", each) for each in Verdict),
    *(("reason", each) for each in Reason if each is not Reason.OPEN_CALL),
    *(("cut", each) for each in CutKind),
    *(("fit", each) for each in FitReason),
    *(("phase", each) for each in Phase),
    *(("resolved by", each) for each in ResolvedBy),
    ("fallback", Fallback.NOTHING_EVICTABLE),
    *(("repair", rule) for rule in RULES),
]


def main() -> int:
    """Print the table; give 0 if every promise held and everything reachable occurred."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=2_000, help="of each property (default 2000)")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HYPOTHESIS_PROFILE": "verify", "UNABRIDGED_EXAMPLES": str(given.examples)}
        env["UNABRIDGED_TALLY"] = folder
        with ThreadPoolExecutor(given.jobs) as pool:
            held = list(pool.map(lambda path: _run(path, env), PROMISES))
        counts = _counted(Path(folder))
    empty = _table(counts)
    stories, over = counts["stories", "told"], counts["stories", "over the budget"]
    share = over / max(1, stories)
    print(f"{stories:,} stories, {share:.0%} of them over the budget (at least {LEAST_OVER:.0%})")
    return 0 if all(held) and not empty and share >= LEAST_OVER else 1


def _run(path: Path, env: dict[str, str]) -> bool:
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    run = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)
    name = path.stem.removeprefix("test_").replace("_", " ")
    print(f"{name:40} {'held' if run.returncode == 0 else 'BROKEN':8} {time.monotonic() - started:6.0f} s", flush=True)
    if run.returncode:
        print(run.stdout[-4_000:])
    return run.returncode == 0


def _counted(folder: Path) -> Counter[tuple[str, str]]:
    counts = Counter[tuple[str, str]]()
    for file in folder.glob("*.json"):
        for kind, name, count in json.loads(file.read_text("utf-8")):
            counts[kind, name] += count
    return counts


def _table(counts: Counter[tuple[str, str]]) -> list[tuple[str, str]]:
    """Print how often each occurred; give those that should have and did not."""
    empty: list[tuple[str, str]] = []
    for kind, name in EXPECTED:
        count, excuse = counts[kind, str(name)], UNREACHABLE.get((kind, name))
        print(f"{kind:12} {name:24} {count:>10,}{'' if excuse is None else f'   not in this slice: {excuse}'}")
        if not count and excuse is None:
            empty.append((kind, str(name)))
    for kind, name in empty:
        print(f"never occurred: {kind} {name}")
    return empty


if __name__ == "__main__":
    sys.exit(main())

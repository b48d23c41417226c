"""Tests every promise on thousands of generated conversations. `make verify-promises`.

Prints, for each module of promises, whether they held, on how many examples, and how many of its stories were over the
budget; `together` holds those that look at every step, on the same stories. Then how often each rung, repair rule,
verdict and reason occurred. A promise about something that never happened would be empty, so a zero fails as well, and
so does a share of stories over the budget below 60 %.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.properties.tally import SUMMARIES
from tests.shared import REPOSITORY
from unabridged.plan import CutKind, Reason, Verdict
from unabridged.policy import ORDERS
from unabridged.report import Fallback, FitReason, Phase, ResolvedBy
from unabridged.strategy import BUILT_IN
from unabridged.summarizer import WhyNoSummary

FOLDER = REPOSITORY / "tests" / "properties"
PROMISES = [FOLDER / "together.py", *sorted(FOLDER.glob("test_*.py"))]
NOTHING_LEFT = 5
"""What pytest says of a module of which all properties are tested together."""
LEAST_OVER = 0.6
RULES = ("calls", "content", "foreign", "ids", "media", "order", "surrogates")
UNREACHABLE = {
    ("cause", WhyNoSummary.NO_MESSAGES): "a summary of nothing is not asked for",
    ("fit", FitReason.ASKED_FOR): "no story asks for a compaction; tests/test_conversation_summaries.py does",
}
"""What cannot occur in stories, each with why."""
EXPECTED = [
    *(("verdict", each) for each in Verdict),
    *(("reason", each) for each in Reason),
    *(("cut", each) for each in CutKind),
    *(("fit", each) for each in FitReason),
    *(("fallback", each) for each in Fallback),
    *(("phase", each) for each in Phase),
    *(("resolved by", each) for each in ResolvedBy),
    *(("repair", rule) for rule in RULES),
    *(("order", each) for each in ORDERS),
    *(("strategy", each) for each in BUILT_IN),
    *(("cause", each) for each in WhyNoSummary),
    *(("summary", each) for each in SUMMARIES),
]

Counts = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Outcome:
    """What came of one promise."""

    held: bool
    counts: Counts

    @property
    def share(self) -> float | None:
        """Of its stories, those over the budget; None where it is tested on something else."""
        told = self.counts["stories", "told"]
        return self.counts["stories", "over the budget"] / told if told else None


def main() -> int:
    """Print the tables; give 0 if every promise held on enough examples and everything reachable occurred."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=2_000, help="of each property (default 2000)")
    parser.add_argument("--jobs", type=int, default=2, help="processes (default 2)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="the same seed, the same stories")
    parser.add_argument("--only", default="", help="modules whose name holds this, such as `together` or `13`")
    given = parser.parse_args()
    chosen = [path for path in PROMISES if given.only in path.stem]
    print(f"seed {given.seed}")
    print(f"{'promise':36}{'':8}{'seconds':>8}{'examples':>10}{'fewest':>8}{'stories':>9}{'over budget':>13}")
    with ThreadPoolExecutor(given.jobs) as pool:
        outcomes = list(pool.map(lambda path: _run(path, given.examples, given.seed), chosen))
    counts = sum((outcome.counts for outcome in outcomes), Counts())
    empty = _table(counts)
    few = [path.stem for path, outcome in zip(chosen, outcomes, strict=True) if _has_too_few_over(path, outcome)]
    print("".join(f"too few stories over the budget: {name}\n" for name in few), end="")
    stories, over = counts["stories", "told"], counts["stories", "over the budget"]
    print(f"{stories:,} stories, {over / max(1, stories):.0%} of them over the budget (at least {LEAST_OVER:.0%})")
    return 0 if all(outcome.held for outcome in outcomes) and not empty and not few else 1


def _has_too_few_over(path: Path, outcome: Outcome) -> bool:
    """Promise 1 speaks of what lies below the budget: its stories are drawn for that as well."""
    return "below_the_budget" not in path.stem and outcome.share is not None and outcome.share < LEAST_OVER


def _run(path: Path, examples: int, seed: int) -> Outcome:
    started = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not alone", "-p", "no:cacheprovider", str(path)]
    command.append(f"--hypothesis-seed={seed}")
    with tempfile.TemporaryDirectory() as folder:
        env = {**os.environ, "HYPOTHESIS_PROFILE": "verify", "UNABRIDGED_EXAMPLES": str(examples)}
        env["UNABRIDGED_TALLY"] = folder
        run = subprocess.run(command, cwd=REPOSITORY, env=env, capture_output=True, text=True, check=False)
        held = run.returncode in (0, NOTHING_LEFT)
        outcome = Outcome(held, _counted(Path(folder)))
    if run.returncode != NOTHING_LEFT:
        _tell(path, outcome, time.monotonic() - started)
    if not held:
        print(run.stdout[-30_000:], flush=True)
    return outcome


def _counted(folder: Path) -> Counts:
    counts = Counts()
    for file in folder.glob("*.json"):
        for kind, name, count in json.loads(file.read_text("utf-8")):
            counts[kind, name] += count
    return counts


def _tell(path: Path, outcome: Outcome, seconds: float) -> None:
    """Print one line: `fewest` is the number of examples of the property that had the fewest."""
    name = path.stem.removeprefix("test_").replace("_", " ")
    tried = [count for (kind, _), count in outcome.counts.items() if kind == "examples"]
    share = "-" if outcome.share is None else f"{outcome.share:.0%}"
    print(
        f"{name:36}{'held' if outcome.held else 'BROKEN':8}{seconds:8.0f}{sum(tried):10,}{min(tried, default=0):8,}"
        f"{outcome.counts['stories', 'told']:9,}{share:>13}",
        flush=True,
    )


def _table(counts: Counts) -> list[tuple[str, str]]:
    """Print how often each occurred; give those that should have and did not."""
    empty: list[tuple[str, str]] = []
    for kind, name in EXPECTED:
        count, excuse = counts[kind, str(name)], UNREACHABLE.get((kind, name))
        print(f"{kind:12} {name:28} {count:>10,}{'' if excuse is None else f'   not in stories: {excuse}'}")
        if not count and excuse is None:
            empty.append((kind, str(name)))
    for kind, name in empty:
        print(f"never occurred: {kind} {name}")
    return empty


if __name__ == "__main__":
    sys.exit(main())

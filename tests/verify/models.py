"""What models do to a conversation, and what becomes of it. `make verify-models`, one line for each.

classifier   every known error text of thirty providers, in every shape (tests/verify/overflow.py prints its table)
windows      2k, 4k and 8k, whose fixed part takes 10, 60, 95 and 110 % of them
summarizers  thirteen bad ones, and sixty good summaries in six languages
fake         a long conversation with the fake provider, another vocabulary and a hidden prompt, stored in SQLite
chaos        all four dialects: 429, 500, cut streams, silent answers, and a window 10 % smaller than declared
local        the local model in a window of 2k (needs `unabridged models add smollm2`)
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.verify import overflow
from tests.verify.narrow import cases
from tests.verify.scribes import BAD, flaws_of, refused_good
from tests.verify.talking import DIALECTS, Run, Worker, converse, fake_model, talk_to
from unabridged.store import open_store
from unabridged.testing import Chaotic, FakeProvider, Working

CLOSE, CLOSE_MEDIAN = 0.08, 0.02
"""How far a count may be off, and how far in the median."""
FLAT = 0.2
"""By how much memory may grow from a third of a run to its end, as a share."""
DECLARED, REAL = 10_000, 9_000


def main() -> int:
    """Print a line for each part; give 0 if nothing came that must not be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=300, help="of the local model, and of each dialect in chaos")
    parser.add_argument("--fake-turns", type=int, default=3_000)
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    given = parser.parse_args()
    return asyncio.run(_all(given))


async def _all(given: argparse.Namespace) -> int:
    bad = 0
    for name in given.only:
        faults = await PARTS[name](given)
        for fault in faults:
            print(f"  {fault}")
        print(f"{name:12} {'as it should be' if not faults else f'{len(faults)} FAULTS'}", flush=True)
        bad += len(faults)
    return 1 if bad else 0


async def _classifier(given: argparse.Namespace) -> list[str]:
    return ["texts were misread"] if overflow.main() else []


async def _windows(given: argparse.Namespace) -> list[str]:
    found = await cases()
    print(f"{'window':>8}{'fixed':>8}{'answered':>10}{'fits':>6}{'lowered':>9}{'refused':>9}{'calls':>7}")
    for case in found:
        refused = "at once" if case.refused and not case.calls else "later" if case.refused else "-"
        print(
            f"{case.window:8,}{case.share:7} %{case.answered:10}{case.fits:6}{case.lowered:9}{refused:>9}{case.calls:7}"
        )
    return [f"{case}" for case in found if not case.is_as_it_should_be]


async def _summarizers(given: argparse.Namespace) -> list[str]:
    faults = [fault for name in BAD for fault in await flaws_of(name)]
    number, refused = await refused_good()
    print(f"{len(BAD)} bad summarizers, {len(faults)} faults; {number} good summaries, {len(refused)} refused")
    return faults + refused


async def _fake(given: argparse.Namespace) -> list[str]:
    provider = FakeProvider(Working(2, 1), window=16_000, ratio=1.2, overhead=350, keep=1)
    with TemporaryDirectory() as folder, open_store(Path(folder, "sessions.db")) as store:
        log = store.project("talks").create().log  # what was said long ago is on the disk: memory stays as it is
        async with fake_model(provider, "openai_chat") as model:
            worker = Worker(talk_to(model, window=16_000, log=log), model, seed=1, most=4_000, own_calls=False)
            run = await converse(worker, given.fake_turns, _tell)
    _say("fake", run)
    return _breaches(run, refused=len(provider.refused))


async def _chaos(given: argparse.Namespace) -> list[str]:
    faults: list[str] = []
    for seed, dialect in enumerate(DIALECTS):
        provider = FakeProvider(Chaotic(seed), window=REAL)
        async with fake_model(provider, dialect) as model:
            worker = Worker(talk_to(model, window=DECLARED), model, seed=seed, most=2_000, own_calls=False)
            run = await converse(worker, given.turns, _tell)
        _say(dialect, run)
        invalid = [each.says for each in provider.refused if each.status == 400 and not _says_too_long(each.says)]
        faults += [f"{dialect}: {each}" for each in run.lost]
        faults += [f"{dialect}: invalid request: {each}" for each in invalid]
        faults += [f"{dialect}: {run.unexplained} fits without a report"] * bool(run.unexplained)
    return faults


def _says_too_long(text: str) -> bool:
    from unabridged.models.overflow import ErrorKind, meaning_of

    return meaning_of(text, status=400).kind in (ErrorKind.OVERFLOW, ErrorKind.OUTPUT_LIMIT)


async def _local(given: argparse.Namespace) -> list[str]:
    from unabridged.models.local.model import local_model
    from unabridged.models.local.weights import SMOLLM2

    if not SMOLLM2.is_there:
        print("no local model: run `unabridged models add smollm2` first")
        return []
    async with local_model(window=2_048) as model:
        worker = Worker(talk_to(model, window=2_048, output=40), model, seed=2, most=1_500, own_calls=True)
        run = await converse(worker, given.turns, _tell)
    _say("local", run)
    return _breaches(run, refused=run.refused)


def _breaches(run: Run, *, refused: int) -> list[str]:
    faults = list(run.lost)
    faults += [f"{refused} requests were refused"] * bool(refused)
    faults += [f"a count was {run.worst:.1%} off"] * (run.worst > CLOSE)
    faults += [f"counts were {run.middle:.1%} off in the median"] * (run.middle > CLOSE_MEDIAN)
    faults += [f"memory grew by {run.growth:.0%}"] * (run.growth > FLAT)
    faults += [f"{run.unexplained} fits without a report"] * bool(run.unexplained)
    return faults


def _say(name: str, run: Run) -> None:
    print(
        f"{name}: {run.turns:,} turns, {run.requests:,} requests, {len(run.lost)} lost, {run.refused} refused, "
        f"{run.restarts} asked for again, {run.fits} fits, count off by {run.middle:.2%} in the median and "
        f"{run.worst:.2%} at worst, facts in view {run.kept} of {run.facts}, memory {run.growth:+.1%}, "
        f"{run.seconds:.0f} s",
        flush=True,
    )


def _tell(run: Run) -> None:
    print(f"\r{run.turns:,} turns, {run.requests:,} requests", end="\r", file=sys.stderr, flush=True)


PARTS: dict[str, Callable[[argparse.Namespace], Awaitable[list[str]]]] = {
    "classifier": _classifier,
    "windows": _windows,
    "summarizers": _summarizers,
    "fake": _fake,
    "chaos": _chaos,
    "local": _local,
}


if __name__ == "__main__":
    sys.exit(main())

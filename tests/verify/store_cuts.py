"""Agents on a disk whose power is cut at a random operation."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from unittest.mock import patch

from tests.verify.store_agent import PROJECT, work_for_ever
from tests.verify.store_checks import Kind, Tally, look_at
from tests.verify.store_kills import progress
from tests.verify.store_power import Disk, PowerCut
from unabridged.errors import StoreError
from unabridged.store import Store, open_store, sqlite

LATEST = 900
"""Operations on files within which the power is cut: some tens of steps, and the making of the file before them."""
CHECKPOINTS = (8, 40, 1_000)
"""Pages of the log of writes after which SQLite moves them over: 1,000 is its own choice, and seldom reached here."""
NAME = "s-1"
LEASE_S = 30.0
"""So long that nothing is renewed meanwhile: the same seed gives the same operations."""


def cut_power(times: int, synchronous: str, seed: int) -> Tally:
    """Cut the power so many times, each over a store of its own, and look at what is left."""
    chance, tally = Random(seed), Tally()
    for nth in range(times):
        with tempfile.TemporaryDirectory() as folder:
            _cut(Path(folder), synchronous, chance, tally)
        progress(f"power cut {nth + 1} of {times}, {synchronous}")
    return tally


@contextmanager
def another_start() -> Generator[None]:
    """Have the machine be started again: whoever held a turn before that is dead."""
    before = sqlite._stretch()
    with patch.object(sqlite, "_stretch", lambda: before + sqlite.STRETCH_S):
        yield


def _cut(folder: Path, synchronous: str, chance: Random, tally: Tally) -> None:
    before, after = folder / "before", folder / "after"
    before.mkdir()
    after.mkdir()
    disk, said = Disk(chance.randint(1, LATEST)), dict[int, str]()
    made = False
    with disk.in_use(checkpoint_pages=chance.choice(CHECKPOINTS)):
        store: Store | None = None
        try:
            store = open_store(before / "s.db", synchronous=synchronous)
            session = store.project(PROJECT).create(id=NAME)
            made = True
            work_for_ever(session, chance, said.__setitem__, wait_s=0, lease_s=LEASE_S)
        except StoreError as error:
            if not isinstance(_first(error), PowerCut):
                raise
        finally:
            if store is not None:
                store.close()
    for path, content in disk.left(chance).items():
        (after / Path(path).name).write_bytes(content)
    with another_start(), open_store(after / "s.db") as store:
        durable = {NAME} if made and synchronous == "FULL" else set[str]()
        if not store.project(PROJECT).has(NAME) and NAME not in durable:
            store.project(PROJECT).create(id=NAME)  # its making was cut off: nobody was told that it is there
        length, breaches = look_at(store, NAME, said, chance.getrandbits(32))
    tally.crashes += 1
    tally.acknowledged += max(said, default=-1) + 1
    tally.beyond += length > max(said, default=-1) + 1
    tally.breaches += breaches
    for breach in breaches:
        if synchronous == "FULL" or breach.kind is not Kind.LOST:
            sys.stderr.write(f"\n{synchronous}: {breach.kind.value}: {breach.says}\n")


def _first(error: BaseException) -> BaseException:
    while error.__cause__ is not None:
        error = error.__cause__
    return error

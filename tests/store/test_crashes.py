"""Agents that are killed, a disk that loses power, a race for turns: a small part of `make verify-store`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.verify.store_agent import PROJECT
from tests.verify.store_checks import Kind, look_at
from tests.verify.store_cuts import cut_power
from tests.verify.store_kills import kill_agents
from tests.verify.store_race import race
from unabridged.store import open_store
from unabridged.store.sqlite import SqliteDatabase

SEED = 7


def test_killed_agents_lose_nothing_that_was_acknowledged(lasting: str) -> None:
    tally = kill_agents(lasting, 3, SEED)

    assert tally.breaches == []
    assert tally.acknowledged > 0


def test_a_power_cut_loses_nothing_that_was_acknowledged() -> None:
    tally = cut_power(6, "FULL", SEED)

    assert tally.breaches == []
    assert tally.acknowledged > 0


def test_a_power_cut_may_take_the_newest_steps_where_not_every_one_is_synced_and_tears_none() -> None:
    tally = cut_power(6, "NORMAL", SEED)

    assert tally.count(Kind.LOST) == len(tally.breaches) > 0


def test_turns_of_racing_processes_do_not_interleave(lasting: str) -> None:
    found = race(lasting, 1.0, SEED)

    assert found.breaches == []
    assert found.turns > 0


@pytest.mark.parametrize(
    ("harm", "kind"),
    [
        ("DELETE FROM entries WHERE seq = (SELECT max(seq) FROM entries)", Kind.LOST),
        ("DELETE FROM entries WHERE seq = 1", Kind.BROKEN),
        ("UPDATE entries SET payload = CAST(replace(payload, 'Go on', 'Go in') AS BLOB) WHERE seq = 0", Kind.BROKEN),
        ("UPDATE entries SET log_digest = zeroblob(32) WHERE seq = 0", Kind.CHANGED),
        ("DELETE FROM sessions", Kind.CLOSED),
    ],
)
def test_a_harmed_session_is_noticed(tmp_path: Path, harm: str, kind: Kind) -> None:
    place = str(tmp_path / "s.db")
    kill_agents(place, 1, SEED)
    with open_store(place) as store:
        name = store.project(PROJECT).sessions()[0].id
        entries = store.project(PROJECT).open(name).log.entries
    told = {entry.seq: entry.log_digest for entry in entries}
    database = SqliteDatabase(place)
    for statement in ("PRAGMA foreign_keys = OFF", "DROP TRIGGER entries_stay", "DROP TRIGGER entries_last", harm):
        database.run(statement)
    database.close()

    with open_store(place) as store:
        _, breaches = look_at(store, name, told, SEED)

    assert kind in {breach.kind for breach in breaches}

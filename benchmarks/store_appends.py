"""Appends to a session, against a bare prepared insert of the same rows: what the log itself costs.

The bare insert has no digests to make, no turn to look at, no index but its key, and no entry to give back. It writes
the very rows that the log writes, as many in a transaction, with the same durability, to the same disk. Both take
turns in short rounds, so that a busy machine is as busy for one as for the other. All of their time counts, also what
SQLite spends now and then on moving writes to their places. It is done five times, and the best share is shown: what
else runs here slows computing down, and the disk does not, so that it is on the side of the bare insert.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, LiteralString, NamedTuple, cast

import psycopg

from unabridged.entry import MessageEntry
from unabridged.store import Session, open_store
from unabridged.store.columns import ids_of
from unabridged.store.database import Row
from unabridged.store.rows import KEPT
from unabridged.tokens import default_counter
from unabridged.tokens.price import Cost, price_message
from unabridged.wire import wire

PROMISED = {"FULL": 0.8, "NORMAL": 0.5, "PostgreSQL": 0.8}
ROUNDS = {"FULL": (20, 20), "NORMAL": (40, 100), "PostgreSQL": (20, 20)}
"""How many, and the appends of each, every one a transaction of its own."""
TIMES = 5
FIRST = 20
"""Rounds that do not count: behind them statements are prepared, and SQLite writes to a log that grows no more."""
OUTPUT = 2_000
"""Characters of a tool's output: every other message is one."""
ALL = f"session, {KEPT}"
COLUMNS = 17

Bare = Callable[[Sequence[Row]], None]


class Made(NamedTuple):
    """A message ready to be appended."""

    entry: MessageEntry
    cost: Cost


def table(folder: Path, url: str) -> bool:
    """Print a row for each; tell whether the promises hold."""
    print(
        f"appends of one message a transaction, {OUTPUT:,} characters in every other; bare: an insert of the same rows"
    )
    print(f"{'':14}{'appends/s':>12}{'bare/s':>12}{'share':>9}{'promised':>10}")
    held = [
        _row("FULL", str(folder / "full.db"), _sqlite(folder / "bare-full.db", "FULL")),
        _row("NORMAL", str(folder / "normal.db"), _sqlite(folder / "bare-normal.db", "NORMAL")),
        _row("PostgreSQL", url, _postgres(url)),
    ]
    return all(held)


def _row(name: str, place: str, bare: Bare) -> bool:
    rounds, step = ROUNDS[name]
    total = FIRST + rounds * TIMES
    messages = _messages(step * total)
    ours: list[float] = []
    theirs: list[float] = []
    with open_store(place, synchronous=name if name in ("FULL", "NORMAL") else "FULL") as store:
        session = store.project("appends").create()
        for nth in range(total):
            ours.append(_timed(lambda made: _append(session, made), messages[nth * step : (nth + 1) * step]))
            sql = f"SELECT {ALL} FROM entries WHERE id >= ? AND id < ?"
            theirs.append(_timed(bare, store.database.rows(sql, *ids_of(session.key, nth * step))))
    runs = [slice(start, start + rounds) for start in range(FIRST, total, rounds)]
    share, own_s, bare_s = max((sum(theirs[run]) / sum(ours[run]), sum(ours[run]), sum(theirs[run])) for run in runs)
    count = step * rounds
    print(f"{name:14}{count / own_s:>12,.0f}{count / bare_s:>12,.0f}{share:>9.0%}{PROMISED[name]:>10.0%}", flush=True)
    return share >= PROMISED[name]


def _timed(do: Callable[[Any], None], given: Any) -> float:
    started = time.perf_counter()
    do(given)
    return time.perf_counter() - started


def _append(session: Session, made: Sequence[Made]) -> None:
    for each in made:
        session.log.append(each.entry, costs=(each.cost,))


def _messages(count: int) -> list[Made]:
    spoken, counter = wire("openai_chat"), default_counter()
    made: list[Made] = []
    for nth in range(count):
        call = {"id": f"c{nth // 2}", "type": "function", "function": {"name": "look", "arguments": '{"at": "src"}'}}
        body: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
        if nth % 2:
            body = {"role": "tool", "tool_call_id": call["id"], "content": f"{nth:08} river stone\n" * (OUTPUT // 21)}
        message, _ = spoken.read_message(json.dumps(body), id=f"m-{nth:08}")
        made.append(Made(MessageEntry(message), price_message(message, counter, {})))
    return made


def _sqlite(path: Path, synchronous: str) -> Bare:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute(f"CREATE TABLE bare ({ALL}, UNIQUE (session, seq))")
    insert = f"INSERT INTO bare VALUES ({', '.join('?' * COLUMNS)})"

    def write(rows: Sequence[Row]) -> None:
        for row in rows:
            connection.execute(insert, row)

    return write


def _postgres(url: str) -> Bare:
    connection = psycopg.connect(url, autocommit=True)
    connection.execute(
        "CREATE TABLE bare (session BIGINT, seq BIGINT, branch TEXT, time TEXT, kind TEXT, name TEXT,"
        " log_digest BYTEA, transcript_digest BYTEA, normal_digest BYTEA, place BIGINT, anchor BIGINT, cost TEXT,"
        " upto TEXT, first_human BIGINT, last_human BIGINT, learned BYTEA, payload BYTEA, PRIMARY KEY (session, seq))"
    )
    insert = cast("LiteralString", f"INSERT INTO bare VALUES ({', '.join(['%s'] * COLUMNS)})")

    def write(rows: Sequence[Row]) -> None:
        for row in rows:
            connection.execute(insert, row, prepare=True)

    return write

"""How long it takes to open a session and make its first view, whatever its length.

A session is filled by the real code: messages of an agent are appended in runs of 5,000, one transaction each, and
after each run a request is fitted, which leaves a checkpoint behind, as an import in pieces would. A stretch that is
lived step by step ends each size. What is in SQLite is then copied into PostgreSQL row by row, columns unchanged, so
that both engines open the same sessions. All lengths are opened in turns, each time by a store that was opened anew;
the system's own cache is warm.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from math import inf
from pathlib import Path
from typing import Any

import msgspec
import psycopg

from benchmarks.store_appends import ALL
from unabridged import Conversation, Usage
from unabridged.conversation import new_id
from unabridged.entry import MessageEntry
from unabridged.message import Message
from unabridged.store import Session, Store, open_store
from unabridged.store.columns import id_of, ids_of
from unabridged.tokens import default_counter
from unabridged.tokens.price import Cost, price_message
from unabridged.wire import wire

SIZES = (1_000, 10_000, 100_000, 1_000_000)
PROMISED_RATIO = 3.0
PROMISED_MS = 50.0
WINDOW = 32_000
RUN = 5_000
LIVED = 100
"""Entries of the stretch that is lived step by step."""
TRIES = 40
"""Of each, in turns; the quickest counts: what else runs here can only slow it down."""
PROJECT = "opening"


def table(folder: Path, url: str, sizes: tuple[int, ...] = SIZES) -> bool:
    """Print a row for each size; tell whether the promises hold."""
    place = str(folder / "opening.db")
    filled: dict[int, float] = {}
    for size in sizes:
        started = time.monotonic()
        _fill(place, size)
        _copy(place, url, size)
        filled[size] = time.monotonic() - started
    print(f"opening a session and its first view (window {WINDOW:,}), ms; promised: at most {PROMISED_RATIO:g} times")
    print(f"what {sizes[0]:,} entries take, and under {PROMISED_MS:g} ms on SQLite")
    print(
        f"{'entries':>11}{'SQLite':>10}{'ratio':>8}{'PostgreSQL':>12}{'ratio':>8}{'messages in view':>18}{'fill s':>9}"
    )
    taken = {(engine, size): inf for engine in (place, url) for size in sizes}
    for _ in range(TRIES):
        for engine, size in taken:
            taken[engine, size] = min(taken[engine, size], _opened_ms(engine, size))
    for size in sizes:
        own, other = taken[place, size], taken[url, size]
        ratios = own / taken[place, sizes[0]], other / taken[url, sizes[0]]
        told = f"{size:>11,}{own:>10.1f}{ratios[0]:>8.2f}{other:>12.1f}{ratios[1]:>8.2f}"
        print(f"{told}{_view_length(place, size):>18,}{filled[size]:>9.0f}", flush=True)
    worst = max(ms / taken[engine, sizes[0]] for (engine, _), ms in taken.items())
    return worst <= PROMISED_RATIO and max(taken[place, size] for size in sizes) < PROMISED_MS


def _opened_ms(place: str, size: int) -> float:
    with open_store(place) as store:
        started = time.perf_counter()
        _conversation(store.project(PROJECT).open(_name(size))).preview().body()
        return (time.perf_counter() - started) * 1_000


def _view_length(place: str, size: int) -> int:
    with open_store(place) as store:
        return len(_conversation(store.project(PROJECT).open(_name(size))).preview().texts)


def _name(size: int) -> str:
    return f"long-{size}"


def _conversation(session: Session) -> Conversation:
    return Conversation(model="m", system="Work on.", window=WINDOW, max_tokens=2_000, log=session.log)


def _fill(place: str, size: int) -> None:
    """Append until the session is so long."""
    with open_store(place, synchronous="NORMAL") as store:
        session = _session(store, size)
        making = _messages()
        if not session.log.next_seq:
            _conversation(session).user("Read the sources, one after the other.")
        while session.log.next_seq < size - LIVED:
            made = [next(making) for _ in range(min(RUN, size - LIVED - session.log.next_seq) // 2 * 2 or 2)]
            with session.turn():
                session.log.append(*(entry for entry, _ in made), costs=[cost for _, cost in made])
                _conversation(session).fit()
        while session.log.next_seq < size:
            _live(session)


def _session(store: Store, size: int) -> Session:
    project = store.project(PROJECT)
    return project.open(_name(size)) if project.has(_name(size)) else project.create(id=_name(size))


def _live(session: Session) -> None:
    """Take a turn of ten steps."""
    making = _messages()
    with session.turn():
        talk = _conversation(session)
        talk.user("Go on.")
        for _ in range(10):
            fitted = talk.fit()
            talk.answered(Usage(input=fitted.sent.price))
            with session.log.step():
                talk.add(next(making)[0].message)
                talk.add(next(making)[0].message)


def _messages() -> Iterator[tuple[MessageEntry, Cost]]:
    """Give calls and their results in turns, without end, each with an id of its own."""
    spoken, counter = wire("openai_chat"), default_counter()
    known: list[tuple[Message, Cost]] = []
    for nth in range(200):
        call = {"id": f"c{nth // 2}", "type": "function", "function": {"name": "look", "arguments": '{"at": "src"}'}}
        body: dict[str, Any] = {"role": "assistant", "content": None, "tool_calls": [call]}
        if nth % 2:
            body = {"role": "tool", "tool_call_id": call["id"], "content": f"{nth:08} a river stone\n" * (nth % 40)}
        message, _ = spoken.read_message(json.dumps(body), id="")
        known.append((message, price_message(message, counter, {})))
    while True:
        for message, cost in known:
            yield MessageEntry(msgspec.structs.replace(message, id=new_id())), cost


def _copy(place: str, url: str, size: int) -> None:
    """Copy a session from SQLite into PostgreSQL."""
    with open_store(place) as own, open_store(url) as other:
        session, copied = _session(own, size), _session(other, size)
        rows = own.database.each_row(
            f"SELECT {ALL} FROM entries WHERE id >= ? AND id < ? ORDER BY id",
            *ids_of(session.key, copied.log.next_seq),
        )
        with psycopg.connect(url) as connection, connection.cursor() as cursor:
            with cursor.copy(f"COPY entries (id, {ALL}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row((id_of(copied.key, row[1]), copied.key, *row[1:]))
            connection.commit()
            cursor.execute("ANALYZE entries")

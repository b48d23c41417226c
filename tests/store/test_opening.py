"""Opening a session reads its end: what that takes does not grow with what stands before."""

from __future__ import annotations

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from unabridged import Conversation
from unabridged.conversation import new_id
from unabridged.entry import MessageEntry
from unabridged.message import Message, Role, Text
from unabridged.store import Session, open_store
from unabridged.tokens.price import Cost, Price

COST = Cost(Price(200))
EVERY = 100
"""Instructions of SQLite's virtual machine that are counted as one."""


class Work:
    """How much SQLite did."""

    done = 0

    def count(self) -> int:
        self.done += 1
        return 0


@contextmanager
def counted() -> Generator[Work]:
    """Count what the connections do that are opened in this block."""
    work, plain = Work(), sqlite3.connect

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = plain(*given, **named)
        connection.set_progress_handler(work.count, EVERY)
        return connection

    with patch.object(sqlite3, "connect", connect):
        yield work


def conversation(session: Session) -> Conversation:
    return Conversation(model="m", window=8_000, max_tokens=500, log=session.log)


def work_of_opening(place: Path, length: int) -> int:
    """Fill a session to a length, with a checkpoint near its end, and give what opening and viewing it takes."""
    with open_store(place, synchronous="NORMAL") as store:
        session = store.project("p").create(id="s-1")
        messages = [MessageEntry(Message(id=new_id(), role=Role.USER, parts=(Text("stone " * 150),)))]
        messages += [
            MessageEntry(Message(id=new_id(), role=Role.ASSISTANT, parts=(Text("river " * 150),)))
            for _ in range(length)
        ]
        session.log.append(*messages, costs=[COST] * len(messages))
        conversation(session).fit()
    with counted() as work, open_store(place) as store:
        conversation(store.project("p").open("s-1")).preview().body()
    return work.done


def test_opening_a_long_session_takes_no_more_than_opening_a_short_one(tmp_path: Path) -> None:
    short = work_of_opening(tmp_path / "short.db", 200)
    long = work_of_opening(tmp_path / "long.db", 4_000)

    assert 0 < long < 1.5 * short

"""What looking at a session takes does not grow with what stands before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from tests.server.history_scene import ENGINES, store_on
from unabridged import Conversation
from unabridged.conversation import new_id
from unabridged.entry import MessageEntry
from unabridged.message import Message, Origin, Role, Text
from unabridged.server.history.messages import messages_page
from unabridged.server.history.parts import Sight
from unabridged.store import Project, Session, Store
from unabridged.store.database import Database, Row
from unabridged.store.pages import Pages
from unabridged.tokens.price import Cost, Price

COST = Cost(Price(200))
AT_ONCE = 5_000


class Counting:
    """A database that counts what is read from it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.queries = 0
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def rows(self, sql: str, *values: Any) -> list[Row]:
        found = self._database.rows(sql, *values)
        self.queries += 1
        self.read += len(found)
        return found


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with store_on(request.param, tmp_path_factory.mktemp("cost")) as opened:
        yield opened


def filled(store: Store, length: int) -> Session:
    """Fill a session to a length, with a checkpoint near its end."""
    session = store.project("home").create(id=f"s-{length}")
    for start in range(0, length, AT_ONCE):
        some = range(start, min(start + AT_ONCE, length))
        session.log.append(*map(_message, some), costs=[COST] * len(some))
    talk = Conversation(model="m", window=8_000, max_tokens=500, log=session.log)
    talk.user("And now?")
    talk.fit()
    return session


def _message(place: int) -> MessageEntry:
    if place % 50 == 0:
        return MessageEntry(Message(id=new_id(), role=Role.USER, parts=(Text("stone " * 20),)))
    return MessageEntry(Message(id=new_id(), role=Role.ASSISTANT, parts=(Text("river " * 20),), origin=Origin.MODEL))


def cost_of_a_page(store: Store, id: str, *, newest_first: bool, after: str | None = None) -> tuple[int, int]:
    """Give the queries and the rows that a page takes, its session opened for it."""
    counting = Counting(store.database)
    session = Project(cast(Database, counting), "home").open(id)
    page = messages_page(
        Pages(session), Sight(id, False), after=after, before=None, limit=50, newest_first=newest_first
    )
    assert len(page.messages) == 50
    return counting.queries, counting.read


def test_a_page_of_a_long_session_takes_no_more_than_one_of_a_short_session(store: Store) -> None:
    short, long = filled(store, 1_000), filled(store, 20_000)
    middle = Conversation(log=long.log).transcript.records[10_000].message.id
    beginning = Conversation(log=short.log).transcript.records[500].message.id

    for newest_first in (True, False):
        queries, rows = cost_of_a_page(store, short.id, newest_first=newest_first)
        assert cost_of_a_page(store, long.id, newest_first=newest_first) <= (queries, rows + 1)
        most = cost_of_a_page(store, short.id, newest_first=newest_first, after=beginning)
        again = cost_of_a_page(store, long.id, newest_first=newest_first, after=middle)
        assert again[0] <= most[0] + 2
        assert again[1] <= most[1] + 64

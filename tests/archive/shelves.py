"""Shelves of every kind, each with the log whose messages it keeps."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.databases import Server
from unabridged.archive import MemoryShelf, Shelf, StoredShelf
from unabridged.log import Log
from unabridged.store import open_store


def shelved(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Log, Shelf]]:
    """Give what a fixture's parameter asks for: `plain` lives in this process, an engine keeps it in a store."""
    match request.param:
        case "plain":
            yield Log(), MemoryShelf()
        case "postgres":
            server: Server = request.getfixturevalue("postgres")
            with server.database() as url:
                yield from _stored(url)
        case engine:
            yield from _stored(":memory:" if engine == "memory" else str(tmp_path / "sessions.db"))


def _stored(place: str) -> Iterator[tuple[Log, Shelf]]:
    with open_store(place) as store:
        session = store.project("home").create(id="s")
        yield session.log, StoredShelf(session.database, session.key)

"""Stores on every engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.databases import ENGINES, Server, server_of_run
from unabridged.store import Session, Store, open_store


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, the same for all processes of the run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"process-{os.getpid()}"
    with server_of_run(run) as server:
        yield server


@pytest.fixture(params=ENGINES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store can be opened, on each engine; what is in memory can be opened once."""
    match request.param:
        case "memory":
            yield ":memory:"
        case "sqlite":
            yield str(tmp_path / "sessions.db")
        case _:
            server: Server = request.getfixturevalue("postgres")
            with server.database() as url:
                yield url


@pytest.fixture(params=ENGINES[1:])
def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where a store can be opened more than once."""
    if request.param == "sqlite":
        yield str(tmp_path / "sessions.db")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as url:
        yield url


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    """An empty store, on each engine."""
    with open_store(place) as opened:
        yield opened


@pytest.fixture
def session(store: Store) -> Session:
    """A session without an entry."""
    return store.project("home").create(id="s-1")

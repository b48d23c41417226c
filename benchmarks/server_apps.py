"""The two servers that are compared, each in a process of its own: ours, and a bare FastAPI app.

The bare one streams the very bytes that ours sent, from the same model, and commits as often to a database of the same
engine, before the first token and behind the last one as ours does. It knows no session, no history and no key.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from psycopg_pool import ConnectionPool

from benchmarks.server_model import NAME, InProcess
from unabridged.models.connect import connect
from unabridged.models.model import Model, TextDelta
from unabridged.server.app import create_app
from unabridged.server.caller import Scope
from unabridged.server.config import ModelConfig, ServerConfig
from unabridged.server.models import Served
from unabridged.server.settings import ProjectSettings
from unabridged.store import Store, open_store
from unabridged.store.database import Database, Row

WRITES = ("INSERT", "UPDATE", "DELETE")


App = Callable[[Any, Any, Any], Awaitable[None]]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a process is to serve."""

    kind: str
    """`ours` or `bare`."""
    place: str
    provider: str = ""
    """Where a provider is; "" for the model without a network."""
    events: tuple[str, ...] = ()
    """What the bare one streams: the frames of one of our turns."""
    before: int = 0
    """Commits of the bare one before its first token, and all."""
    commits: int = 0


class Counted:
    """A database that counts what it commits."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.commits = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def rows(self, sql: str, *values: Any) -> list[Row]:
        """Give rows; a statement that writes commits as well."""
        self.commits += sql.startswith(WRITES)
        return self._database.rows(sql, *values)

    @contextmanager
    def transaction(self) -> Generator[Any]:
        """Begin a transaction."""
        self.commits += 1
        with self._database.transaction() as writing:
            yield writing

    def append(self, *given: Any) -> None:
        """Append in a transaction."""
        self.commits += 1
        self._database.append(*given)


def ours(job: Job) -> App:
    """Give our server, with routes that tell its commits and its key."""
    opened = open_store(job.place)
    counted = Counted(opened.database)
    marks = {"turns": 0, "at request": 0, "before": 0}

    def asked() -> None:
        marks["turns"] += 1
        marks["before"] += counted.commits - marks["at request"]

    config = ServerConfig(database=job.place, models={NAME: ModelConfig(model=NAME)}, frame_minutes=1.0)
    app = create_app(config, Store(counted))  # type: ignore[arg-type]  # it passes on what it does not count
    services = app.state.services
    services.models.add(Served(NAME, _model(job, asked), 128_000, False))
    services.projects.create("bench", ProjectSettings())
    key = services.keys.create(Scope.PROJECT, project="bench")[1]

    @app.get("/bench")
    def told() -> dict[str, Any]:
        return {"key": key, "commits": counted.commits, **marks}

    async def marked(scope: Any, receive: Any, send: Any) -> None:
        marks["at request"] = counted.commits
        await app(scope, receive, send)

    return marked


def bare(job: Job) -> FastAPI:
    """Give an app that does no more than stream and commit."""
    app = FastAPI()
    commit = _sqlite(job.place) if "://" not in job.place else _postgres(job.place)
    model = _model(job, lambda: None)
    events = [event.encode() for event in job.events]
    is_delta = [event.startswith(b"event: delta") for event in events]
    first = is_delta.index(True)
    head, deltas, tail = events[:first], events[first : first + sum(is_delta)], events[first + sum(is_delta) :]

    async def answer(body: bytes) -> AsyncGenerator[bytes]:
        for _ in range(job.before):
            await asyncio.to_thread(commit, body)
        yield b"".join(head)
        pieces = iter(deltas)
        async for event in model.stream(body):
            if isinstance(event, TextDelta):
                yield next(pieces, b"")
        for _ in range(job.commits - job.before):
            await asyncio.to_thread(commit, body)
        yield b"".join(tail)

    @app.post("/chat")
    async def chat(request: Request) -> StreamingResponse:
        asked = await request.json()
        body = json.dumps({"model": NAME, "messages": [{"role": "user", "content": asked["message"]}]}).encode()
        return StreamingResponse(answer(body), media_type="text/event-stream")

    return app


def _model(job: Job, asked: Callable[[], None]) -> Model:
    if not job.provider:
        return InProcess(asked)
    return connect(NAME, provider="openai_chat", base_url=f"{job.provider}/v1", window=128_000)


def _sqlite(place: str) -> Callable[[bytes], None]:
    connection = sqlite3.connect(place, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE bare (id INTEGER PRIMARY KEY, data BLOB)")
    one = threading.Lock()

    def commit(data: bytes) -> None:
        with one:
            connection.execute("INSERT INTO bare (data) VALUES (?)", (data,))

    return commit


def _postgres(url: str) -> Callable[[bytes], None]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE bare (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, data BYTEA)")
    pool = ConnectionPool(url, min_size=4, max_size=16, open=True, kwargs={"autocommit": True})

    def commit(data: bytes) -> None:
        with pool.connection() as connection:
            connection.execute("INSERT INTO bare (data) VALUES (%s)", (data,))

    return commit


class Server(uvicorn.Server):
    """Says where it listens."""

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        print(self.servers[0].sockets[0].getsockname()[1], flush=True)


def main() -> None:
    """Serve what a file asks for."""
    job = msgspec.json.decode(Path(sys.argv[1]).read_bytes(), type=Job)
    app = ours(job) if job.kind == "ours" else bare(job)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on", access_log=False)
    Server(config).run()


if __name__ == "__main__":
    main()

"""A chat server over HTTP, and behind it a provider with a real window that can be made to wait.

Everything is asked from outside; only projects and their keys are made through the services, before anything is asked.
"""

from __future__ import annotations

import asyncio
import json
import queue
import tempfile
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI

from tests.server.reading import Came, Json, Seen, frames_in
from tests.summarizer.models import GOOD
from unabridged.policy import Policy
from unabridged.server.app import create_app
from unabridged.server.caller import Scope
from unabridged.server.config import ModelConfig, ServerConfig
from unabridged.server.services import Services
from unabridged.server.settings import ProjectSettings
from unabridged.store import open_store
from unabridged.testing import Asked, Call, Failure, FakeProvider, Model, Reply, serving
from unabridged.testing.provider.app import Receive, Send
from unabridged.testing.provider.app import Scope as Asgi

WINDOW, BUDGET = 8_000, 6_400
CHAT, FAST = "hukuk-db", "fast"
SECONDS = 30.0


def bulk(tokens: int, seed: str) -> str:
    """Give a text of about so many tokens that is like no other."""
    lines = [f"{seed} line {number} river stone lamp" for number in range(tokens // 9)]
    return "\n".join(lines)


def is_summary(body: Json) -> bool:
    """Tell whether a request asks for a summary."""
    return "You write the minutes of conversations" in json.dumps(body)


class Talker:
    """Answers with its lines, one a request, then with "Done."; asked for a summary it sums up as it is told to."""

    def __init__(self, *lines: Reply | Failure | str, summary: Reply | Failure | str = GOOD) -> None:
        self.lines = [Reply(text=line) if isinstance(line, str) else line for line in lines]
        self.summary = Reply(text=summary) if isinstance(summary, str) else summary

    def reply(self, asked: Asked) -> Reply | Failure:
        """Give the answer to one request."""
        if is_summary(dict(asked.body)):
            return self.summary
        return self.lines.pop(0) if self.lines else Reply(text="Done.")


def calling(name: str, **arguments: Any) -> Reply:
    """Give an answer that makes one call."""
    return Reply(calls=(Call(name, json.dumps(arguments)),))


class Gate:
    """Stands before a provider. Requests that it `holds` wait until it is opened; `held` has each as it arrives."""

    def __init__(self, holds: Callable[[Json], bool]) -> None:
        self.behind: FakeProvider | None = None
        self._holds = holds
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
        self._lock = threading.Lock()
        self._is_open = False
        self.held: queue.Queue[Json] = queue.Queue()

    async def __call__(self, scope: Asgi, receive: Receive, send: Send) -> None:
        """Hold a request, or let it through."""
        first = await receive()
        body = bytes(first.get("body", b""))
        while first.get("more_body"):
            first = await receive()
            body += first.get("body", b"")
        given = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Any:
            return given.pop() if given else await receive()

        asked = json.loads(body)
        if asked.get("stream") and self._holds(asked):  # not where tokens are counted: only what is to be answered
            await self._wait(asked)
        assert self.behind is not None
        await self.behind(scope, again, send)

    async def _wait(self, asked: Json) -> None:
        passed = asyncio.Event()
        with self._lock:
            if not self._is_open:
                self._waiting.append((asyncio.get_running_loop(), passed))
                self.held.put(asked)
            else:
                passed.set()
        await passed.wait()

    def next(self) -> Json:
        """Wait for the next request that is held."""
        return self.held.get(timeout=SECONDS)

    def open(self) -> None:
        """Let through all that wait, and all that come."""
        with self._lock:
            self._is_open = True
            waiting, self._waiting = self._waiting, []
        for loop, passed in waiting:
            loop.call_soon_threadsafe(passed.set)

    def pass_one(self) -> None:
        """Let through the request that has waited longest."""
        with self._lock:
            loop, passed = self._waiting.pop(0)
        loop.call_soon_threadsafe(passed.set)


@contextmanager
def served(app: FastAPI, *, port: int = 0) -> Generator[str]:
    """Serve an application with all that it starts and ends."""
    config = uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", lifespan="on", access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class Chat:
    """One user of the server: a key, and what is asked with it."""

    def __init__(self, url: str, key: str) -> None:
        self.http = httpx2.Client(
            base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=SECONDS, trust_env=False
        )

    @contextmanager
    def streaming(self, path: str, body: Json, **headers: str) -> Generator[Iterator[Seen]]:
        """Begin a turn and give its frames as they come."""
        with self.http.stream("POST", path, json=body, headers=headers) as answer:
            if answer.status_code != 200:
                answer.read()
            assert answer.status_code == 200, answer.text
            yield frames_in(answer.iter_lines())

    def turn(self, session: str | None, message: Any = None, **body: Any) -> Came:
        """Take a turn to its end, the first one of a session where none is given."""
        asked = {**body, **({} if message is None else {"message": message})}
        with self.streaming(path_of(session), asked) as frames:
            return Came(tuple(frames))

    def talk(self, messages: Sequence[Any], **body: Any) -> list[Came]:
        """Take turns in a new session, one for each message."""
        first = self.turn(None, messages[0], **body)
        return [first, *self.talk_on(first.session, messages[1:], **body)]

    def talk_on(self, session: str, messages: Sequence[Any], **body: Any) -> list[Came]:
        """Take more turns in a session."""
        return [self.turn(session, message, **body) for message in messages]

    def messages(self, session: str) -> list[Json]:
        """Give the real conversation, all of it, oldest first."""
        found: list[Json] = []
        after: dict[str, Any] = {}
        while True:
            page = self.get(f"/chat/sessions/{session}/messages", order="asc", limit=50, **after)
            found += page["messages"]
            if not page["has_more"]:
                return found
            after = {"after": found[-1]["id"]}

    def get(self, path: str, **query: Any) -> Json:
        """Ask for something that is there."""
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()


def path_of(session: str | None) -> str:
    """Give where a turn is asked for."""
    return "/chat" if session is None else f"/chat/sessions/{session}/turns"


def worked(chat: Chat, turns: int, tokens: int) -> list[Came]:
    """Take turns in each of which the client reads a file; every second one is what came of its results."""
    came: list[Came] = []
    for number in range(turns):
        came.append(chat.turn(came[0].session if came else None, f"Look into file {number}."))
        (call,) = came[-1].end["awaiting"]
        results = [{"call_id": call, "output": bulk(tokens, f"file{number}")}]
        came.append(chat.turn(came[0].session, tool_results=results))
    return came


def reading(turns: int) -> Talker:
    """Give a model that reads a file in each turn."""
    return Talker(*(line for number in range(turns) for line in (calling("read", path=str(number)), f"Seen {number}.")))


FULL = tuple(bulk(1_000, f"q{number}") for number in range(8))


def first_fit(chat: Chat, said: Sequence[str] = FULL) -> Came:
    """Talk until something has to go, and give that turn."""
    came = chat.turn(None, said[0])
    for message in said[1:]:
        if came.of("context"):
            break
        came = chat.turn(came.session, message)
    assert came.status == "completed"
    return came


class House:
    """A server that runs, its provider, and who may ask it."""

    def __init__(self, url: str, services: Services, provider: FakeProvider) -> None:
        self.url = url
        self.services = services
        self.provider = provider
        self._open: list[Chat] = []

    def project(self, name: str = "home", *, owner: str = "", **settings: Any) -> Chat:
        """Make a project with these settings, and give somebody who may ask in it."""
        policy = Policy(**{"archive_to_memory": False, "summarizer_timeout_s": 45.0, **settings.pop("policy", {})})
        self.services.projects.create(name, ProjectSettings(policy=policy, **settings))
        return self.user(name, owner=owner)

    def user(self, project: str, *, owner: str = "") -> Chat:
        """Give somebody with a key of a project, or of one of its end users."""
        scope = Scope.USER if owner else Scope.PROJECT
        _, key = self.services.keys.create(scope, project=project, owner=owner)
        self._open.append(Chat(self.url, key))
        return self._open[-1]

    def leave(self) -> None:
        """Close what is open."""
        for chat in self._open:
            chat.http.close()

    @property
    def asked(self) -> list[Json]:
        """Requests that the provider answered, summaries left out, oldest first."""
        return [dict(each.body) for each in self.provider.served if not is_summary(dict(each.body))]

    @property
    def summaries(self) -> list[Json]:
        """Requests for summaries that it answered."""
        return [dict(each.body) for each in self.provider.served if is_summary(dict(each.body))]


@contextmanager
def house(
    place: str, model: Model, *, window: int = WINDOW, dialect: str = "openai_chat", gate: Gate | None = None
) -> Generator[House]:
    """Run a server over a database and a model. With `gate`, requests are held for whom its maker asks."""
    provider = FakeProvider(model, window=window)
    front = gate or provider
    if gate is not None:
        gate.behind = provider
    with serving(front) as behind, open_store(place) as store, tempfile.TemporaryDirectory() as folder:
        base = f"{behind}/v1" if dialect.startswith("openai") else behind
        named = "openai" if dialect == "openai_responses" else dialect
        models = {
            name: ModelConfig(model=name, provider=named, base_url=base, window=window, sees=True)
            for name in (CHAT, FAST)
        }
        app = create_app(ServerConfig(models=models, data=folder, heartbeat_s=1.0, grace_s=2.0), store)
        with served(app) as url:
            made = House(url, app.state.services, provider)
            try:
                yield made
            finally:
                if gate is not None:
                    gate.open()
                made.leave()

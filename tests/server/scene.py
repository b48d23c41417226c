"""A server on loopback, with a fake provider as its model, and what asks it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator, Iterator
from typing import Any

import httpx2
import msgspec
import uvicorn

from unabridged.server.app import create_app
from unabridged.server.caller import Scope
from unabridged.server.config import ModelConfig, ServerConfig
from unabridged.server.services import Services
from unabridged.server.settings import ProjectSettings, read_settings
from unabridged.store import Store
from unabridged.testing.provider import FakeProvider, serving

MODEL = "chat"


class Event(msgspec.Struct, frozen=True):
    """A frame as it came over the wire."""

    id: str
    type: str
    data: dict[str, Any]


def events_in(lines: Iterator[str]) -> Generator[Event]:
    """Read an event stream, line by line."""
    fields: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, value = line.partition(": ")
            fields[name] = value
        elif "data" in fields:
            yield Event(fields["id"], fields["event"], msgspec.json.decode(fields["data"]))
            fields = {}


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A running server, and a key of one of its projects."""

    url: str
    services: Services
    provider: FakeProvider
    key: str

    def client(self, key: str | None = None, **more: Any) -> httpx2.Client:
        """Give a client with a key."""
        headers = {"Authorization": f"Bearer {key or self.key}"}
        return httpx2.Client(base_url=self.url, headers=headers, timeout=30, trust_env=False, **more)

    def key_of(self, scope: Scope, project: str = "home", owner: str = "") -> str:
        """Make a key."""
        return self.services.keys.create(scope, project=project, owner=owner)[1]

    def frames(self, path: str, body: dict[str, Any] | None = None, **headers: str) -> list[Event]:
        """Take a turn, or watch one, to its end."""
        method = "GET" if body is None else "POST"
        with self.client() as client, client.stream(method, path, json=body, headers=headers) as answer:
            if answer.status_code != 200:
                answer.read()
                raise AssertionError(f"{answer.status_code}: {answer.text}")
            return list(events_in(answer.iter_lines()))


@contextlib.contextmanager
def application(app: Any) -> Generator[str]:
    """Serve an application, its beginning and end included; gives its URL."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", access_log=False)
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


@contextlib.contextmanager
def scene(
    store: Store, provider: FakeProvider, settings: ProjectSettings | dict[str, Any] | None = None, **config: Any
) -> Generator[Scene]:
    """Serve a project `home` over a store, with a provider's window as the model's."""
    with serving(provider) as at:
        model = ModelConfig(model="m", provider="openai_chat", base_url=f"{at}/v1", window=provider.window, sees=True)
        given: dict[str, Any] = {"models": {MODEL: model}, "grace_s": 2.0, "private_urls": True, **config}
        app = create_app(ServerConfig(**given), store)
        services: Services = app.state.services
        chosen = (
            settings if isinstance(settings, ProjectSettings) else read_settings(msgspec.json.encode(settings or {}))
        )
        services.projects.create("home", chosen)
        key = services.keys.create(Scope.PROJECT, project="home")[1]
        with application(app) as url:
            yield Scene(url=url, services=services, provider=provider, key=key)

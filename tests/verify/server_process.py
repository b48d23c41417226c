"""A server as a process that can be killed and started again, and the projects on it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import msgspec

from tests.shared import REPOSITORY
from unabridged.policy import Policy
from unabridged.server.caller import Scope
from unabridged.server.keys import Keys
from unabridged.server.projects import Projects
from unabridged.server.settings import ProjectSettings
from unabridged.store import open_store
from unabridged.testing import FakeProvider, serving

CHAT = "chat"
START_S, LOOK_S = 60.0, 0.05


class ServerProcess:
    """One server, process after process, always at the same address."""

    def __init__(self, config: Path, url: str) -> None:
        self.url = url
        self._config = config
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it as anybody would, and wait until it says that it is ready."""
        home = {
            name: str(self._config.parent / name) for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME")
        }
        command = [sys.executable, "-m", "unabridged", "serve", "--config", str(self._config), "--log-level", "error"]
        with self._config.with_suffix(".log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **home, "PYTHONPATH": str(REPOSITORY / "src")},
                start_new_session=True,
            )
        ends = time.monotonic() + START_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > ends:
                said = self._config.with_suffix(".log").read_text("utf-8")[-2_000:]
                raise OSError(f"the server did not start (exit code {self._process.poll()}): {said}")
            time.sleep(LOOK_S)

    def _is_ready(self) -> bool:
        try:
            return httpx2.get(f"{self.url}/readyz", timeout=5, trust_env=False).status_code == 200
        except httpx2.TransportError:
            return False

    def kill(self) -> None:
        """Kill it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Ask it to end."""
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None:
            os.killpg(process.pid, how)
            process.wait()

    @property
    def resident(self) -> int:
        """Bytes of memory that it has."""
        assert self._process is not None
        pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")


@contextmanager
def running(place: str, provider: Any, folder: Path, *, window: int = 8_000, **config: Any) -> Generator[ServerProcess]:
    """Run a server over a database, with a provider (or what stands before one) in this process as its model."""
    with serving(provider) as behind:
        port = free_port()
        lines = {"database": place, "port": port, "data": str(folder / "data"), **config}
        model = {"model": CHAT, "provider": "openai_chat", "base_url": f"{behind}/v1", "window": window, "sees": True}
        path = folder / f"server-{port}.toml"
        path.write_text(f"{_toml(lines)}\n[models.{CHAT}]\n{_toml(model)}", "utf-8")
        process = ServerProcess(path, f"http://127.0.0.1:{port}")
        process.start()
        try:
            yield process
        finally:
            process.stop()


def _toml(values: dict[str, Any]) -> str:
    # A line of TOML for text, numbers and booleans is its name and its JSON.
    return "".join(f"{name} = {msgspec.json.encode(value).decode()}\n" for name, value in values.items())


def free_port() -> int:
    """Give a port that nobody uses just now."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def make_project(place: str, name: str, policy: dict[str, Any] | None = None, **settings: Any) -> str:
    """Make a project in a database, and give a key of it."""
    chosen = Policy(**{"archive_to_memory": False, "summarizer_timeout_s": 45.0, **(policy or {})})
    with open_store(place) as store:
        Projects(store).create(name, ProjectSettings(policy=chosen, **settings))
    return make_key(place, Scope.PROJECT, project=name)


def make_key(place: str, scope: Scope, *, project: str = "", owner: str = "") -> str:
    """Give a key that was made just now."""
    with open_store(place) as store:
        return Keys(store.database).create(scope, project=project, owner=owner)[1]


def provider_of(model: Any, window: int = 8_000) -> FakeProvider:
    """Give a provider that keeps little of what it was asked: it is asked for hours."""
    return FakeProvider(model, window=window, keep=50)

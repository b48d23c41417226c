"""The server as a process of its own, started by its command, with a fake provider as its model."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from pathlib import Path

import httpx2

from tests.server.scene import scene
from unabridged.server.caller import Scope
from unabridged.store import open_store
from unabridged.testing.models import Asked, Reply, Scripted
from unabridged.testing.provider import FakeProvider

WAIT_S = 60.0
COMMAND = "import sys; from unabridged.cli import main; main()"


class Gated:
    """A model that answers when it is let."""

    def __init__(self, text: str = "All is well.") -> None:
        self.text = text
        self.asked = threading.Event()
        self.open = threading.Event()

    def reply(self, asked: Asked) -> Reply:
        del asked
        self.asked.set()
        assert self.open.wait(WAIT_S)
        return Reply(text=self.text)


class Process:
    """One run of `unabridged serve`."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        known = {name: value for name, value in os.environ.items() if not re.search("_API_KEY|^UNABRIDGED", name)}
        self._process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "serve", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**known, "PYTHONUNBUFFERED": "1", **environment},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self.said: list[str] = []
        self.logged: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=(self._process.stdout, self.said), daemon=True),
            threading.Thread(target=self._read, args=(self._process.stderr, self.logged), daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, stream: object, into: list[str]) -> None:
        for line in stream:  # type: ignore[attr-defined]  # a pipe of text
            into.append(line)
            self._lines.put(line)

    @property
    def url(self) -> str:
        """Wait until it serves, and give its URL."""
        ends = time.monotonic() + WAIT_S
        while time.monotonic() < ends:
            found = re.search(r"serv(?:es|ing) at (http://\S+?)[\"\s]", "".join([*self.said, *self.logged]))
            if found:
                return found[1]
            assert self._process.poll() is None, self.everything
            with contextlib.suppress(queue.Empty):
                self._lines.get(timeout=0.1)
        raise AssertionError(self.everything)

    @property
    def everything(self) -> str:
        return "".join([*self.said, *self.logged])

    @property
    def pid(self) -> int:
        return self._process.pid

    def signal(self, number: int = signal.SIGTERM) -> None:
        self._process.send_signal(number)

    def ended(self, within: float = WAIT_S) -> int:
        """Wait until it has ended, and give its exit code."""
        code = self._process.wait(within)
        for reader in self._readers:
            reader.join()
        return code

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            assert stream is not None
            stream.close()


@contextlib.contextmanager
def process(*arguments: str, **environment: str) -> Generator[Process]:
    """Start the command; whatever comes, it ends with the block."""
    started = Process(*arguments, **environment)
    try:
        yield started
    finally:
        started.close()


def made_database(place: str | Path) -> tuple[str, str]:
    """Make a database with a project `home`; give a key of it and one of an admin."""
    with open_store(place) as store, scene(store, FakeProvider(Scripted([]))) as made:
        return made.key, made.key_of(Scope.ADMIN, project="")


def client(url: str, key: str) -> httpx2.Client:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.Client(base_url=url, headers=headers, timeout=WAIT_S, trust_env=False)

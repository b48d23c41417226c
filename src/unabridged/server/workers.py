"""Several processes that serve on one socket, and one that looks after them: who dies is started again."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from types import FrameType

import msgspec

# The package gives no types to this one.
from prometheus_client.multiprocess import mark_process_dead  # pyright: ignore[reportUnknownVariableType]

from unabridged.server.config import ServerConfig
from unabridged.server.metrics import SHARED

LOG = logging.getLogger("unabridged.server")
LOOK_S = 0.1
PAUSE_S = 1.0
"""Between the end of a process and its next beginning: one that cannot live must not take the whole machine."""
START_S = 60.0


class Worker:
    """One process."""

    def __init__(self, config: ServerConfig, bound: socket.socket, folder: str) -> None:
        heard, said = os.pipe()
        self._heard = heard
        self._folder = folder
        command = [sys.executable, "-m", "unabridged.server.worker", str(bound.fileno()), str(said)]
        # In a session of its own: Ctrl-C is for the one who looks after it, and he says it once.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            pass_fds=(bound.fileno(), said),
            env={**os.environ, SHARED: folder},
            start_new_session=True,
        )
        os.close(said)
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it is dead already: that is seen where it is waited for
            # What stays open is how it sees that this process is gone.
            self._process.stdin.write(msgspec.json.encode(config) + b"\n")
            self._process.stdin.flush()

    def is_ready(self) -> bool:
        """Wait until it serves; tell whether it does."""
        heard, _, _ = select.select([self._heard], [], [], START_S)
        return bool(heard) and os.read(self._heard, 1) == b"."

    @property
    def code(self) -> int | None:
        """How it ended; None while it lives."""
        return self._process.poll()

    def tell(self, sig: int) -> None:
        """Send it a signal."""
        self._process.send_signal(sig)

    def bury(self) -> int:
        """Wait for its end, and let go of what it leaves."""
        code = self._process.wait()
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        os.close(self._heard)
        mark_process_dead(self._process.pid, self._folder)
        return code


class Workers:
    """All of them."""

    def __init__(self, config: ServerConfig, bound: socket.socket) -> None:
        self._config = config
        self._bound = bound
        self._workers: list[Worker] = []
        self._signals: list[int] = []

    def run(self, on_ready: Callable[[], None]) -> int:
        """Serve until a signal comes; give the exit code."""
        folder = tempfile.mkdtemp(prefix="unabridged-metrics-")
        try:
            with self._hearing():
                self._workers = [Worker(self._config, self._bound, folder) for _ in range(self._config.workers)]
                if all(worker.is_ready() for worker in self._workers):
                    on_ready()
                    self._look_after(folder)
                    return self._end()
                self._tell(signal.SIGTERM)
                for worker in self._workers:
                    worker.bury()
                return 0 if self._signals else 1
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _look_after(self, folder: str) -> None:
        while not self._signals:
            time.sleep(LOOK_S)
            for place, worker in enumerate(self._workers):
                if worker.code is not None and not self._signals:
                    LOG.error("a process that served ended with %d: another one begins", worker.bury())
                    time.sleep(PAUSE_S)
                    self._workers[place] = Worker(self._config, self._bound, folder)

    def _end(self) -> int:
        told = 0
        while any(worker.code is None for worker in self._workers):
            for _ in self._signals[told:]:
                told += 1
                self._tell(signal.SIGTERM)
            time.sleep(LOOK_S)
        for worker in self._workers:
            worker.bury()
        return 128 + self._signals[-1] if len(self._signals) > 1 else 0

    def _tell(self, sig: int) -> None:
        for worker in self._workers:
            if worker.code is None:
                worker.tell(sig)

    @contextlib.contextmanager
    def _hearing(self) -> Generator[None]:
        def hear(sig: int, frame: FrameType | None) -> None:
            del frame
            self._signals.append(sig)

        before = {each: signal.signal(each, hear) for each in (signal.SIGTERM, signal.SIGINT)}
        try:
            yield
        finally:
            for each, known in before.items():
                signal.signal(each, known)

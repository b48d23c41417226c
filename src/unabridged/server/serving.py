"""One process that serves: uvicorn on a socket that is bound already, until a signal ends it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
from collections.abc import Callable, Generator
from types import FrameType

import uvicorn

from unabridged.server.app import create_app
from unabridged.server.config import ServerConfig
from unabridged.server.ending import Ending
from unabridged.server.services import Services
from unabridged.store import open_store

SIGNALS = (signal.SIGTERM, signal.SIGINT)
LAST_WORDS_S = 5.0
"""How long, at least, clients have to read what they were sent when the turns are down."""
KEPT_OPEN_S = 75
"""Longer than proxies keep a connection: one that they are about to use again must not be closed here meanwhile."""


class Serving(uvicorn.Server):
    """Lets turns come to their end before it closes its door: until then it says that it is not ready."""

    def __init__(self, config: uvicorn.Config, ending: Ending, grace_s: float, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.signal = 0
        """That ended it at once; 0 where it came to its end."""
        self._ending = ending
        self._grace_s = grace_s
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin, and say so."""
        await super().startup(sockets)
        self._on_ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End: first the turns, then whoever still reads, then the rest."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + self._grace_s
        await self._ending.turns_down()
        self.config.timeout_graceful_shutdown = round(max(LAST_WORDS_S, ends - loop.time()))
        if self.signal:
            self.config.timeout_graceful_shutdown = 0
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end with the first signal, hurry with the second, drop everything with the third."""
        del frame
        if not self.should_exit:
            self.should_exit = True
            self._ending.begin()
        elif not self.signal:
            self.signal = sig
            self.force_exit = True
            self._ending.hurry()
        else:
            os._exit(128 + sig)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take signals, and give them back: whoever was asked to end, and did, has not failed."""
        before = {each: signal.signal(each, self.handle_exit) for each in SIGNALS}
        try:
            yield
        finally:
            for each, known in before.items():
                signal.signal(each, known)


def serve(config: ServerConfig, bound: socket.socket, on_ready: Callable[[Services], None]) -> int:
    """Serve until a signal comes; give the exit code. Raises `StoreError` and `BadInput`."""
    with open_store(config.database, synchronous=config.synchronous) as store:
        app = create_app(config, store)
        services: Services = app.state.services
        given = uvicorn.Config(
            app,
            lifespan="on",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEPT_OPEN_S,
        )
        server = Serving(given, services.ending, config.grace_s, lambda: on_ready(services))
        try:
            server.run(sockets=[bound])
        except SystemExit:  # uvicorn's way to say that the application did not begin; why, it has logged
            return 1
        return 128 + server.signal if server.signal else 0

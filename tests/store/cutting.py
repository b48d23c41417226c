"""A wire to a PostgreSQL server that can be cut, at the worst moment too: when a commit is done and nobody was told."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

SOCKET = ".s.PGSQL.5432"
COMMITTED = (b"COMMIT\x00", b"INSERT 0 1\x00")
"""What a server says of a commit, and of a row that is a transaction of its own."""
IDLE = b"Z\x00\x00\x00\x05I"
"""How it ends its answer when no transaction is open behind it."""


class Wire:
    """Listens in a folder as a server would, and passes on what is said, until it is cut."""

    def __init__(self, url: str, folder: Path) -> None:
        parts = urlsplit(url)
        self.url = parts._replace(query=f"host={folder}").geturl()
        self.lost = 0
        """Answers to a commit that did not arrive."""
        self._server = os.path.join(parse_qs(parts.query)["host"][0], SOCKET)
        self._path = folder / SOCKET
        self._ends: list[socket.socket] = []
        self._cutting = threading.Lock()
        self._listener: socket.socket | None = None
        self._loses = 0
        self._stays_cut = False
        self.connect()

    def lose_answers(self, count: int = 1, *, and_stay_cut: bool = False) -> None:
        """Have the next commits carried out, and their answers not arrive."""
        self._loses, self._stays_cut = count, and_stay_cut

    def connect(self) -> None:
        """Take connections."""
        listener = self._listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self._path))
        listener.listen(20)
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def cut(self) -> None:
        """End every connection, and take no new one: none that is about to be taken either."""
        with self._cutting:
            listener, self._listener = self._listener, None
            ends, self._ends = self._ends, []
        if listener is not None:
            _close(listener)
            self._path.unlink()
        for each in [*ends[1::2], *ends[::2]]:  # the servers' first: who hears of one end asks another at once
            _close(each)

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client, server = listener.accept()[0], socket.socket(socket.AF_UNIX)
                with self._cutting:
                    if self._listener is not listener:
                        _close(client)
                        return
                    self._ends += [client, server]
                server.connect(self._server)
                threading.Thread(target=_carry, args=(client, server), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server), daemon=True).start()

    def _answer(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while said := server.recv(65_536):
                if self._loses and said.endswith(IDLE) and any(told in said for told in COMMITTED):
                    self._loses -= 1
                    self.lost += 1
                    if self._stays_cut:
                        self.cut()
                    break
                client.sendall(said)
        _close(client)
        _close(server)


def _carry(client: socket.socket, server: socket.socket) -> None:
    with suppress(OSError):
        while said := client.recv(65_536):
            server.sendall(said)
    _close(server)


def _close(end: socket.socket) -> None:
    with suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire_to(url: str, folder: Path) -> Generator[Wire]:
    """Lay a wire that is gone with the block."""
    wire = Wire(url, folder)
    try:
        yield wire
    finally:
        wire.cut()

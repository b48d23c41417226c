"""Servers that say exactly what a test wants said, byte for byte, and remember what they were asked."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

import msgspec

from unabridged.testing import serving

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class Says(msgspec.Struct, frozen=True, kw_only=True):
    """One response. Between two pieces it pauses; at its end it closes, stays silent, or breaks the connection."""

    pieces: tuple[bytes, ...] = ()
    status: int = 200
    kind: str = "text/event-stream"
    headers: tuple[tuple[str, str], ...] = ()
    pause_s: float = 0.0
    then: Literal["close", "close late", "silence", "break"] = "close"


class Server:
    """Says its lines, the last one for ever. `bodies` are the requests as they came."""

    def __init__(self, *lines: Says) -> None:
        self._lines = lines
        self.bodies: list[bytes] = []
        self.paths: list[str] = []
        self.headers: list[dict[str, str]] = []
        self.clients: list[tuple[str, int]] = []
        self.left = threading.Event()
        """A client closed its connection while an answer was on its way."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        line = self._lines[min(len(self.bodies), len(self._lines) - 1)]
        self.paths.append(scope["path"])
        self.clients.append(tuple(scope["client"]))
        self.headers.append({name.decode(): value.decode() for name, value in scope["headers"]})
        self.bodies.append(await _body(receive))
        gone = asyncio.ensure_future(self._watch(receive))
        head = [(b"content-type", line.kind.encode()), *((name.encode(), text.encode()) for name, text in line.headers)]
        await send({"type": "http.response.start", "status": line.status, "headers": head})
        for piece in line.pieces:
            await asyncio.sleep(line.pause_s)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if line.then == "silence":
            await asyncio.wait_for(gone, timeout=20)
        if line.then == "close late":
            await asyncio.sleep(0.1)
        if line.then == "break":
            await asyncio.sleep(0.05)
            scope["extensions"]["broken"]  # an application that fails: the server cuts the line
        await send({"type": "http.response.body", "body": b""})
        gone.cancel()

    @property
    def decoded(self) -> list[dict[str, Any]]:
        """The requests, decoded."""
        return [json.loads(body) for body in self.bodies]

    async def _watch(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self.left.set()


async def _body(receive: Receive) -> bytes:
    data, more = b"", True
    while more:
        message = await receive()
        data += message.get("body", b"")
        more = message.get("more_body", False)
    return data


@contextmanager
def server(*lines: Says) -> Iterator[tuple[Server, str]]:
    """Serve lines; gives the server and its address."""
    made = Server(*lines)
    with serving(made) as url:
        yield made, url


def events(chunks: Sequence[dict[str, Any] | str], *, named: bool = False) -> bytes:
    """Write server-sent events; with names, each has its type's."""
    return b"".join(
        (f"event: {chunk['type']}\n" if named and isinstance(chunk, dict) else "").encode()
        + f"data: {chunk if isinstance(chunk, str) else json.dumps(chunk)}\n\n".encode()
        for chunk in chunks
    )


def streams(chunks: Sequence[dict[str, Any] | str], *, named: bool = False, **how: Any) -> Says:
    """Give a line that streams these events, each in a piece of its own."""
    return Says(pieces=tuple(events([chunk], named=named) for chunk in chunks), **how)


def answers(body: Any, **how: Any) -> Says:
    """Give a line that is one JSON body."""
    return Says(pieces=(json.dumps(body).encode(),), kind="application/json", **how)

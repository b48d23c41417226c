"""Where the configuration names hosts, requests to others are refused."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from unabridged.server.front.answering import send_error
from unabridged.server.problems import ApiError

PROBES = ("/healthz", "/readyz")
"""Asked by address: whoever looks after the process does not know its name."""


class Hosts:
    """Refuses a request whose `Host` is none of those named; `*.example.com` names all below one."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...]) -> None:
        self._app = app
        self._hosts = tuple(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["path"] in PROBES or self._knows(Headers(scope=scope).get("host", "")):
            await self._app(scope, receive, send)
            return
        await send_error(scope, send, ApiError(400, "bad_host", "this server has another name: ask it by that"))

    def _knows(self, given: str) -> bool:
        name, colon, port = given.lower().rpartition(":")
        host = name if colon and port.isdecimal() else given.lower()
        return any(host == known or (known[:2] == "*." and host.endswith(known[1:])) for known in self._hosts)

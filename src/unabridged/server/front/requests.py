"""Every request gets an id, a line in the log, and its place in the metrics."""

from __future__ import annotations

import logging
import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unabridged.server.logs import REQUEST, cleaned
from unabridged.server.metrics import Metrics

LOG = logging.getLogger("unabridged.access")
HEADER = "X-Request-Id"
UNKNOWN = "unmatched"
PROJECT = "unabridged.project"
"""Under this name the scope of a request holds the project that its key is of."""
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
_PAGES = ("/openapi.json", "/docs", "/redoc")
_OFTEN = ("/healthz", "/readyz", "/metrics")
"""Asked every few seconds: as long as all is well, that is no news."""


class RequestLog:
    """Stands outermost: what it says of a request is what its client got."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, first, status = time.monotonic(), 0.0, 0
        id = _id_of(Headers(scope=scope).get(HEADER, ""))

        async def sent(message: Message) -> None:
            nonlocal first, status
            if message["type"] == "http.response.start":
                first, status = time.monotonic() - began, message["status"]
                MutableHeaders(scope=message)[HEADER] = id
            await send(message)

        kept = REQUEST.set(id)
        try:
            await self._app(scope, receive, sent)
        finally:
            # Whoever leaves before an answer began is counted as one that got none.
            self._tell(scope, status or 499, first, time.monotonic() - began)
            REQUEST.reset(kept)

    def _tell(self, scope: Scope, status: int, first: float, whole: float) -> None:
        route, method = route_of(scope), str(scope["method"])
        self._metrics.request(route, method, status, first)
        level = logging.DEBUG if route in _OFTEN and status < 400 else logging.INFO
        ms = round(1_000 * whole)
        fields = {"method": method[:10], "route": route, "status": status, "ms": ms}
        project = scope.get(PROJECT)
        if project:
            fields["project"] = str(project)
        LOG.log(level, "%s %s %d", method[:10], route, status, extra={"fields": fields})


def route_of(scope: Scope) -> str:
    """Give the template of a request's path: the path itself may hold what nobody else should read."""
    known = scope["path"] if scope["path"] in _PAGES else UNKNOWN
    return str(getattr(scope.get("route"), "path", known))


def _id_of(given: str) -> str:
    """Give the id that a client chose, unless it could be something else; else a new one."""
    return given if _ID.fullmatch(given) and cleaned(given) == given else uuid.uuid4().hex

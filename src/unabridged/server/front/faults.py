"""A fault inside is logged once, and answered like every other error, with all headers that those have."""

from __future__ import annotations

import logging

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unabridged.server.front.answering import send_error
from unabridged.server.front.requests import route_of
from unabridged.server.problems import ApiError

LOG = logging.getLogger("unabridged.server")


class Faults:
    """Answers 500 where a route raised what nobody foresaw."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def sent(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._app(scope, receive, sent)
        except Exception as error:  # the last one to see it: a client is told nothing of it, the log all
            LOG.error("%s %s: %s", scope["method"], route_of(scope), type(error).__name__, exc_info=error)
            if has_begun:
                raise  # the line is cut: half an answer must not look whole
            await send_error(scope, send, ApiError(500, "internal", "something went wrong inside; it was logged"))

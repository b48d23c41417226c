"""No body is larger than the configuration says, whether it names its length or comes in pieces without one."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from unabridged.server.front.answering import send_error
from unabridged.server.problems import ApiError


class BodyLimit:
    """Refuses bodies of more than `most` bytes; paths in `uploads` have a limit of their own."""

    def __init__(self, app: ASGIApp, most: int, uploads: Mapping[str, int]) -> None:
        self._app = app
        self._most = most
        self._uploads = uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, as long as its body is small enough."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = self._uploads.get(scope["path"], self._most)
        length = Headers(scope=scope).get("content-length", "")
        if length.isdecimal() and int(length) > most:  # before a byte of it is read
            await send_error(scope, send, _too_large(most))
            return
        await _Counted(self._app, most).answer(scope, receive, send)


class _Counted:
    """One request whose body is counted as it comes."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most
        self._taken = 0
        self._is_over = self._has_begun = False

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def counted() -> Message:
            message = await receive()
            self._taken += len(message.get("body", b""))
            if self._taken > self._most:
                self._is_over = True
                # Of all exceptions this is the one that no layer between takes for a fault.
                raise HTTPException(413)
            return message

        async def sent(message: Message) -> None:
            if self._is_over and not self._has_begun:
                return  # whatever the route made of it, the answer is another
            self._has_begun = True
            await send(message)

        try:
            await self._app(scope, counted, sent)
        except HTTPException:
            if not self._is_over:
                raise
        if self._is_over and not self._has_begun:
            await send_error(scope, send, _too_large(self._most))


def _too_large(most: int) -> ApiError:
    said = f"the body is larger than {most:,} bytes: send less, or what is large as media"
    return ApiError(413, "too_large", said, headers={"Connection": "close"})

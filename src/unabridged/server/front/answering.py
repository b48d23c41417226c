"""Errors that are answered before a route is reached, in the one form."""

from __future__ import annotations

from starlette.responses import JSONResponse
from starlette.types import Message, Scope, Send

from unabridged.server.problems import ApiError, body_of


async def send_error(scope: Scope, send: Send, error: ApiError) -> None:
    """Answer a request with an error; nothing of its body is read."""
    await JSONResponse(body_of(error), status_code=error.status, headers=error.headers)(scope, _nothing, send)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}

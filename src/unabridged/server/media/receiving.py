"""The body of an upload, read piece by piece: no more of it than is taken, and no slower than is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from fastapi import Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect

from unabridged.server.problems import ApiError

FIELD = "file"
AROUND = 64 * 1024
"""Bytes of a form around its file."""
IDLE_S = 30.0
"""How long the next piece is waited for."""


async def received(request: Request, most: int) -> bytes:
    """Give the bytes of an upload, raw or as a form with one file.

    Raises `ApiError`: 413 before more than `most` bytes are held, 408 where nothing comes, 422 for a broken form.
    """
    is_form = request.headers.get("content-type", "").lower().startswith("multipart/form-data")
    limit = most + AROUND if is_form else most
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > limit:
        raise _too_large(most)
    pieces = _pieces(request, limit, most)
    data = await _of_form(request, pieces) if is_form else b"".join([piece async for piece in pieces])
    if len(data) > most:
        raise _too_large(most)
    return data


async def _pieces(request: Request, limit: int, most: int) -> AsyncGenerator[bytes]:
    size, stream = 0, request.stream()
    try:
        while True:
            async with asyncio.timeout(IDLE_S):
                piece = await anext(stream, None)
            if piece is None:
                return
            size += len(piece)
            if size > limit:
                raise _too_large(most)
            yield piece
    except TimeoutError:
        said = f"nothing of the upload came for {IDLE_S:.0f} seconds: send it again"
        raise ApiError(408, "too_slow", said, headers={"Connection": "close"}) from None
    except ClientDisconnect:
        raise ApiError(400, "incomplete", "the upload was broken off: send it again") from None


async def _of_form(request: Request, pieces: AsyncGenerator[bytes]) -> bytes:
    try:
        form = await MultiPartParser(request.headers, pieces, max_files=1, max_fields=8).parse()
    except MultiPartException as error:
        raise ApiError(422, "bad_input", f"the form cannot be read: {error.message}") from None
    try:
        file = form.get(FIELD)
        if not isinstance(file, UploadFile):
            raise ApiError(422, "bad_input", f"the form has no file in a field `{FIELD}`: put it there")
        return await file.read()
    finally:
        await form.close()


def _too_large(most: int) -> ApiError:
    said = f"an upload has {most:,} bytes at most: send a smaller file"
    # The rest of the body is not read: the connection can carry no other request.
    return ApiError(413, "too_large", said, headers={"Connection": "close"})

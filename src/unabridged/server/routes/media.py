"""Media over HTTP: uploads for messages to come, and the bytes of what a session shows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from typing import IO, Annotated, Any

from fastapi import APIRouter, Header, Path, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from unabridged.errors import NotFound
from unabridged.server.asking import Asking, Serving
from unabridged.server.media.kinds import HEAD, PDF, TAKEN, kind_of
from unabridged.server.media.reading import media_of_bytes, tokens_of
from unabridged.server.media.receiving import FIELD, received
from unabridged.server.projects import Tenant
from unabridged.server.services import Services
from unabridged.store.media import CHUNK, StoredBlobs

router = APIRouter(tags=["media"])
Digest = Annotated[str, Path(pattern="^[0-9a-f]{64}$", description="SHA-256 of the bytes, in hex.")]
_BINARY = {"type": "string", "format": "binary"}
_BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": f"The file itself, or a form with it in the field `{FIELD}`. Taken are {TAKEN}.",
        "content": {
            "application/octet-stream": {"schema": _BINARY},
            "multipart/form-data": {
                "schema": {"type": "object", "required": [FIELD], "properties": {FIELD: _BINARY}},
            },
        },
    }
}
_UPLOAD_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The upload was broken off"},
    401: {"description": "No key, or none that is known"},
    403: {"description": "The key is of another project"},
    404: {"description": "No such project"},
    408: {"description": "Nothing came for too long"},
    413: {"description": "More bytes than an upload may have"},
    415: {"description": "None of the files that are taken"},
    422: {"description": "A broken form, or a picture that is cut off"},
    429: {"description": "Too many uploads wait to be used"},
    503: {"description": "The database cannot do this now"},
}
_ERRORS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The bytes", "content": {"application/octet-stream": {"schema": _BINARY}}},
    304: {"description": "The client has them"},
    401: {"description": "No key, or none that is known"},
    403: {"description": "The key is of another project"},
    404: {"description": "No such project, session or media"},
    422: {"description": "No digest"},
    503: {"description": "The database cannot do this now"},
}
_SAFE = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "private, max-age=31536000, immutable",
    "Vary": "Authorization",
}
"""Whatever a file is besides what it says, no browser runs it. Bytes never change under their digest."""


class Uploaded(BaseModel):
    """A file that can be named in a message now, by its digest."""

    digest: str = Field(description="SHA-256 of the bytes, in hex")
    mime: str = Field(description="By the bytes themselves, whatever the client said")
    kind: str = Field(description="image, document, audio or video")
    size: int = Field(description="Bytes")
    width: int | None = Field(None, description="Pixels")
    height: int | None = Field(None, description="Pixels")
    pages: int | None = None
    seconds: float | None = None
    tokens: int = Field(description="What it costs in a request to the project's model, estimated as fits estimate it")


@router.post(
    "/chat/media",
    status_code=201,
    response_model=Uploaded,
    response_model_exclude_none=True,
    openapi_extra=_BODY,
    responses=_UPLOAD_ERRORS,
)
async def upload(request: Request, serving: Serving, asking: Asking) -> Uploaded:
    """Take a file for messages to come. It waits for some hours, for whoever sent it alone."""
    data = await received(request, serving.config.max_upload)
    return await run_in_threadpool(_kept, serving, asking, data)


def _kept(serving: Services, asking: Tenant, data: bytes) -> Uploaded:
    media = media_of_bytes(data)
    serving.media.uploads.keep(asking, media, data)
    return Uploaded(
        digest=media.digest or "",
        mime=media.mime,
        kind=media.kind.value,
        size=len(data),
        width=media.width,
        height=media.height,
        pages=media.pages,
        seconds=media.seconds,
        tokens=tokens_of(media, serving.models, asking.settings),
    )


@router.get("/chat/sessions/{id}/media/{digest}", response_class=Response, responses=_ERRORS)
def media(
    id: str, digest: Digest, asking: Asking, known: Annotated[str | None, Header(alias="If-None-Match")] = None
) -> Response:
    """Give the bytes of media that a session shows."""
    blobs = asking.sessions.open(id).log.blobs
    if digest not in blobs:
        raise NotFound("media item", digest)
    tag = f'"{digest}"'
    if known is not None and tag in known:
        return Response(status_code=304, headers={"ETag": tag, **_SAFE})
    spool = _spooled(blobs, digest)
    head, size = spool.read(HEAD), spool.seek(0, os.SEEK_END)
    headers = {"ETag": tag, "Content-Length": str(size), **_SAFE, **_described(head, digest)}
    return StreamingResponse(_sent(spool), headers=headers)


def _spooled(blobs: StoredBlobs, digest: str) -> IO[bytes]:
    """Copy bytes into a file of their own: a reader who takes his time holds nothing of the database."""
    spool = tempfile.SpooledTemporaryFile(max_size=CHUNK)  # noqa: SIM115 whoever sends it closes it
    try:
        for chunk in blobs.chunks(digest):
            spool.write(chunk)
        spool.seek(0)
    except BaseException:  # whatever it is, nobody else has the file
        spool.close()
        raise
    return spool


def _described(head: bytes, digest: str) -> dict[str, str]:
    """Say what a file is. What is none of the kinds that are taken, as from an import, is for saving alone."""
    kind = kind_of(head)
    mime, ending = (kind.mime, kind.ending) if kind is not None else ("application/octet-stream", "bin")
    shown = "attachment" if kind is None or kind == PDF else "inline"
    return {"Content-Type": mime, "Content-Disposition": f'{shown}; filename="{digest[:16]}.{ending}"'}


def _sent(spool: IO[bytes]) -> Iterator[bytes]:
    with spool:
        spool.seek(0)
        while chunk := spool.read(CHUNK):
            yield chunk

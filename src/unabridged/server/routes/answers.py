"""What routes have in common: how their errors, their pages and their struct bodies stand in OpenAPI."""

from __future__ import annotations

from typing import Annotated, Any, cast

import msgspec
from fastapi import Depends, Query, Request, Response
from pydantic import BaseModel

from unabridged.codec import json_bytes

_SAID = {
    400: "The body cannot be read at all",
    401: "No key, or none that is valid",
    403: "The key may not do this",
    404: "It is not there",
    409: "It cannot be done as things are",
    412: "Another version holds than `If-Match` names",
    422: "Something given cannot work; the message names it",
    429: "A limit is reached; `Retry-After` says when to try again",
    503: "The database cannot do this now",
}
Limit = Annotated[int, Query(ge=1, le=200, description="How many, at most")]


class ErrorSaid(BaseModel):
    """What went wrong: a code for programs, a sentence with the remedy for people."""

    code: str
    message: str


class ErrorBody(BaseModel):
    """Every error has this form."""

    error: ErrorSaid


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Give the errors of a route, beside those that each one has."""
    return {status: {"model": ErrorBody, "description": _SAID[status]} for status in sorted({401, 403, 503, *statuses})}


def answers(kind: type[msgspec.Struct], *statuses: int, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """Give what OpenAPI says of a route of a session: its answer, and its errors."""
    says = (kind.__doc__ or "").partition("\n")[0]
    content = {"application/json": {"schema": schema_of(kind)}}
    return {status: {"description": says, "content": content}, **errors(404, 422, *statuses)}


def answer(value: msgspec.Struct, *, status: int = 200) -> Response:
    """Give a struct as JSON: a text may hold half of a surrogate pair, which pydantic refuses to write."""
    return Response(json_bytes(value), status, {"Cache-Control": "no-store"}, "application/json")


async def _bytes(request: Request) -> bytes:
    return await request.body()


Raw = Annotated[bytes, Depends(_bytes)]
"""The body as it came, for structs that read themselves: what JSON cannot say is refused there, not rounded here."""


def taking(schema: dict[str, Any], *kinds: str) -> dict[str, Any]:
    """Give what OpenAPI says of a route that takes a `Raw` body."""
    content = {kind: {"schema": schema} for kind in ("application/json", *kinds)}
    return {"requestBody": {"required": True, "content": content}}


def schema_of(type: Any) -> dict[str, Any]:
    """Give the JSON schema of a struct, with the schemas of its parts in their places."""
    (made,), parts = msgspec.json.schema_components([type], ref_template="{name}")
    return _whole(made, parts)


def _whole(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_whole(each, parts) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    known = cast("dict[str, Any]", schema)
    if "$ref" in known:
        return _whole(parts[known["$ref"]], parts)
    # A discriminator names parts by reference, and there are none any more; each part still says its `type`.
    return {name: _whole(value, parts) for name, value in known.items() if name != "discriminator"}

"""Answers as JSON, and what the documentation says of them.

Not through pydantic: texts of a conversation may hold half of a surrogate pair, which it refuses to write.
"""

from __future__ import annotations

from typing import Any, cast

import msgspec
from fastapi import Response

from unabridged.codec import json_bytes

Documented = dict[int | str, dict[str, Any]]
JSON = "application/json"
_SAID = {
    401: "No key, or none that is known",
    403: "The key is of another project, or may not do this",
    404: "It is not there, or it is somebody else's",
    409: "A turn of this session runs",
    422: "What was asked for cannot be read",
    429: "Too much was used",
    503: "The database cannot do this now",
}
_ERROR: dict[str, Any] = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        }
    },
}


def answer(value: msgspec.Struct, *, status: int = 200) -> Response:
    """Give a value as JSON."""
    return Response(json_bytes(value), status_code=status, media_type=JSON, headers={"Cache-Control": "no-store"})


def answers(kind: type[msgspec.Struct], *errors: int, status: int = 200) -> Documented:
    """Document an answer, and the errors that may come in its place besides those that every route has."""
    (schema,), known = msgspec.json.schema_components([kind], ref_template="{name}")
    said = (kind.__doc__ or "").strip().partition("\n")[0]
    good = {"description": said, "content": {JSON: {"schema": _inlined(schema, known)}}}
    return {status: good, **documented(*errors)}


def documented(*errors: int) -> Documented:
    """Document the errors of a route that asks for a key."""
    return {
        status: {"description": _SAID[status], "content": {JSON: {"schema": _ERROR}}}
        for status in sorted({401, 403, 404, 422, 503, *errors})
    }


def _inlined(schema: Any, known: dict[str, Any]) -> Any:
    """Put what a schema refers to in the place of each reference: a route's answer stands for itself."""
    if isinstance(schema, list):
        return [_inlined(each, known) for each in cast("list[Any]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("dict[str, Any]", schema)
    if "$ref" in members:
        return _inlined(known[members["$ref"]], known)
    # Of a tagged union only what to tell its kinds apart by is left: the mapping named what is inlined now.
    return {name: _inlined(value, known) for name, value in members.items() if name != "discriminator"}

"""What OpenAPI says of all routes alike: readable ids, one form of errors, and of frames where they come."""

from __future__ import annotations

from typing import Any, cast

import msgspec
from fastapi import FastAPI
from fastapi.routing import APIRoute

from unabridged.report import Report
from unabridged.server.frames import ContextFrame, Frame
from unabridged.server.routes.answers import ErrorBody

_UNREAD = "Something given cannot work; the message names it"
_REF = {"$ref": f"#/components/schemas/{ErrorBody.__name__}"}
_ANY_ERROR = {
    "description": "What went wrong: a code for programs, a sentence with the remedy for people",
    "content": {"application/json": {"schema": _REF}},
}
_METHODS = ("get", "post", "put", "patch", "delete")


def operation_id(route: APIRoute) -> str:
    """Name a route for programs: by what it is about, and by its function."""
    about = str(route.tags[0]) if route.tags else "server"
    return f"{about}_{route.name}".replace(" ", "_").replace("-", "_")


def describe(app: FastAPI) -> None:
    """Have the application's OpenAPI say what holds for every route."""
    plain = app.openapi

    def whole() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = with_errors(plain())
        return app.openapi_schema

    app.openapi = whole


def with_errors(api: dict[str, Any]) -> dict[str, Any]:
    """Add the one form of errors to every operation, where FastAPI would name its own."""
    parts: dict[str, Any] = api["components"]["schemas"]
    parts.pop("HTTPValidationError", None)
    parts.pop("ValidationError", None)
    for path in cast("dict[str, dict[str, Any]]", api["paths"]).values():
        for method in _METHODS:
            if method in path:
                answers: dict[str, Any] = path[method].setdefault("responses", {})
                for status, answer in answers.items():
                    if status[0] in "45" and ("content" not in answer or "HTTPValidationError" in str(answer)):
                        said = answer["description"].replace("Validation Error", _UNREAD)
                        answers[status] = {**_ANY_ERROR, "description": said}
                answers["default"] = _ANY_ERROR
    return api


def frames_schema() -> dict[str, Any]:
    """Give the JSON schema of a frame, as `frames.data_of` writes it: reports are flat."""
    kinds = Frame.__args__
    refs, parts = msgspec.json.schema_components([*kinds, Report], ref_template="#/$defs/{name}")
    report, context = parts.pop("Report"), parts["ContextFrame"]
    del context["properties"]["report"]
    context["properties"].update(report["properties"])
    context["required"] = ["type", *report["required"]]
    assert ContextFrame in kinds
    names = {kind: ref["$ref"] for kind, ref in zip(kinds, refs, strict=False)}
    tags = {str(kind.__struct_config__.tag): ref for kind, ref in names.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Frame",
        "description": "What a turn sends while it runs; the name of its event is its `type`.",
        "oneOf": [{"$ref": ref} for ref in names.values()],
        "discriminator": {"propertyName": "type", "mapping": tags},
        "$defs": parts,
    }

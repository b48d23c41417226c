"""The projects of the server over HTTP, for admins."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from unabridged.errors import BadInput
from unabridged.server.asking import Administering, Serving
from unabridged.server.routes.answers import Limit, Raw, errors, taking
from unabridged.server.routes.project import PROJECT_SCHEMA, ProjectInfo, info_of
from unabridged.server.settings import read_settings

router = APIRouter(tags=["projects"])
PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$"
Name = Annotated[str, Path(pattern=PATTERN)]
_NEW: dict[str, Any] = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {"name": {"type": "string", "pattern": PATTERN}, "settings": PROJECT_SCHEMA},
}


class NewProject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A project that is to be."""

    name: str
    settings: msgspec.Raw = msgspec.Raw(b"{}")


class ProjectPage(BaseModel):
    """Projects by name."""

    items: list[ProjectInfo]
    next: str | None = Field(None, description="`after` of the next page; null: there is none")


@router.get("/projects", responses=errors(422))
def projects(
    asks: Administering,
    services: Serving,
    after: Annotated[str | None, Query(pattern=PATTERN, description="`next` of the page before")] = None,
    limit: Limit = 50,
) -> ProjectPage:
    """List the projects."""
    found = services.projects.page(after=after, limit=limit + 1)
    more = found[limit - 1].name if len(found) > limit else None
    return ProjectPage(items=[info_of(head) for head in found[:limit]], next=more)


@router.post("/projects", status_code=201, responses=errors(409, 422), openapi_extra=taking(_NEW))
def create(body: Raw, asks: Administering, services: Serving, response: Response) -> ProjectInfo:
    """Make a project. What its settings do not say is as a new project has it."""
    try:
        new = msgspec.json.decode(body, type=NewProject)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"the new project cannot be read: {error}") from None
    services.projects.create(new.name, read_settings(bytes(new.settings)), made_by=asks.key)
    response.headers["Location"] = f"/projects/{new.name}"
    return info_of(services.projects.head(new.name))


@router.get("/projects/{name}", responses=errors(404, 422))
def one(name: Name, asks: Administering, services: Serving) -> ProjectInfo:
    """Give one project."""
    return info_of(services.projects.head(name))


@router.delete("/projects/{name}", status_code=204, responses=errors(404, 422))
def close(name: Name, asks: Administering, services: Serving) -> None:
    """Close a project: nothing of it is found any more, its keys are of no use, and nothing of it is deleted."""
    services.projects.close(name)

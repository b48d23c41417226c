"""One project over HTTP: its settings and their versions, its models, what it used."""

from __future__ import annotations

import re
from typing import Annotated, Any

import msgspec
from fastapi import APIRouter, Header, Path, Query, Response
from pydantic import BaseModel, Field

from unabridged.errors import UnabridgedError
from unabridged.server.asking import Owning, Serving
from unabridged.server.problems import ApiError
from unabridged.server.projects import ProjectHead, Tenant
from unabridged.server.routes.answers import Limit, Raw, errors, schema_of, taking
from unabridged.server.services import Services
from unabridged.server.settings import PROJECT_POLICY, ProjectSettings, written_settings
from unabridged.server.versions import Change, Version

router = APIRouter(tags=["project"])
IfMatch = Annotated[
    str | None, Header(alias="If-Match", description='The ETag of the settings that were read, such as `"3"`')
]
Number = Annotated[int, Path(ge=1, le=2**53)]
_TAGS = re.compile(r'\s*(?:W/)?"[^"]*"(?:\s*,\s*(?:W/)?"[^"]*")*\s*')
_TAG = re.compile(r'(W/)?"([^"]*)"')


def _schema() -> dict[str, Any]:
    made = schema_of(ProjectSettings)
    policy: dict[str, dict[str, Any]] = made["properties"]["policy"]["properties"]
    for name, value in msgspec.to_builtins(PROJECT_POLICY).items():  # a project begins otherwise than the library does
        policy[name]["default"] = value
    return made


PROJECT_SCHEMA = _schema()
_PATCH = {"type": "object", "description": "What to change; null stands for the default (RFC 7396)"}
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The settings that hold, every one said",
        "content": {"application/json": {"schema": PROJECT_SCHEMA}},
        "headers": {"ETag": {"description": "Their version", "schema": {"type": "string"}}},
    }
}


class ProjectInfo(BaseModel):
    """A project."""

    name: str
    created: float = Field(description="Seconds since 1970")
    version: int = Field(description="Of its settings")


class VersionInfo(BaseModel):
    """A version of settings."""

    version: int
    created: float = Field(description="Seconds since 1970")
    made_by: str = Field(description="The id of the key that made it, or who else did")


class WholeVersion(VersionInfo):
    """A version with what it says."""

    settings: dict[str, Any] = Field(json_schema_extra=PROJECT_SCHEMA)


class VersionPage(BaseModel):
    """Versions, the newest first."""

    items: list[VersionInfo]
    next: int | None = Field(None, description="`before` of the next page; null: there is none")


class ModelInfo(BaseModel):
    """A model of this server."""

    name: str = Field(description="As settings and requests name it")
    model: str = Field(description="As its provider names it")
    window: int | None = Field(None, description="Tokens; null where it cannot be asked now")
    sees: bool | None = Field(None, description="Whether it takes pictures")
    is_default: bool = Field(description="It answers where a request names no other")
    is_allowed: bool = Field(description="A request of this project may name it")
    is_ready: bool = Field(description="It can be connected; where not, the server's log says why")


class ModelList(BaseModel):
    """The models of this server."""

    items: list[ModelInfo]


class UsedDay(BaseModel):
    """What was used on a day."""

    day: str = Field(description="Of UTC, as 2026-12-01")
    turns: int = Field(description="In which a model answered")
    tokens: int = Field(description="Input and output, as providers report them, those of summaries included")
    cost: float = Field(description="US dollars, of models whose prices are known")


class Usage(BaseModel):
    """What the project used, today first."""

    items: list[UsedDay]


@router.get("/project", responses=errors(404, 422))
def project(tenant: Owning, services: Serving) -> ProjectInfo:
    """Say which project the key is of."""
    return info_of(services.projects.head(tenant.project))


@router.get("/project/settings", response_class=Response, responses={**_ANSWER, **errors(404, 422)})
def settings(tenant: Owning, services: Serving) -> Response:
    """Give the settings that hold."""
    return _answer(services.projects.versions.current(tenant.project))


@router.put(
    "/project/settings",
    response_class=Response,
    responses={**_ANSWER, **errors(404, 412, 422)},
    openapi_extra=taking(PROJECT_SCHEMA),
)
def replace(tenant: Owning, services: Serving, body: Raw, if_match: IfMatch = None) -> Response:
    """Replace all settings: what is not said is as a new project has it. They hold from the next request on."""
    return _answer(services.projects.versions.replace(tenant.project, body, _change(tenant, if_match)))


@router.patch(
    "/project/settings",
    response_class=Response,
    responses={**_ANSWER, **errors(404, 412, 422)},
    openapi_extra=taking(_PATCH, "application/merge-patch+json"),
)
def merge(tenant: Owning, services: Serving, body: Raw, if_match: IfMatch = None) -> Response:
    """Change some settings, as a JSON merge patch: null stands for the default. A list is replaced as a whole."""
    return _answer(services.projects.versions.merge(tenant.project, body, _change(tenant, if_match)))


@router.get("/project/settings/versions", responses=errors(404, 422))
def versions(
    tenant: Owning, services: Serving, before: Annotated[int | None, Query(ge=1, le=2**53)] = None, limit: Limit = 50
) -> VersionPage:
    """List the versions of the settings."""
    found = services.projects.versions.page(tenant.project, before=before, limit=limit + 1)
    more = found[limit - 1].version if len(found) > limit else None
    return VersionPage(items=[VersionInfo(**_said(each)) for each in found[:limit]], next=more)


@router.get("/project/settings/versions/{version}", responses=errors(404, 422))
def version(version: Number, tenant: Owning, services: Serving) -> WholeVersion:
    """Give settings as they once were."""
    found = services.projects.versions.find(tenant.project, version)
    return WholeVersion(**_said(found), settings=msgspec.json.decode(written_settings(found.settings)))


@router.post(
    "/project/settings/versions/{version}/restore",
    response_class=Response,
    responses={**_ANSWER, **errors(404, 412, 422)},
)
def restore(version: Number, tenant: Owning, services: Serving, if_match: IfMatch = None) -> Response:
    """Have settings hold again as they once were. That is a change too, and makes a version."""
    return _answer(services.projects.versions.restore(tenant.project, version, _change(tenant, if_match)))


@router.get("/project/models", responses=errors(404, 422))
def models(tenant: Owning, services: Serving) -> ModelList:
    """List the models of this server, and say which of them this project uses."""
    settings, names = tenant.settings, services.models.names
    own = settings.model or next(iter(names), None)
    allowed = {own, *(settings.models or ())}
    return ModelList(items=[_model(services, name, name == own, name in allowed) for name in names])


@router.get("/project/usage", responses=errors(404, 422))
def usage(tenant: Owning, services: Serving, days: Annotated[int, Query(ge=1, le=366)] = 30) -> Usage:
    """Say what the project used, day by day."""
    found = services.meters.usage(tenant.project, days)
    return Usage(items=[UsedDay(**msgspec.to_builtins(each)) for each in found])


def info_of(head: ProjectHead) -> ProjectInfo:
    """Give a project as the API says it."""
    return ProjectInfo(**msgspec.to_builtins(head))


def _model(services: Services, name: str, is_default: bool, is_allowed: bool) -> ModelInfo:
    configured = services.config.models[name]
    try:
        served = services.models.get(name)
    except UnabridgedError:  # without its key, or its package: that is the operator's, who finds it when it is asked
        served = None
    return ModelInfo(
        name=name,
        model=configured.model,
        window=served.window if served is not None else configured.window,
        sees=served.sees if served is not None else configured.sees,
        is_default=is_default,
        is_allowed=is_allowed,
        is_ready=served is not None,
    )


def _change(tenant: Tenant, if_match: str | None) -> Change:
    """Give who changes settings, and what they saw. Raises `ApiError` 422 for an `If-Match` that is none."""
    if if_match is None or if_match.strip() == "*":
        return Change(made_by=tenant.caller.key)
    if not _TAGS.fullmatch(if_match):
        raise ApiError(422, "bad_input", 'header If-Match: give the ETag as it came, in quotes: "3"')
    tags = _TAG.findall(if_match)
    seen = {int(tag) for weak, tag in tags if not weak and tag.isdecimal() and len(tag) < 20}
    return Change(made_by=tenant.caller.key, seen=seen)


def _answer(version: Version) -> Response:
    headers = {"ETag": f'"{version.version}"', "Cache-Control": "no-store"}
    return Response(written_settings(version.settings), media_type="application/json", headers=headers)


def _said(version: Version) -> dict[str, Any]:
    return {"version": version.version, "created": version.created, "made_by": version.made_by}

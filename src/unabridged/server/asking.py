"""What every route asks first: who is it, and what may he see."""

from __future__ import annotations

from typing import Annotated, cast

import msgspec
from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from unabridged.server.caller import Caller, Scope
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.server.services import Services

_BEARER = HTTPBearer(auto_error=False, description="An API key, as `Authorization: Bearer ub_...`.")


def services(request: Request) -> Services:
    """Give what the routes work with."""
    return cast(Services, request.app.state.services)


def caller(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
    project: Annotated[str | None, Header(alias="X-Project")] = None,
) -> Caller:
    """Give who asks. Raises `ApiError` 401 and 403."""
    if given is None:
        said = "give an API key: Authorization: Bearer ub_..."
        raise ApiError(401, "no_key", said, headers={"WWW-Authenticate": "Bearer"})
    found = services(request).keys.caller(given.credentials)
    if project is None or project == found.project:
        return found
    if found.scope is not Scope.ADMIN:
        raise ApiError(403, "wrong_project", "this key is of another project than `X-Project` names")
    return msgspec.structs.replace(found, project=project)


def tenant(request: Request, asks: Annotated[Caller, Depends(caller)]) -> Tenant:
    """Give what the caller has before him. Raises `ApiError` 422 where an admin names no project."""
    if not asks.project:
        raise ApiError(422, "no_project", "name a project with the header X-Project")
    return services(request).projects.tenant(asks)


def owner(asks: Annotated[Tenant, Depends(tenant)]) -> Tenant:
    """Give what a caller has before him who may change the project. Raises `ApiError` 403 for an end user."""
    if asks.caller.scope is Scope.USER:
        raise ApiError(403, "forbidden", "this key is of an end user: ask with a key of the project")
    return asks


def admin(asks: Annotated[Caller, Depends(caller)]) -> Caller:
    """Give a caller who may make projects. Raises `ApiError` 403 for others."""
    if asks.scope is not Scope.ADMIN:
        raise ApiError(403, "forbidden", "this needs a key of an admin")
    return asks


Serving = Annotated[Services, Depends(services)]
Asking = Annotated[Tenant, Depends(tenant)]
Owning = Annotated[Tenant, Depends(owner)]
Administering = Annotated[Caller, Depends(admin)]

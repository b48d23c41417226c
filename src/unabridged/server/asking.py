"""What every route asks first: who is it, and what may he see."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Annotated, Any, cast

import msgspec
from fastapi import Depends, Header, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from unabridged.server.caller import Caller, Scope
from unabridged.server.front.requests import PROJECT
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.server.services import Services

_BEARER = HTTPBearer(auto_error=False, description="An API key, as `Authorization: Bearer ub_...`.")


class Presented(msgspec.Struct, frozen=True):
    """What a request shows of who asks. Nothing of it was looked at yet."""

    services: Services
    scope: MutableMapping[str, Any]
    """Of the request: it is told which project it is of."""
    key: str
    project: str | None

    def caller(self) -> Caller:
        """Give who asks. Raises `ApiError` 401 and 403."""
        found = self.services.keys.caller(self.key)
        if self.project is None or self.project == found.project:
            return found
        if found.scope is not Scope.ADMIN:
            raise ApiError(403, "wrong_project", "this key is of another project than `X-Project` names")
        return msgspec.structs.replace(found, project=self.project)

    def tenant(self) -> Tenant:
        """Give what the caller has before him. Raises `ApiError`, 422 where an admin names no project."""
        asks = self.caller()
        if not asks.project:
            raise ApiError(422, "no_project", "name a project with the header X-Project")
        found = self.services.projects.tenant(asks)
        self.scope[PROJECT] = found.project
        return found


async def services(request: Request) -> Services:
    """Give what the routes work with."""
    return cast(Services, request.app.state.services)


async def presented(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)],
    project: Annotated[str | None, Header(alias="X-Project")] = None,
) -> Presented:
    """Give what a request shows of who asks. Raises `ApiError` 401 where that is nothing."""
    if given is None:
        said = "give an API key: Authorization: Bearer ub_..."
        raise ApiError(401, "no_key", said, headers={"WWW-Authenticate": "Bearer"})
    found = cast(Services, request.app.state.services)
    return Presented(found, request.scope, given.credentials, project)


def caller(shown: Annotated[Presented, Depends(presented)]) -> Caller:
    """Give who asks. Raises `ApiError` 401 and 403."""
    return shown.caller()


def tenant(shown: Annotated[Presented, Depends(presented)]) -> Tenant:
    """Give what the caller has before him. Raises `ApiError`."""
    return shown.tenant()


async def owner(asks: Annotated[Tenant, Depends(tenant)]) -> Tenant:
    """Give what a caller has before him who may change the project. Raises `ApiError` 403 for an end user."""
    if asks.caller.scope is Scope.USER:
        raise ApiError(403, "forbidden", "this key is of an end user: ask with a key of the project")
    return asks


async def admin(asks: Annotated[Caller, Depends(caller)]) -> Caller:
    """Give a caller who may make projects. Raises `ApiError` 403 for others."""
    if asks.scope is not Scope.ADMIN:
        raise ApiError(403, "forbidden", "this needs a key of an admin")
    return asks


Presenting = Annotated[Presented, Depends(presented)]
"""For what has to be quick: whoever takes this looks at the key himself, together with the rest of his work."""
Serving = Annotated[Services, Depends(services)]
Asking = Annotated[Tenant, Depends(tenant)]
Owning = Annotated[Tenant, Depends(owner)]
Administering = Annotated[Caller, Depends(admin)]

"""API keys over HTTP: those of a project, and those of admins. A key is in one answer alone, when it was made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, Field

from unabridged.server.asking import Administering, Owning, Serving
from unabridged.server.caller import Scope
from unabridged.server.keys import Key
from unabridged.server.routes.answers import Limit, errors
from unabridged.server.routes.bodies import Body
from unabridged.server.services import Services
from unabridged.server.settings import MOST, Limits

router = APIRouter(tags=["keys"])
ADMINS = ""
"""What stands for a project where keys are of the whole server."""
LONGEST_S = 100 * 365 * 86_400.0
KeyId = Annotated[str, Path(pattern="^[0-9a-z]{1,40}$")]
After = Annotated[str | None, Query(pattern="^[0-9a-z]{1,40}$", description="`next` of the page before")]
Old = Annotated[bool, Query(description="Also keys that are no longer valid; they are listed for 30 days")]
Seconds = Annotated[float, Field(gt=0, le=LONGEST_S, allow_inf_nan=False)]
_SECRET = {"Cache-Control": "no-store"}


class KeyLimits(Body):
    """How much may be used with a key. Not said: as much as one likes."""

    turnsPerMinute: int | None = Field(default=None, ge=0, le=MOST)  # noqa: N815 - as in settings
    tokensPerDay: int | None = Field(default=None, ge=0, le=MOST)  # noqa: N815
    spendPerDay: float | None = Field(default=None, ge=0, le=MOST, allow_inf_nan=False)  # noqa: N815

    def limits(self) -> Limits:
        """Give them as the server counts them."""
        return msgspec.convert(self.model_dump(), type=Limits)


class NewAdminKey(Body):
    """A key of an admin."""

    label: str = Field("", max_length=200)
    expires_in_s: Seconds | None = None


class NewKey(NewAdminKey):
    """A key of a project, or of one end user of it."""

    scope: Literal["project", "user"]
    owner: str = Field("", max_length=400, description="The end user, by the id that your product knows them by")
    limits: KeyLimits = KeyLimits()


class Rotation(Body):
    """How a key is replaced."""

    overlap_s: float = Field(0.0, ge=0, le=LONGEST_S, allow_inf_nan=False, description="How long the old one holds")


class KeyInfo(BaseModel):
    """A key: all of it but itself."""

    id: str
    scope: Scope
    owner: str = Field(description="The end user that it speaks for; empty for nobody")
    label: str
    created: float = Field(description="Seconds since 1970")
    expires: float | None = Field(None, description="Seconds since 1970; null: it holds until it is revoked")
    limits: KeyLimits


class MadeKey(KeyInfo):
    """A new key. `key` is shown this once."""

    key: str


class KeyPage(BaseModel):
    """Keys, the newest first."""

    items: list[KeyInfo]
    next: str | None = Field(None, description="`after` of the next page; null: there is none")


@router.get("/project/keys", responses=errors(404, 422))
def project_keys(
    tenant: Owning,
    services: Serving,
    after: After = None,
    limit: Limit = 50,
    owner: Annotated[str | None, Query(max_length=400, description="Only those of this end user")] = None,
    expired: Old = False,
) -> KeyPage:
    """List the keys of the project and of its end users."""
    found = services.keys.page(tenant.project, owner=owner, after=after, limit=limit + 1, old=expired)
    return _page(found, limit)


@router.post("/project/keys", status_code=201, responses=errors(400, 404, 422))
def make_key(body: NewKey, tenant: Owning, services: Serving, response: Response) -> MadeKey:
    """Make a key of the project, or of an end user of it."""
    response.headers.update(_SECRET)
    made = services.keys.create(
        Scope(body.scope),
        project=tenant.project,
        owner=body.owner,
        label=body.label,
        expires_in_s=body.expires_in_s,
        limits=body.limits.limits(),
    )
    return _made(services, *made)


@router.post("/project/keys/{id}/rotate", status_code=201, responses=errors(400, 404, 409, 422))
def rotate_key(id: KeyId, body: Rotation, tenant: Owning, services: Serving, response: Response) -> MadeKey:
    """Replace a key by a new one for the same, with the same limits; both hold for `overlap_s`."""
    response.headers.update(_SECRET)
    return _made(services, *services.keys.rotate(tenant.project, id, body.overlap_s))


@router.delete("/project/keys/{id}", status_code=204, responses=errors(404, 422))
def revoke_key(id: KeyId, tenant: Owning, services: Serving) -> None:
    """Have a key hold no longer, from now on."""
    services.keys.revoke(tenant.project, id)


@router.get("/admin/keys", responses=errors(422))
def admin_keys(
    asks: Administering, services: Serving, after: After = None, limit: Limit = 50, expired: Old = False
) -> KeyPage:
    """List the keys of admins."""
    return _page(services.keys.page(ADMINS, after=after, limit=limit + 1, old=expired), limit)


@router.post("/admin/keys", status_code=201, responses=errors(400, 422))
def make_admin_key(body: NewAdminKey, asks: Administering, services: Serving, response: Response) -> MadeKey:
    """Make a key of an admin, who may do everything."""
    response.headers.update(_SECRET)
    made = services.keys.create(Scope.ADMIN, label=body.label, expires_in_s=body.expires_in_s)
    return _made(services, *made)


@router.post("/admin/keys/{id}/rotate", status_code=201, responses=errors(400, 404, 409, 422))
def rotate_admin_key(id: KeyId, body: Rotation, asks: Administering, services: Serving, response: Response) -> MadeKey:
    """Replace the key of an admin; both hold for `overlap_s`."""
    response.headers.update(_SECRET)
    return _made(services, *services.keys.rotate(ADMINS, id, body.overlap_s))


@router.delete("/admin/keys/{id}", status_code=204, responses=errors(404, 422))
def revoke_admin_key(id: KeyId, asks: Administering, services: Serving) -> None:
    """Have a key of an admin hold no longer, from now on."""
    services.keys.revoke(ADMINS, id)


def _page(found: list[Key], limit: int) -> KeyPage:
    more = found[limit - 1].id if len(found) > limit else None
    return KeyPage(items=[KeyInfo(**_said(key)) for key in found[:limit]], next=more)


def _made(services: Services, id: str, secret: str) -> MadeKey:
    return MadeKey(**_said(services.keys.find(id)), key=secret)


def _said(key: Key) -> dict[str, Any]:
    said: dict[str, Any] = msgspec.to_builtins(key)
    del said["project"]
    return said

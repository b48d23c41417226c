"""What whoever runs a server asks it: does it live, is it ready, what does it do, what do its frames look like."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Depends, Request
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool

from unabridged.server.asking import Serving, admin, presented
from unabridged.server.described import frames_schema
from unabridged.server.problems import body_of

router = APIRouter(tags=["operation"])
_KEY = HTTPBearer(auto_error=False, description="An API key, as `Authorization: Bearer ub_...`.")
_TEXT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/plain": {"schema": {"type": "string"}}}, "description": "The text form of Prometheus"}
}
_SCHEMA: dict[int | str, dict[str, Any]] = {200: {"description": "A JSON schema, draft 2020-12"}}


class Health(BaseModel):
    """All is well."""

    status: Literal["ok"] = "ok"


@router.get("/healthz")
async def health() -> Health:
    """Say that the process lives. Nothing else is looked at."""
    return Health()


@router.get("/readyz", response_model=Health)
async def ready(services: Serving) -> Health | JSONResponse:
    """Say whether requests can be answered here: 503 while the database cannot be reached, or this server ends."""
    problem = await services.readiness.problem()
    if problem is not None:
        return JSONResponse(body_of(problem), status_code=problem.status, headers={"Retry-After": "1"})
    return Health()


async def _may_measure(
    request: Request, services: Serving, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_KEY)]
) -> None:
    """Refuse whoever has no key of an admin, unless the configuration gives the metrics to anybody."""
    if not services.config.open_metrics:
        shown = await presented(request, given)
        await admin(await run_in_threadpool(shown.caller))


@router.get("/metrics", dependencies=[Depends(_may_measure)], response_class=Response, responses=_TEXT)
def metrics(services: Serving) -> Response:
    """Give the metrics of this server. Needs a key of an admin, unless `open_metrics` is set."""
    return Response(services.metrics.text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/schemas/frames.json", response_class=Response, responses=_SCHEMA)
async def frames() -> Response:
    """Give the JSON schema of frames."""
    return Response(_frames(), media_type="application/schema+json")


@lru_cache(maxsize=1)
def _frames() -> bytes:
    return msgspec.json.format(msgspec.json.encode(frames_schema()), indent=2)

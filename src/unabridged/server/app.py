"""The application: services, routes, and how errors are said.

app = create_app(read_config(Path("server.toml")))      # uvicorn runs it; `unabridged serve` does both
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from unabridged import __version__
from unabridged.errors import StoreError, UnabridgedError
from unabridged.server.bootstrap import admin_digest
from unabridged.server.config import ServerConfig
from unabridged.server.described import describe, operation_id
from unabridged.server.ending import Ending
from unabridged.server.front.layers import put_before
from unabridged.server.front.requests import route_of
from unabridged.server.keys import Keys
from unabridged.server.limits import Meters
from unabridged.server.media.taking import MediaIntake
from unabridged.server.metrics import Metrics
from unabridged.server.models import ModelShelf
from unabridged.server.problems import ApiError, api_error, body_of
from unabridged.server.projects import Projects
from unabridged.server.readiness import Readiness
from unabridged.server.routes import (
    branches,
    chat,
    context,
    history,
    keys,
    media,
    operation,
    project,
    projects,
    sessions,
)
from unabridged.server.services import Services
from unabridged.server.turns.turns import Means, Turns
from unabridged.server.versions import Versions
from unabridged.store import Store

LOG = logging.getLogger("unabridged.server")
ROUTERS = (
    chat.router,
    sessions.router,
    history.router,
    context.router,
    branches.router,
    media.router,
    project.router,
    keys.router,
    projects.router,
    operation.router,
)


def create_app(config: ServerConfig, store: Store) -> FastAPI:
    """Give the application over an open store. What it starts ends with it; the store stays open."""
    models, meters = ModelShelf(config.models), Meters(store.database)
    known = Projects(store, Versions(store.database, models.names))
    metrics = Metrics()
    means = Means(store=store, models=models, projects=known, meters=meters, metrics=metrics, config=config)
    turns = Turns(means)
    ending = Ending(turns)
    services = Services(
        config=config,
        store=store,
        keys=Keys(store.database, admin=admin_digest()),
        projects=known,
        meters=meters,
        models=models,
        media=MediaIntake(store.database, config),
        turns=turns,
        metrics=metrics,
        ending=ending,
        readiness=Readiness(store.database, ending),
    )

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        del app
        await asyncio.to_thread(models.warm)  # the first turn would wait for it, and all other requests with it
        services.turns.start()
        try:
            yield
        finally:
            await ending.turns_down()

    app = FastAPI(title="unabridged", version=__version__, lifespan=lifespan, generate_unique_id_function=operation_id)
    app.state.services = services
    for router in ROUTERS:
        app.include_router(router)
    _say_errors(app, metrics)
    put_before(app, config, metrics)
    describe(app)
    return app


def _say_errors(app: FastAPI, metrics: Metrics) -> None:
    """Give every error the one form, and nothing raw."""

    async def ours(request: Request, error: Exception) -> JSONResponse:
        said = api_error(cast(UnabridgedError, error))
        if isinstance(error, StoreError):
            metrics.store_error(error.fault.value)
        if said.status >= 500 and said is not error:
            LOG.error("%s %s: %s", request.method, route_of(request.scope), type(error).__name__, exc_info=error)
        return _answer(said)

    async def unread(request: Request, error: Exception) -> JSONResponse:
        del request
        first = cast(RequestValidationError, error).errors()[0]
        place = ".".join(str(each) for each in first["loc"])
        return _answer(ApiError(422, "bad_input", f"{place}: {first['msg']}"))

    async def http(request: Request, error: Exception) -> JSONResponse:
        del request
        known = cast(HTTPException, error)
        code = {404: "not_found", 405: "method_not_allowed"}.get(known.status_code, "http_error")
        return _answer(ApiError(known.status_code, code, str(known.detail), headers=dict(known.headers or {})))

    app.add_exception_handler(UnabridgedError, ours)
    app.add_exception_handler(RequestValidationError, unread)
    app.add_exception_handler(HTTPException, http)


def _answer(error: ApiError) -> JSONResponse:
    return JSONResponse(body_of(error), status_code=error.status, headers=error.headers)

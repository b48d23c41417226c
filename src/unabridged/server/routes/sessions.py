"""Sessions over HTTP: listed, found, renamed, erased, exported."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from unabridged.server.asking import Asking, Owning, Serving
from unabridged.server.history.erasing import erase
from unabridged.server.history.listing import (
    SessionShown,
    SessionsPage,
    session_shown,
    sessions_found,
    sessions_page,
)
from unabridged.server.routes.answers import Limit, answer, answers, errors
from unabridged.server.routes.bodies import Body
from unabridged.store.filing import log_lines

router = APIRouter(tags=["sessions"])
JSONL = "application/jsonl"
LONGEST_TITLE = 500
Order = Literal["asc", "desc"]


class TitleBody(Body):
    """What of a session can be changed."""

    title: str = Field(max_length=LONGEST_TITLE)


@router.get("/chat/sessions", response_class=Response, responses=answers(SessionsPage))
def sessions(
    tenant: Asking,
    after: Annotated[str | None, Query(description="Id of the last session of the page before.")] = None,
    limit: Limit = 50,
    order: Order = "desc",
    q: Annotated[str | None, Query(description="Words of titles and messages; the last may be a beginning.")] = None,
) -> Response:
    """List sessions by when they began; with `q`, those that hold every word of it, the best match first."""
    if q is not None:
        return answer(sessions_found(tenant.sessions, q, limit))
    return answer(sessions_page(tenant.sessions, after, limit, newest_first=order == "desc"))


@router.get("/chat/sessions/{session_id}", response_class=Response, responses=answers(SessionShown))
def session(session_id: str, tenant: Asking, services: Serving) -> Response:
    """Give a session."""
    opened = tenant.sessions.open(session_id)
    return answer(session_shown(tenant.sessions, opened, services.turns.running(opened)))


@router.patch("/chat/sessions/{session_id}", response_class=Response, responses=answers(SessionShown))
def rename(session_id: str, body: TitleBody, tenant: Asking, services: Serving) -> Response:
    """Give a session another title."""
    tenant.sessions.rename(session_id, body.title)
    return session(session_id, tenant, services)


@router.delete("/chat/sessions/{session_id}", status_code=204, response_class=Response, responses=errors(404, 422))
def delete(session_id: str, tenant: Asking, services: Serving) -> Response:
    """Erase a session for good, with all that it has. Turns of it that run are stopped."""
    erase(services, tenant, session_id)
    return Response(status_code=204)


@router.get(
    "/chat/sessions/{session_id}/export",
    response_class=StreamingResponse,
    responses={
        200: {"description": "The log, as `docs/file-format.md` says", "content": {JSONL: {}}},
        **errors(404, 422),
    },
)
def export(session_id: str, tenant: Owning) -> StreamingResponse:
    """Give the whole log of a session, every branch. It holds what end users are not shown: system texts, thoughts."""
    opened = tenant.sessions.open(session_id)
    headers = {"Content-Disposition": 'attachment; filename="session.jsonl"', "Cache-Control": "no-store"}
    return StreamingResponse(log_lines(opened), media_type=JSONL, headers=headers)

"""Branches over HTTP: listed and opened. What was said on the one left behind stays as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from unabridged.server.asking import Asking, Presenting
from unabridged.server.history.branching import (
    Branches,
    Forked,
    branches_of,
    forked,
    opened_before,
    opened_for_another,
)
from unabridged.server.projects import Tenant
from unabridged.server.routes.answers import answer, answers, errors
from unabridged.server.routes.bodies import Body
from unabridged.server.routes.chat import (
    STREAM,
    ClientToolBody,
    Idempotency,
    MediaPart,
    TextPart,
    TurnBody,
    answer_of,
    asked_of,
)
from unabridged.server.routes.history import WAIT_S
from unabridged.server.services import Services
from unabridged.server.turns.asked import Asked
from unabridged.server.turns.turns import Begun
from unabridged.transcript import Transcript

router = APIRouter(tags=["branches"])
_TURN: dict[int | str, dict[str, Any]] = {
    200: {"description": "The frames of the turn, as a turn has them", "content": {STREAM: {}, "application/json": {}}},
    **errors(404, 409, 422, 429),
}


class ForkBody(Body):
    """Where a new branch begins."""

    message_id: str | None = Field(None, description="The last message that it holds; all of them, without one.")
    branch: str | None = Field(None, description="The branch that it is made of; the newest, without one.")


class EditBody(Body):
    """What somebody should have said instead of a message, and the turn that answers it."""

    message_id: str
    message: str | list[TextPart | MediaPart]
    tools: list[ClientToolBody] | None = None
    model: str | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    branch: str | None = Field(None, description="Where the message stands; the newest, without one.")
    stream: bool = True


class RegenerateBody(Body):
    """An answer that is to be given once more."""

    message_id: str | None = Field(None, description="The answer; all that the newest message led to, without one.")
    tools: list[ClientToolBody] | None = None
    model: str | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    branch: str | None = Field(None, description="Where the answer stands; the newest, without one.")
    stream: bool = True


@router.get("/chat/sessions/{session_id}/branches", response_class=Response, responses=answers(Branches))
def branches(session_id: str, tenant: Asking) -> Response:
    """List the branches of a session, the oldest first."""
    return answer(branches_of(tenant.sessions.open(session_id)))


@router.post(
    "/chat/sessions/{session_id}/fork",
    status_code=201,
    response_class=Response,
    responses=answers(Forked, 409, status=201),
)
def fork(session_id: str, body: ForkBody, tenant: Asking) -> Response:
    """Open a branch that holds the conversation up to a message. Turns that name no branch go on there."""
    session = tenant.sessions.open(session_id)
    with session.turn(wait_s=WAIT_S):
        made = forked(Transcript(session.log, branch=body.branch), body.message_id)
    return answer(made, status=201)


@router.post("/chat/sessions/{session_id}/edit", response_class=StreamingResponse, responses=_TURN)
def edit(session_id: str, body: EditBody, shown: Presenting, key: Idempotency = None) -> StreamingResponse:
    """Say something else instead of a message, on a new branch, and have that answered."""
    tenant, services = shown.tenant(), shown.services
    turn = TurnBody(**body.model_dump(exclude={"message_id"}))
    asked = asked_of(tenant, turn, services, session_id, forks=f"edit {body.message_id}")
    begun = _begun(services, tenant, session_id, asked, key, lambda each: opened_before(each, body.message_id))
    return answer_of(services, begun, stream=body.stream)


@router.post("/chat/sessions/{session_id}/regenerate", response_class=StreamingResponse, responses=_TURN)
def regenerate(session_id: str, body: RegenerateBody, shown: Presenting, key: Idempotency = None) -> StreamingResponse:
    """Have an answer given once more, on a new branch."""
    tenant, services = shown.tenant(), shown.services
    turn = TurnBody(**body.model_dump(exclude={"message_id"}))
    asked = asked_of(tenant, turn, services, session_id, forks=f"regenerate {body.message_id or ''}")
    begun = _begun(services, tenant, session_id, asked, key, lambda each: opened_for_another(each, body.message_id))
    return answer_of(services, begun, stream=body.stream)


def _begun(
    services: Services,
    tenant: Tenant,
    session_id: str,
    asked: Asked,
    key: str | None,
    open_branch: Callable[[Transcript], Transcript],
) -> Begun:
    """Begin a turn on a branch that is opened for it, or give the one that an earlier request with this key began."""
    known = services.turns.known(tenant, session_id, asked, key)
    if known is not None:
        return known
    session = tenant.sessions.open(session_id)
    with session.turn(wait_s=WAIT_S):
        # The same request may have come twice at once: the second one finds the turn of the first.
        return services.turns.begin_on(
            tenant,
            session_id,
            asked,
            lambda: open_branch(Transcript(session.log, branch=asked.branch)).branch,
            idempotency=key,
        )

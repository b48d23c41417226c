"""What the model sees over HTTP: now, in any request of the past, and why; and a compaction taken back."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Response

from unabridged.entry import UndoEntry
from unabridged.server.asking import Asking, Serving
from unabridged.server.caller import Scope
from unabridged.server.history.past import StepShown, StepsPage, WhyShown, step_shown, steps_page, why_shown
from unabridged.server.history.present import ContextShown, Presence
from unabridged.server.problems import ApiError
from unabridged.server.routes.answers import Limit, answer, answers
from unabridged.server.routes.bodies import Body
from unabridged.server.routes.history import Branch, sight_of
from unabridged.store import Session
from unabridged.store.pages import Pages
from unabridged.store.steps import Steps
from unabridged.transcript import Transcript

router = APIRouter(tags=["context"])


class UndoBody(Body):
    """Where a compaction is taken back."""

    branch: str | None = None


class Undone(msgspec.Struct, frozen=True, kw_only=True):
    """What was taken back. The next turn plans anew, from the originals."""

    branch: str
    checkpoint: str | None
    """Null where nothing was in force."""


@router.get("/chat/sessions/{session_id}/context", response_class=Response, responses=answers(ContextShown))
def context(session_id: str, tenant: Asking, services: Serving, branch: Branch = None) -> Response:
    """Give what the model sees of a session now, and what that takes."""
    session = tenant.sessions.open(session_id)
    presence = Presence(tenant, session, Pages(session, branch), services.models)
    return answer(presence.shown(sight_of(tenant, session_id)))


@router.get("/chat/sessions/{session_id}/context/steps", response_class=Response, responses=answers(StepsPage))
def steps(
    session_id: str,
    tenant: Asking,
    after: Annotated[int, Query(ge=0, description="Number of the last step of the page before.")] = 0,
    limit: Limit = 50,
    branch: Branch = None,
) -> Response:
    """List the requests that were made to the model, the oldest first. Goes through the whole branch."""
    return answer(steps_page(_steps(tenant.sessions.open(session_id), branch), after, limit))


@router.get("/chat/sessions/{session_id}/context/steps/{number}", response_class=Response, responses=answers(StepShown))
def step(
    session_id: str,
    number: int,
    tenant: Asking,
    raw: Annotated[bool, Query(description="The bytes that were sent, too; not for an end user's key.")] = False,
    branch: Branch = None,
) -> Response:
    """Give what the model saw in a request of the past. -1 is the newest."""
    if raw and tenant.caller.scope is Scope.USER:
        raise ApiError(403, "forbidden", "`raw` holds system texts and thoughts: ask with a key of the project")
    seen = _steps(tenant.sessions.open(session_id), branch)
    return answer(step_shown(seen, number, sight_of(tenant, session_id), raw=raw))


@router.get(
    "/chat/sessions/{session_id}/context/why/{message_id:path}", response_class=Response, responses=answers(WhyShown)
)
def why(session_id: str, message_id: str, tenant: Asking, services: Serving, branch: Branch = None) -> Response:
    """Tell how a message stands in what the model sees, and all that was ever decided on it."""
    session = tenant.sessions.open(session_id)
    pages = Pages(session, branch)
    presence = Presence(tenant, session, pages, services.models)
    return answer(why_shown(_steps(session, pages.branch), pages, presence, message_id))


@router.post("/chat/sessions/{session_id}/context/undo", response_class=Response, responses=answers(Undone, 409))
def undo(session_id: str, tenant: Asking, body: UndoBody | None = None) -> Response:
    """Take back what was decided: the next turn plans anew from the originals, by the project's policy as it is then.

    Refused while a turn runs.
    """
    session = tenant.sessions.open(session_id)
    with session.turn(wait_s=0):
        transcript = Transcript(session.log, branch=body.branch if body is not None else None)
        chain = transcript.in_force()[0]
        if chain:
            transcript.record(UndoEntry(chain[0].id))
    return answer(Undone(branch=transcript.branch, checkpoint=chain[0].id if chain else None))


def _steps(session: Session, branch: str | None) -> Steps:
    return Steps(session.log, branch)

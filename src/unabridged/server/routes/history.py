"""The real conversation over HTTP, and what of it no search finds."""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from unabridged.server.asking import Asking
from unabridged.server.history.messages import MessagesPage, messages_page
from unabridged.server.history.parts import Sight
from unabridged.server.projects import Tenant
from unabridged.server.routes.answers import answer, answers
from unabridged.server.routes.bodies import Body
from unabridged.server.routes.sessions import Order
from unabridged.store.pages import Pages
from unabridged.transcript import Transcript

router = APIRouter(tags=["history"])
WAIT_S = 5.0
"""How long a turn that runs is waited for, where something is to be appended beside turns."""
Branch = Annotated[str | None, Query(description="The newest, where none is named.")]


class Paging(BaseModel):
    """Which messages are asked for."""

    after: str | None = Field(None, description="A message's id: the page begins behind it.")
    before: str | None = Field(None, description="A message's id: the page ends right before it.")
    limit: int = Field(50, ge=1, le=200)
    order: Order = "asc"
    branch: str | None = Field(None, description="The newest, where none is named.")


class HideBody(Body):
    """Messages by their ids."""

    message_ids: list[str] = Field(min_length=1, max_length=1_000)
    branch: str | None = None


class HiddenNow(msgspec.Struct, frozen=True, kw_only=True):
    """What is hidden, or is found again."""

    branch: str
    changed: tuple[str, ...]
    """Ids of the messages for which it is news."""


def sight_of(tenant: Tenant, session_id: str) -> Sight:
    """Give how messages of a session are shown to whoever asks."""
    return Sight(session_id, tenant.settings.show_reasoning)


@router.get("/chat/sessions/{session_id}/messages", response_class=Response, responses=answers(MessagesPage))
def messages(session_id: str, tenant: Asking, asked: Annotated[Paging, Query()]) -> Response:
    """Give the real conversation, all that was said and refused, each message with how the model sees it now.

    `after` and `before` go by the order of the list: with `desc` what comes after is older.
    """
    pages = Pages(tenant.sessions.open(session_id), asked.branch)
    page = messages_page(
        pages,
        sight_of(tenant, session_id),
        after=asked.after,
        before=asked.before,
        limit=asked.limit,
        newest_first=asked.order == "desc",
    )
    return answer(page)


@router.post("/chat/sessions/{session_id}/hide", response_class=Response, responses=answers(HiddenNow, 409))
def hide(session_id: str, body: HideBody, tenant: Asking) -> Response:
    """Have no search find these messages, all or none. They stay where they are, in the model's view too."""
    return _hidden(session_id, body, tenant, shown=False)


@router.post("/chat/sessions/{session_id}/show", response_class=Response, responses=answers(HiddenNow, 409))
def show(session_id: str, body: HideBody, tenant: Asking) -> Response:
    """Have these messages found again, all or none."""
    return _hidden(session_id, body, tenant, shown=True)


def _hidden(session_id: str, body: HideBody, tenant: Tenant, *, shown: bool) -> Response:
    session = tenant.sessions.open(session_id)
    with session.turn(wait_s=WAIT_S):
        transcript = Transcript(session.log, branch=body.branch)
        changed = transcript.hide(*body.message_ids, shown=shown)
    return answer(HiddenNow(branch=transcript.branch, changed=changed))

"""Turns over HTTP: begun, watched, stopped."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Annotated, Any, Literal

import msgspec
from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from unabridged.server.asking import Asking, Presenting, Serving
from unabridged.server.frames import EndFrame, json_of
from unabridged.server.media.taking import Named
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.server.routes.bodies import Body
from unabridged.server.services import Services
from unabridged.server.settings import ClientTool
from unabridged.server.turns.asked import Approval, Asked, GivenResult
from unabridged.server.turns.turns import Begun

router = APIRouter(tags=["turns"])
STREAM = "text/event-stream"
MOST = 2**53
"""Above it a number is no longer the same for all who read JSON."""
LONGEST_TITLE = 80
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class TextPart(Body):
    """Something written."""

    type: Literal["text"]
    text: str


class MediaPart(Body):
    """Something that is shown: an upload by its digest, or what lies at a URL."""

    type: Literal["media"]
    digest: str | None = None
    url: str | None = None


class ToolResultBody(Body):
    """What a tool of the client came to."""

    call_id: str
    output: str
    is_error: bool = False


class ApprovalBody(Body):
    """What the end user says of a call."""

    call_id: str
    allow: bool
    why: str = ""


class ClientToolBody(Body):
    """A tool that the client carries out."""

    name: str = Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")
    description: str = ""
    parameters: dict[str, Any] = Field(default_factory=lambda: {"type": "object", "properties": {}})


class TurnBody(Body):
    """One turn: what the user says, or what he owes to the turn before."""

    message: str | list[TextPart | MediaPart] | None = None
    tool_results: list[ToolResultBody] = Field(default_factory=list[ToolResultBody])
    approvals: list[ApprovalBody] = Field(default_factory=list[ApprovalBody])
    tools: list[ClientToolBody] | None = None
    model: str | None = None
    max_output_tokens: int | None = Field(default=None, ge=1)
    branch: str | None = None
    stream: bool = True


class ChatBody(TurnBody):
    """A session with its first turn."""

    session_id: str | None = Field(default=None, min_length=1, max_length=200)
    title: str | None = None


class TurnState(BaseModel):
    """How far a turn is."""

    turn: int
    state: Literal["running", "ended"]
    end: dict[str, Any] | None = None


Number = Annotated[int, Path(ge=1, le=MOST, description="Of the turn, from 1, in its session.")]
Idempotency = Annotated[str | None, Header(alias="Idempotency-Key", min_length=1, max_length=200)]
LastEventId = Annotated[str | None, Header(alias="Last-Event-ID")]


def asked_of(tenant: Tenant, body: TurnBody, services: Services, session: str | None = None, **more: Any) -> Asked:
    """Give what a body asks for, of a session or of one to come. Raises `ApiError` 422, and `NotFound`.

    What it shows is looked up, and fetched where it is named by a URL: what is wrong with it is said at once.
    """
    text, media = body.message if isinstance(body.message, str) else "", ()
    if isinstance(body.message, list):
        text = "\n".join(part.text for part in body.message if isinstance(part, TextPart))
        named = [_named(part) for part in body.message if isinstance(part, MediaPart)]
        if named:
            opened = tenant.sessions.open(session) if session is not None else None
            served = services.models.chosen(tenant.settings, body.model)
            media = services.media.resolve(tenant, opened, named, served)
    if body.message is not None and not (text.strip() or media):
        raise ApiError(422, "bad_input", "`message` is empty: say something, or leave it out")
    tools = body.tools
    return Asked(
        text=text,
        media=media,
        results=tuple(GivenResult(**each.model_dump()) for each in body.tool_results),
        approvals=tuple(Approval(**each.model_dump()) for each in body.approvals),
        tools=tuple(ClientTool(**each.model_dump()) for each in tools) if tools is not None else None,
        model=body.model,
        max_output_tokens=body.max_output_tokens,
        branch=body.branch,
        **more,
    )


@router.post("/chat")
def chat(body: ChatBody, shown: Presenting, key: Idempotency = None) -> StreamingResponse:
    """Begin a session with its first turn."""
    tenant = shown.tenant()
    title = body.title if body.title is not None else _title(body)
    asked = asked_of(tenant, body, shown.services, title=title)
    begun = shown.services.turns.begin(tenant, None, asked, id=body.session_id, idempotency=key)
    return answer_of(shown.services, begun, stream=body.stream)


@router.post("/chat/sessions/{session_id}/turns")
def turn(session_id: str, body: TurnBody, shown: Presenting, key: Idempotency = None) -> StreamingResponse:
    """Take a turn in a session."""
    tenant = shown.tenant()
    asked = asked_of(tenant, body, shown.services, session_id)
    begun = shown.services.turns.begin(tenant, session_id, asked, idempotency=key)
    return answer_of(shown.services, begun, stream=body.stream)


@router.get("/chat/sessions/{session_id}/turns/{number}")
def state(session_id: str, number: Number, tenant: Asking, services: Serving) -> TurnState:
    """Say how far a turn is."""
    row = services.turns.find(tenant, session_id, number)
    end = json_of(row.outcome.end) if row.outcome is not None else None
    return TurnState(turn=row.number, state="running" if end is None else "ended", end=end)


@router.get("/chat/sessions/{session_id}/turns/{number}/events")
def events(
    session_id: str,
    number: Number,
    tenant: Asking,
    services: Serving,
    last: LastEventId = None,
    after: Annotated[int, Query(ge=0, le=MOST)] = 0,
) -> StreamingResponse:
    """Watch a turn, from its beginning or behind the frame that was seen last."""
    row = services.turns.find(tenant, session_id, number)
    return answer_of(services, Begun(row, False), stream=True, after=_behind(last, number, after))


@router.post("/chat/sessions/{session_id}/turns/{number}/stop", status_code=202)
def stop(session_id: str, number: Number, tenant: Asking, services: Serving) -> TurnState:
    """Stop a turn, wherever it runs and whatever it does."""
    services.turns.stop(tenant, session_id, number)
    return state(session_id, number, tenant, services)


def answer_of(services: Services, begun: Begun, *, stream: bool, after: int = 0) -> StreamingResponse:
    """Give the answer to a request that began a turn: its frames, or how it ended."""
    row = begun.row
    headers = {**_HEADERS, "X-Session-Id": row.stored.session, "X-Turn": str(row.number)}
    frames = services.turns.events(row, after)
    if stream:
        return StreamingResponse(frames, media_type=STREAM, headers=headers)
    return StreamingResponse(_whole(frames), media_type="application/json", headers=headers)


async def _whole(frames: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    """Give the end of a turn as JSON, with its reports; spaces before it keep the line open."""
    contexts: list[msgspec.Raw] = []
    async for events in frames:
        for event in events.split(b"\n\n"):
            data = event.partition(b"\ndata: ")[2]
            if data.startswith(b'{"type":"context"'):
                contexts.append(msgspec.Raw(data))
            elif data.startswith(b'{"type":"end"'):
                end = msgspec.json.decode(data, type=EndFrame)
                yield msgspec.json.encode({**json_of(end), "context": contexts})
        if events.startswith(b":"):
            yield b" "


def _named(part: MediaPart) -> Named:
    if bool(part.digest) == bool(part.url):
        raise ApiError(422, "bad_input", "a part of type `media` has either a `digest` or a `url`: give one of them")
    return Named(digest=part.digest or "", url=part.url or "")


def _title(body: TurnBody) -> str:
    parts = [body.message] if isinstance(body.message, str) else []
    if isinstance(body.message, list):
        parts = [part.text for part in body.message if isinstance(part, TextPart)]
    return " ".join(" ".join(parts).split())[:LONGEST_TITLE]


def _behind(last: str | None, number: int, after: int) -> int:
    """Give the number of the frame that was seen last. Raises `ApiError` 422 for an id of another turn."""
    if last is None:
        return after
    turn, _, frame = last.partition(".")
    if turn != str(number) or not frame.isdecimal():
        raise ApiError(422, "bad_input", f"Last-Event-ID {last!r} is no frame of turn {number}: give {number}.n")
    return int(frame)

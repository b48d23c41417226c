"""The real conversation, a page at a time."""

from __future__ import annotations

from collections.abc import Container

import msgspec

from unabridged.message import Origin, Role
from unabridged.server.history.parts import Shown, Sight
from unabridged.server.history.standing import Standing, State
from unabridged.store.pages import Listed, Pages


class MessageShown(msgspec.Struct, frozen=True, kw_only=True):
    """One message of the conversation."""

    id: str
    seq: int
    """Its position in the session's log: it only grows along a branch."""
    role: Role
    origin: Origin
    """Who made it: `human` and `model` are the conversation; a client or a tool put the others there."""
    time: str
    parts: tuple[Shown, ...]
    context: State
    hidden: bool
    """No search finds it. What the model sees of it is what it was."""


class MessagesPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some messages of a branch, and whether there are more in the direction that was asked for."""

    branch: str
    messages: tuple[MessageShown, ...]
    has_more: bool


def messages_page(
    pages: Pages, sight: Sight, *, after: str | None, before: str | None, limit: int, newest_first: bool
) -> MessagesPage:
    """Give a page of the conversation. Raises `NotFound` for an id that was never on the branch."""
    page = pages.page(after=after, before=before, limit=limit, newest_first=newest_first)
    standing, hidden = Standing(pages.transcript), pages.transcript.hidden
    shown = tuple(_shown(listed, sight, standing, hidden) for listed in page.messages)
    return MessagesPage(branch=pages.branch, messages=shown, has_more=page.has_more)


def _shown(listed: Listed, sight: Sight, standing: Standing, hidden: Container[int]) -> MessageShown:
    message = listed.message
    return MessageShown(
        id=message.id,
        seq=listed.seq,
        role=message.role,
        origin=message.origin,
        time=message.time or listed.time,
        parts=sight.parts(message),
        context=standing.of(listed),
        hidden=listed.seq in hidden,
    )

"""Sessions as the API lists and finds them."""

from __future__ import annotations

import msgspec

from unabridged.errors import NotFound
from unabridged.store import Head, Project, Session
from unabridged.store.search import search


class SessionHead(msgspec.Struct, frozen=True, kw_only=True):
    """A session in a list."""

    id: str
    title: str
    created: str
    updated: str
    entries: int
    """Of its log: messages, reports, and all else."""
    owner: str
    """The end user that it is for; empty for nobody in particular."""


class SessionShown(SessionHead, frozen=True, kw_only=True):
    """One session."""

    branch: str
    """The newest, where a turn goes on that names none."""
    branches: tuple[str, ...]
    running: tuple[int, ...]
    """Turns that run, or wait for one that does."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """What was found: a message, or, without one, the title."""

    session_id: str
    message_id: str | None
    seq: int | None
    snippet: str


class SessionsPage(msgspec.Struct, frozen=True, kw_only=True):
    """Some sessions, and what was found in them where something was searched for."""

    sessions: tuple[SessionHead, ...]
    matches: tuple[Match, ...]
    """The best first."""
    has_more: bool


def sessions_page(project: Project, after: str | None, limit: int, *, newest_first: bool) -> SessionsPage:
    """Give a page of sessions, by when they began. Raises `NotFound` for an `after` that is not there."""
    heads = project.sessions(after=after, limit=limit + 1, newest_first=newest_first)
    return SessionsPage(sessions=tuple(map(head_shown, heads[:limit])), matches=(), has_more=len(heads) > limit)


def sessions_found(project: Project, query: str, limit: int) -> SessionsPage:
    """Give the sessions that hold every word of a query, the best first."""
    found = search(project, query, limit=limit + 1)
    matches = tuple(
        Match(session_id=each.session, message_id=each.message, seq=each.seq, snippet=each.snippet)
        for each in found[:limit]
    )
    heads: list[SessionHead] = []
    for id in dict.fromkeys(match.session_id for match in matches):
        try:
            heads.append(head_shown(project.head(id)))
        except NotFound:
            continue  # erased meanwhile
    known = {head.id for head in heads}
    kept = tuple(match for match in matches if match.session_id in known)
    return SessionsPage(sessions=tuple(heads), matches=kept, has_more=len(found) > limit)


def head_shown(head: Head) -> SessionHead:
    """Give a session in a list."""
    return msgspec.convert(head, SessionHead, from_attributes=True)


def session_shown(project: Project, session: Session, running: list[int]) -> SessionShown:
    """Give one session. Raises `NotFound` where it was erased meanwhile."""
    head = project.head(session.id)
    return SessionShown(
        **msgspec.structs.asdict(head_shown(head)),
        branch=session.log.newest_branch,
        branches=session.log.branches,
        running=tuple(running),
    )

"""Conversations in a store, and how to look at them: for the tests of every engine."""

from __future__ import annotations

from hashlib import sha256

from unabridged import Conversation, Policy
from unabridged.log import Log
from unabridged.message import Media, MediaKind, Message, Role, Text
from unabridged.store import Session, Store
from unabridged.transcript import Transcript

WINDOW = 4_000


def conversation(session: Session, *, window: int = WINDOW, policy: Policy | None = None) -> Conversation:
    return Conversation(model="m", window=window, log=session.log, max_tokens=200, policy=policy)


def again(store: Store, session: Session) -> Session:
    return store.project(session.project).open(session.id)


def texts(log: Log, branch: str = "main") -> list[str]:
    """The messages of a branch, by their first text."""
    records = Transcript(log, branch=branch).records
    return [part.text for record in records for part in record.message.parts[:1] if isinstance(part, Text)]


def blobs(store: Store) -> int:
    return store.database.rows("SELECT count(*) FROM blobs")[0][0]


def ids(log: Log, branch: str) -> str:
    return " ".join(record.message.id for record in Transcript(log, branch=branch).records)


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def shown(data: bytes, *, id: str) -> Message:
    media = Media(kind=MediaKind.IMAGE, mime="image/png", digest=digest(data))
    return Message(id=id, role=Role.USER, parts=(media,))

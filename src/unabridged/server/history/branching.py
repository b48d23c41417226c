"""Branches of a session, as the API tells of them."""

from __future__ import annotations

import msgspec

from unabridged.entry import BranchEntry, Entry
from unabridged.errors import NotFound
from unabridged.log import MAIN
from unabridged.message import Role
from unabridged.server.problems import ApiError
from unabridged.store import Session
from unabridged.store.pages import branch_entries, names_at
from unabridged.transcript import Record, Transcript


class BranchShown(msgspec.Struct, frozen=True, kw_only=True):
    """One branch."""

    name: str
    parent: str | None
    """The branch whose messages it begins with; null where it begins with nothing."""
    message_id: str | None
    """The last of those messages."""
    why: str
    """`fork`, `edit` or `regenerate`, and what a client of another kind said."""
    created: str | None
    newest: bool
    """A turn that names no branch goes on here."""


class Branches(msgspec.Struct, frozen=True):
    """All branches of a session, the oldest first."""

    branches: tuple[BranchShown, ...]


class Forked(msgspec.Struct, frozen=True, kw_only=True):
    """A new branch. Turns that name none go on there."""

    branch: str
    message_id: str | None
    """The last message on it."""


def branches_of(session: Session) -> Branches:
    """Give the branches of a session."""
    entries = branch_entries(session)
    ends = names_at(session, [last for entry in entries for _, last in _parent(entry)])
    newest = session.log.newest_branch
    main = BranchShown(name=MAIN, parent=None, message_id=None, why="", created=None, newest=newest == MAIN)
    others = (
        BranchShown(
            name=entry.branch,
            parent=next((name for name, _ in _parent(entry)), None),
            message_id=next((ends.get(last) for _, last in _parent(entry)), None),
            why=entry.payload.why,
            created=entry.time,
            newest=entry.branch == newest,
        )
        for entry in entries
        if isinstance(entry.payload, BranchEntry)
    )
    return Branches((main, *others))


def _parent(entry: Entry) -> tuple[tuple[str, int], ...]:
    """Give the branch that one was made of, with the last position of it that counts; nothing where it is empty."""
    return entry.payload.ancestry[-1:] if isinstance(entry.payload, BranchEntry) else ()


def forked(transcript: Transcript, message: str | None) -> Forked:
    """Open a branch that holds a transcript up to a message, or all of it. Raises `NotFound`."""
    records = transcript.records
    last = message if message is not None else (records[-1].message.id if records else None)
    return Forked(branch=transcript.branch_from(last, why="fork").branch, message_id=last)


def opened_before(transcript: Transcript, message: str) -> Transcript:
    """Open a branch that ends before something that a person said. Raises `NotFound`, and `ApiError` for an answer."""
    if _at(transcript, message).message.role is not Role.USER:
        said = f"message {message!r} is not what a person said: name one of role `user`, or regenerate the answer"
        raise ApiError(422, "bad_input", said)
    return transcript.branch_from(message, why="edit", inclusive=False)


def opened_for_another(transcript: Transcript, answer: str | None) -> Transcript:
    """Open a branch that ends before an answer, or before all that the newest message of a person led to.

    Raises `NotFound`, and `ApiError` where there is nothing to answer.
    """
    records = transcript.records
    if answer is not None:
        if _at(transcript, answer).message.role is not Role.ASSISTANT:
            raise ApiError(422, "bad_input", f"message {answer!r} is no answer: name one of role `assistant`")
        place = transcript.position[answer]
        while place and records[place - 1].message.role is Role.ASSISTANT:  # items of one answer
            place -= 1
    else:
        place = transcript.humans[-1] + 1 if transcript.humans else 0
        while place < len(records) and records[place].message.role is not Role.ASSISTANT:
            place += 1
    if not place:
        raise ApiError(422, "bad_input", "nothing was said before this answer: there is nothing to answer again")
    return transcript.branch_from(records[place - 1].message.id, why="regenerate")


def _at(transcript: Transcript, id: str) -> Record:
    place = transcript.position.get(id)
    if place is None:
        raise NotFound("message", id)
    return transcript.records[place]

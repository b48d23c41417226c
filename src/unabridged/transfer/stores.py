"""Opens what commands work on: stores that are there, stores that may be made, and sessions by their id."""

from __future__ import annotations

from unabridged.errors import BadInput
from unabridged.store.place import existing, made_ready
from unabridged.store.sessions import Project, Session, Store, open_store

SHORTEST = 4
"""Signs of an id that may stand for all of it."""


def read_store(place: str) -> Store:
    """Open a store that is there. Raises `BadInput` for a place without one; what is only read is never made."""
    return open_store(existing(place))


def written_store(place: str) -> Store:
    """Open a store, and make it where there is none."""
    return open_store(made_ready(place))


def session_in(project: Project, id: str) -> Session:
    """Open a session by its id, or by the beginning of it that no other id has.

    Raises `BadInput`, which says where to look, for one that the project does not have.
    """
    if project.has(id):
        return project.open(id)
    begun = [head.id for head in project.all() if head.id.startswith(id)] if len(id) >= SHORTEST else []
    if len(begun) == 1:
        return project.open(begun[0])
    if begun:
        raise BadInput(f"{len(begun):,} sessions in project {project.name!r} begin with {id!r}: give more of the id")
    raise BadInput(f"no session {id!r} in project {project.name!r}: `unabridged sessions` lists them")

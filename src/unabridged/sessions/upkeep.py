"""`unabridged backup`, `move` and `erase`: whole stores and whole sessions."""

from __future__ import annotations

from pathlib import Path

import msgspec
import typer

from unabridged.errors import BadInput, UnabridgedError
from unabridged.replay.progress import Waiting
from unabridged.sessions.listing import UNTITLED
from unabridged.sessions.speaking import Speaker, counted, on_one_line
from unabridged.store.moving import backup, copy_session
from unabridged.store.place import chosen_place, shown_place
from unabridged.store.sessions import Store
from unabridged.transfer.stores import read_store, session_in, written_store


class BackedUp(msgspec.Struct, frozen=True):
    """A backup, for `--json`."""

    store: str
    file: str
    sessions: int
    bytes: int


class MovedTo(msgspec.Struct, frozen=True):
    """A session that was copied or not, for `--json`."""

    project: str
    session: str
    entries: int
    copied: int
    """Of these, how many were copied just now."""
    archived: int = 0
    """Messages that the archive of the target holds of it now."""
    problem: str = ""
    """Why it does not lie in the target; empty where it does."""


class Erased(msgspec.Struct, frozen=True):
    """A session that is gone, for `--json`."""

    project: str
    session: str
    entries: int


class Upkeep:
    """One run of a command."""

    def __init__(self, given: str | None, *, as_json: bool) -> None:
        self._place = chosen_place(given)
        self._speaker = Speaker(as_json=as_json)
        self._waiting = Waiting(self._speaker.err, shown=True)

    def backup(self, file: Path) -> bool:
        """Copy the store into a new file."""
        if not file.absolute().parent.is_dir():
            raise BadInput(f"there is no folder {file.absolute().parent}: make it first")
        with read_store(self._place) as store, self._waiting.reading(shown_place(self._place)):
            backup(store, file)
        with read_store(str(file)) as copy:
            sessions = _count(copy)
        made = BackedUp(shown_place(self._place), str(file), sessions, file.stat().st_size)
        if self._speaker.as_json:
            self._speaker.json(made)
        else:
            self._speaker.line(f"{made.file}: {counted(made.sessions, 'session')}, {made.bytes:,} bytes")
        return True

    def move(self, target: str, project: str | None) -> bool:
        """Copy sessions into another store, one after the other. One that cannot be copied stops no other."""
        other = chosen_place(target)
        if other == self._place or Path(other).resolve() == Path(self._place).resolve():
            raise BadInput(f"{shown_place(other)} is the store itself: name another")
        well, copied, sessions = True, 0, 0
        with read_store(self._place) as source, written_store(other) as there:
            names = known_projects(source, project)
            heads = [(name, head) for name in names for head in source.project(name).all()]
            for name, head in self._waiting.walking(heads, name="sessions", total=len(heads)):
                try:
                    moved = copy_session(source.project(name), there.project(name), head)
                    self._tell(MovedTo(name, head.id, moved.entries, moved.copied, moved.archived))
                    copied, sessions = copied + moved.copied, sessions + 1
                except UnabridgedError as error:
                    well = False
                    self._tell(MovedTo(name, head.id, head.entries, 0, problem=on_one_line(str(error))))
        if not self._speaker.as_json:
            done = f"{sessions:,} of {counted(len(heads), 'session')} in {shown_place(other)}, digests as they were"
            self._speaker.line(f"{done}; entries copied just now: {copied:,}", "bold")
        return well

    def erase(self, session: str, project: str, *, sure: bool) -> bool:
        """Erase a session, when whoever asks for it is sure."""
        with read_store(self._place) as store:
            chosen = store.project(project)
            head = chosen.head(session_in(chosen, session).id)
            if sure and head.id != session:
                raise BadInput(f"the session is {head.id}: whoever is not asked gives the whole id")
            what = f"{head.id} ({on_one_line(head.title) or UNTITLED}, {head.entries:,} entries)"
            if not sure and not typer.confirm(f"Erase session {what} for good?", err=True):
                self._speaker.aside("nothing was erased")
                return False
            chosen.erase(head.id)
        if self._speaker.as_json:
            self._speaker.json(Erased(project, head.id, head.entries))
        else:
            self._speaker.line(f"erased {what}")
        return True

    def _tell(self, moved: MovedTo) -> None:
        if self._speaker.as_json:
            self._speaker.json(moved)
        elif moved.problem:
            self._speaker.aside(f"{moved.project}/{moved.session}: {moved.problem}")
        else:
            new = "nothing new" if not moved.copied else f"{moved.copied:,} copied"
            archived = f", {moved.archived:,} archived" if moved.archived else ""
            self._speaker.line(f"{moved.project}/{moved.session}: {moved.entries:,} entries, {new}{archived}")


def known_projects(store: Store, project: str | None) -> list[str]:
    """Give the projects that are meant. Raises `BadInput` for one that has no session."""
    names = store.projects()
    if project is None:
        return names
    if project not in names:
        known = f"it has {', '.join(names)}" if names else "it has none at all"
        raise BadInput(f"the store has no session in project {project!r}: {known}")
    return [project]


def _count(store: Store) -> int:
    return sum(1 for name in store.projects() for _ in store.project(name).all())

"""`unabridged sessions`: a page of the list, or what holds some words."""

from __future__ import annotations

import msgspec

from unabridged.errors import BadInput
from unabridged.replay import ink
from unabridged.sessions.speaking import Speaker, on_one_line
from unabridged.store.place import chosen_place, shown_place
from unabridged.store.search import Found, search
from unabridged.store.sessions import Head
from unabridged.transfer.stores import read_store

UNTITLED = "(no title)"


class Listed(msgspec.Struct, frozen=True):
    """A session, for `--json`."""

    project: str
    id: str
    title: str
    created: str
    updated: str
    entries: int


class Hit(msgspec.Struct, frozen=True):
    """What was found, for `--json`."""

    project: str
    session: str
    title: str
    message: str | None
    """Its id; None where the title was found."""
    seq: int | None
    snippet: str


class Listing:
    """One run of the command."""

    def __init__(self, given: str | None, project: str, *, as_json: bool) -> None:
        self._place = chosen_place(given)
        self._name = project
        self._speaker = Speaker(as_json=as_json)

    def page(self, after: str | None, limit: int) -> bool:
        """List sessions, the newest first."""
        with read_store(self._place) as store:
            project = store.project(self._name)
            if after is not None and not project.has(after):
                raise BadInput(f"no session {after!r} in project {self._name!r} to go on behind")
            heads = project.sessions(after=after, limit=limit + 1)
            projects = store.projects() if not heads and after is None else []
        for head in heads[:limit]:
            self._head(head)
        if len(heads) > limit:
            self._speaker.aside(f"more: --after {heads[limit - 1].id}")
        if not heads:
            known = f": the store has {', '.join(projects)}" if projects else ""
            self._speaker.aside(f"no {'more ' if after else ''}sessions in project {self._name}{known}")
        return True

    def found(self, query: str, limit: int) -> bool:
        """Search titles and messages."""
        with read_store(self._place) as store:
            found = search(store.project(self._name), query, limit=limit)
        for each in found:
            self._found(each)
        if not found:
            self._speaker.aside(f"nothing holds these words in project {self._name} of {shown_place(self._place)}")
        return True

    def _head(self, head: Head) -> None:
        if self._speaker.as_json:
            self._speaker.json(Listed(self._name, head.id, head.title, head.created, head.updated, head.entries))
            return
        updated = head.updated[:16].replace("T", " ")
        self._speaker.line(f"{head.id}  {updated}  {head.entries:>7,}  {on_one_line(head.title) or UNTITLED}")

    def _found(self, found: Found) -> None:
        if self._speaker.as_json:
            hit = Hit(self._name, found.session, found.title, found.message, found.seq, found.snippet)
            self._speaker.json(hit)
            return
        title = on_one_line(found.title) or UNTITLED
        self._speaker.line(f"{found.session}  {title}", "bold" if found.message is None else "")
        if found.message is not None:
            self._speaker.line(f"    {found.message}", ink.DIM)
            self._speaker.line(f"    {found.snippet}")

"""Projects: each with its settings, of which every change is a version."""

from __future__ import annotations

import time
from functools import lru_cache

import msgspec

from unabridged.errors import BadInput, NotFound
from unabridged.server.caller import Caller
from unabridged.server.settings import ProjectSettings, read_settings, written_settings
from unabridged.store import Project, Store
from unabridged.store.database import Taken


class Tenant(msgspec.Struct, frozen=True):
    """What a caller has before him: the sessions that he may see, and the settings that hold for them."""

    caller: Caller
    sessions: Project
    settings: ProjectSettings
    version: int
    """Of the settings."""

    @property
    def project(self) -> str:
        """The project's name."""
        return self.sessions.name


class Projects:
    """The projects of a server."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._database = store.database

    def create(self, name: str, settings: ProjectSettings | None = None, *, made_by: str = "") -> None:
        """Make a project. Raises `BadInput` for a name that is taken."""
        written, now = written_settings(settings or ProjectSettings()).decode(), time.time()
        try:
            with self._database.transaction() as writing:
                writing.run("INSERT INTO projects (name, created, version) VALUES (?, ?, 1)", name, now)
                writing.run("INSERT INTO project_settings VALUES (?, 1, ?, ?, ?)", name, written, now, made_by)
        except Taken:
            raise BadInput(f"there is a project {name!r} already: give another name") from None

    def tenant(self, caller: Caller) -> Tenant:
        """Give what a caller has before him. Raises `NotFound` for a project that is not there."""
        sql = (
            "SELECT projects.version, settings FROM projects JOIN project_settings ON project = name"
            " AND project_settings.version = projects.version WHERE name = ? AND closed = 0"
        )
        rows = self._database.rows(sql, caller.project)
        if not rows:
            raise NotFound("project", caller.project)
        version, settings = rows[0]
        return Tenant(caller, self._store.project(caller.project, owner=caller.owner), _read(settings), version)


@lru_cache(maxsize=1_000)
def _read(settings: str) -> ProjectSettings:
    return read_settings(settings)

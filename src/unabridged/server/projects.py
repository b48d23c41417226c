"""Projects: each with its settings, which hold from the next request on in every worker."""

from __future__ import annotations

import re
import time

import msgspec

from unabridged.errors import BadInput, NotFound
from unabridged.server.caller import Caller
from unabridged.server.problems import ApiError
from unabridged.server.settings import ProjectSettings
from unabridged.server.versions import Version, Versions, decoded, settings_lock, write_version
from unabridged.store import Project, Store
from unabridged.store.columns import is_storable
from unabridged.store.database import Taken, Transaction

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class ProjectHead(msgspec.Struct, frozen=True, kw_only=True):
    """A project as a list shows it."""

    name: str
    created: float
    version: int
    """Of its settings."""


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

    def __init__(self, store: Store, versions: Versions | None = None) -> None:
        self._store = store
        self._database = store.database
        self.versions = versions or Versions(store.database)
        """Of their settings."""

    def create(self, name: str, settings: ProjectSettings | None = None, *, made_by: str = "") -> None:
        """Make a project. Raises `BadInput` for a name that cannot be one, and `ApiError` 409 for one that is taken."""
        settings = settings or ProjectSettings()
        self.versions.check(settings)
        try:
            with self._database.transaction() as writing:
                write_project(writing, name, settings, made_by)
        except Taken:
            said = f"there is a project {name!r} already, or was one that is closed: give another name"
            raise ApiError(409, "already_there", said) from None

    def page(self, *, after: str | None = None, limit: int = 50) -> list[ProjectHead]:
        """List projects by name, a page at a time; `after` is the last name of the page before."""
        sql = "SELECT name, created, version FROM projects WHERE closed = 0 AND name > ? ORDER BY name LIMIT ?"
        rows = self._database.rows(sql, after or "", limit)
        return [ProjectHead(name=name, created=created, version=version) for name, created, version in rows]

    def head(self, name: str) -> ProjectHead:
        """Give one project as a list shows it. Raises `NotFound`."""
        sql = "SELECT created, version FROM projects WHERE name = ? AND closed = 0"
        rows = self._database.rows(sql, name) if is_storable(name) else []
        if not rows:
            raise NotFound("project", name)
        return ProjectHead(name=name, created=rows[0][0], version=rows[0][1])

    def close(self, name: str) -> None:
        """Close a project: nothing of it is found any more, and nothing of it is deleted. Raises `NotFound`."""
        self.head(name)
        with self._database.transaction() as writing:
            writing.lock(settings_lock(name), shared=False)
            closing = "UPDATE projects SET closed = 1 WHERE name = ? AND closed = 0 RETURNING name"
            if not writing.rows(closing, name):
                raise NotFound("project", name)

    def tenant(self, caller: Caller) -> Tenant:
        """Give what a caller has before him. Raises `NotFound` for a project that is not there."""
        sql = (
            "SELECT projects.version, settings FROM projects JOIN project_settings ON project = name"
            " AND project_settings.version = projects.version WHERE name = ? AND closed = 0"
        )
        rows = self._database.rows(sql, caller.project) if is_storable(caller.project) else []
        if not rows:
            raise NotFound("project", caller.project)
        version, settings = rows[0]
        return Tenant(caller, self._store.project(caller.project, owner=caller.owner), decoded(settings), version)


def write_project(writing: Transaction, name: str, settings: ProjectSettings, made_by: str) -> None:
    """Write a new project. Raises `BadInput` for a name that cannot be one."""
    if not _NAME.fullmatch(name):
        said = "give 1 to 100 letters, digits and . _ -, a letter or a digit first"
        raise BadInput(f"{name[:40]!r} cannot be the name of a project: {said}")
    now = time.time()
    writing.run("INSERT INTO projects (name, created, version) VALUES (?, ?, 1)", name, now)
    write_version(writing, name, Version(version=1, settings=settings, created=now, made_by=made_by))

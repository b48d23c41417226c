"""Versions of a project's settings: every change makes one, and says who made it. None is ever changed or deleted."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, cast

import msgspec

from unabridged.errors import BadInput, BadSetting, NotFound
from unabridged.server.problems import ApiError
from unabridged.server.settings import ProjectSettings, read_settings, written_settings
from unabridged.store.database import Database, Row, Transaction
from unabridged.strategy import strategy_named

_CURRENT = (
    "SELECT projects.version, settings, project_settings.created, made_by FROM projects JOIN project_settings"
    " ON project = name AND project_settings.version = projects.version WHERE name = ? AND closed = 0"
)


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """Settings as they were, or are, from one change to the next."""

    version: int
    settings: ProjectSettings
    created: float
    made_by: str
    """The id of the key that made it, or who else did."""


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Who changes settings, and which version of them they have seen."""

    made_by: str
    seen: Collection[int] | None = None
    """Versions that may be changed; None: whichever holds."""


class Versions:
    """The settings of all projects. `models`: names that settings may use; None: that is not known here."""

    def __init__(self, database: Database, models: Collection[str] | None = None) -> None:
        self._database = database
        self._models = models

    def current(self, project: str) -> Version:
        """Give the settings that hold. Raises `NotFound` for a project that is not there, or closed."""
        return _version(project, self._database.rows(_CURRENT, project))

    def find(self, project: str, version: int) -> Version:
        """Give settings as they once were. Raises `NotFound`."""
        sql = "SELECT version, settings, created, made_by FROM project_settings WHERE project = ? AND version = ?"
        rows = self._database.rows(sql, project, version) if version < 2**63 else []
        if not rows:
            raise NotFound("version", str(version))
        return _version(project, rows)

    def page(self, project: str, *, before: int | None = None, limit: int = 50) -> list[Version]:
        """List versions, the newest first."""
        sql = "SELECT version, settings, created, made_by FROM project_settings WHERE project = ?"
        values: list[Any] = [project]
        if before is not None:
            sql, values = f"{sql} AND version < ?", [project, before]
        return [_read(row) for row in self._database.rows(f"{sql} ORDER BY version DESC LIMIT ?", *values, limit)]

    def replace(self, project: str, text: bytes, change: Change) -> Version:
        """Put others in the place of all settings; what `text` does not say is as a new project has it."""
        given = read_settings(text)
        return self._change(project, lambda _: given, change)

    def merge(self, project: str, text: bytes, change: Change) -> Version:
        """Change what `text` says and nothing else, as a JSON merge patch (RFC 7396): null stands for the default."""
        patch = _object(text)
        return self._change(project, lambda now: read_settings(_merged(now, patch)), change)

    def restore(self, project: str, version: int, change: Change) -> Version:
        """Have settings hold again as they once were: a new version, like any change."""
        then = self.find(project, version).settings
        return self._change(project, lambda _: then, change)

    def check(self, settings: ProjectSettings) -> None:
        """Raise `BadSetting` for a model that this server does not have, and a strategy that nobody knows."""
        strategy_named(settings.policy.strategy)
        if self._models is None:
            return
        chosen = {"model": (settings.model,), "models": settings.models or ()}
        chosen["policy.summaryModel"] = (settings.policy.summary_model,)
        for setting, names in chosen.items():
            for name in names:
                if name is not None and name not in self._models:
                    raise BadSetting(setting, name, f"this server has {', '.join(self._models) or 'no model'}")

    def _change(self, project: str, make: Callable[[ProjectSettings], ProjectSettings], change: Change) -> Version:
        """Make a version. What is as it was stays the version that it is, so that a repeated request changes nothing.

        Raises `NotFound`, and `ApiError` 412 where another version holds than was seen.
        """
        with self._database.transaction() as writing:
            writing.lock(settings_lock(project), shared=False)
            now = _version(project, writing.rows(_CURRENT, project))
            if change.seen is not None and now.version not in change.seen:
                said = f"version {now.version} holds, and `If-Match` names another: read the settings again"
                raise ApiError(412, "precondition_failed", said, headers={"ETag": f'"{now.version}"'})
            made = make(now.settings)
            self.check(made)
            if made == now.settings:
                return now
            version = msgspec.structs.replace(
                now, version=now.version + 1, settings=made, created=time.time(), made_by=change.made_by
            )
            write_version(writing, project, version)
            writing.run("UPDATE projects SET version = ? WHERE name = ?", version.version, project)
        return version


def settings_lock(project: str) -> str:
    """Give the name of the lock that whoever changes a project holds."""
    return f"settings of {project}"


def write_version(writing: Transaction, project: str, version: Version) -> None:
    """Write a version of settings."""
    text = written_settings(version.settings).decode()
    sql = "INSERT INTO project_settings (project, version, settings, created, made_by) VALUES (?, ?, ?, ?, ?)"
    writing.run(sql, project, version.version, text, version.created, version.made_by)


@lru_cache(maxsize=1_000)
def decoded(settings: str) -> ProjectSettings:
    """Read settings as they are stored: every request does."""
    return read_settings(settings)


def _version(project: str, rows: list[Row]) -> Version:
    if not rows:
        raise NotFound("project", project)
    return _read(rows[0])


def _read(row: Row) -> Version:
    version, settings, created, made_by = row
    return Version(version=version, settings=decoded(settings), created=created, made_by=made_by)


def _object(text: bytes) -> dict[str, Any]:
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except (msgspec.DecodeError, msgspec.ValidationError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"the change of settings is no JSON object: {error}") from None


def _merged(settings: ProjectSettings, patch: dict[str, Any]) -> bytes:
    now: dict[str, Any] = msgspec.json.decode(written_settings(settings))
    try:
        return msgspec.json.encode(_patched(now, patch))
    except RecursionError:
        raise BadInput("the change of settings is nested too deep: give a schema that is less so") from None


def _patched(now: Any, patch: Any) -> Any:
    """Apply a merge patch."""
    if not isinstance(patch, dict):
        return patch
    made = dict(cast("dict[str, Any]", now)) if isinstance(now, dict) else {}
    for name, value in cast("dict[str, Any]", patch).items():
        if value is None:
            made.pop(name, None)
        else:
            made[name] = _patched(made.get(name), value)
    return made

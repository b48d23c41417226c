"""What `unabridged keys` and `unabridged projects` do, straight in the server's database."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import typer

from unabridged.errors import BadInput, NotFound, UnabridgedError
from unabridged.server.admin_options import ListedKeys, NewKey, Shown
from unabridged.server.caller import Scope
from unabridged.server.config import ServerConfig, read_config
from unabridged.server.keys import Key, Keys
from unabridged.server.projects import Projects
from unabridged.server.settings import Limits, read_settings, written_settings
from unabridged.server.versions import Change, Version, Versions
from unabridged.store import Store, open_store
from unabridged.store.place import chosen_place, made_ready, shown_place

MADE_BY = "command line"
"""What stands for the id of a key in versions that were made here."""
DAY_S = 86_400.0
STDIN = Path("-")


def administer(
    database: str | None, config: Path | None, as_json: bool, act: Callable[[Desk], None], *, makes: bool
) -> bool:
    """Run a command, and tell whether all is well; what went wrong is said in one line."""
    try:
        known = read_config(config) if config is not None else None
        place = made_ready(chosen_place(database or (known.database if known is not None else None)))
        if not makes and "://" not in place and not Path(place).is_file():
            raise BadInput(f"there is no database at {place}: `unabridged projects create NAME` makes one")
        with open_store(place) as store:
            act(Desk(store, known, shown_place(place), as_json=as_json))
        return True
    except NotFound as error:
        remedy = ": `unabridged projects list` names those that there are" if error.what == "project" else ""
        typer.echo(f"there is no {error.what} {error.id!r}{remedy}", err=True)
    except (UnabridgedError, OSError) as error:
        typer.echo(" ".join(str(error).split()), err=True)
    return False


class Desk:
    """One run of a command."""

    def __init__(self, store: Store, config: ServerConfig | None, place: str, *, as_json: bool) -> None:
        self._keys = Keys(store.database)
        models = tuple(config.models) if config is not None and config.models else None
        self._versions = Versions(store.database, models)
        self._projects = Projects(store, self._versions)
        self._place = place
        self._as_json = as_json

    def keys(self, options: ListedKeys) -> None:
        """List keys."""
        project = "" if options.admin else self._projects.head(options.project).name
        found = self._keys.page(
            project, owner=options.owner, after=options.after, limit=options.limit + 1, old=options.expired
        )
        for key in found[: options.limit]:
            whose = f"{key.scope}{f' {key.owner}' if key.owner else ''}"
            words = [key.id, _date(key.created), whose, _until(key), _limits(key.limits), key.label]
            self._say("  ".join(word for word in words if word), key)
        self._more(found[: options.limit], len(found), lambda key: key.id)

    def make_key(self, options: NewKey) -> None:
        """Make a key."""
        if options.admin and options.owner:
            raise BadInput("a key of an admin is of no end user: leave out --admin or --owner")
        scope = Scope.ADMIN if options.admin else Scope.USER if options.owner else Scope.PROJECT
        project = "" if options.admin else self._projects.head(options.project).name
        made = self._keys.create(
            scope,
            project=project,
            owner=options.owner,
            label=options.label,
            expires_in_s=options.days * DAY_S if options.days is not None else None,
            limits=Limits(
                turns_per_minute=options.turns_per_minute,
                tokens_per_day=options.tokens_per_day,
                spend_per_day=options.spend_per_day,
            ),
        )
        self._give(*made)

    def rotate(self, id: str, overlap_s: float) -> None:
        """Replace a key."""
        self._give(*self._keys.rotate(self._keys.find(id).project, id, overlap_s))

    def revoke(self, id: str) -> None:
        """Have a key hold no longer."""
        self._keys.revoke(self._keys.find(id).project, id)
        self._say(f"{id} holds no longer", self._keys.find(id))

    def projects(self, after: str | None, limit: int) -> None:
        """List projects."""
        found = self._projects.page(after=after, limit=limit + 1)
        for head in found[:limit]:
            self._say(f"{head.name}  {_date(head.created)}  settings {head.version}", head)
        if not found:
            typer.echo(f"no projects in {self._place}: `unabridged projects create NAME` makes one", err=True)
        self._more(found[:limit], len(found), lambda head: head.name)

    def make_project(self, name: str, settings: Path | None) -> None:
        """Make a project."""
        self._projects.create(name, read_settings(_read(settings)) if settings is not None else None, made_by=MADE_BY)
        self._say(f"{name} is made: `unabridged keys create --project {name}`", self._projects.head(name))

    def close_project(self, name: str, *, sure: bool) -> None:
        """Close a project."""
        head = self._projects.head(name)
        if not sure:
            typer.confirm(f"Close {name} for good? Its keys will be of no use.", abort=True, err=True)
        self._projects.close(name)
        self._say(f"{name} is closed", head)

    def versions(self, name: str, limit: int) -> None:
        """List the versions of settings."""
        self._projects.head(name)
        for version in self._versions.page(name, limit=limit):
            said = {"version": version.version, "created": version.created, "made_by": version.made_by}
            self._say(f"{version.version}  {_date(version.created)}  {version.made_by}", said)

    def settings(self, options: Shown) -> None:
        """Show settings, or change them."""
        seen = (options.seen,) if options.seen is not None else None
        version = self._changed(options, Change(made_by=MADE_BY, seen=seen))
        typer.echo(msgspec.json.format(written_settings(version.settings), indent=2).decode())
        typer.echo(f"version {version.version}, {_date(version.created)}, by {version.made_by}", err=True)

    def _changed(self, options: Shown, change: Change) -> Version:
        if options.replace is not None:
            return self._versions.replace(options.name, _read(options.replace), change)
        if options.merge is not None:
            return self._versions.merge(options.name, _read(options.merge), change)
        if options.restore is not None:
            return self._versions.restore(options.name, options.restore, change)
        now = self._versions.current(options.name)
        return now if options.version is None else self._versions.find(options.name, options.version)

    def _give(self, id: str, secret: str) -> None:
        """Print a key, this once: alone on stdout, so that it can go where it is needed and nowhere else."""
        key = self._keys.find(id)
        if self._as_json:
            self._say("", {**msgspec.to_builtins(key), "key": secret})
            return
        typer.echo(secret)
        whose = f"of project {key.project}" if key.project else "of an admin"
        typer.echo(f"key {id} {whose}{f', end user {key.owner}' if key.owner else ''}: it is shown this once", err=True)

    def _say(self, words: str, value: Any) -> None:
        # Labels and ids of end users come from outside: none of them may move the cursor.
        shown = "".join(sign if sign.isprintable() else "?" for sign in words)
        typer.echo(msgspec.json.encode(value).decode() if self._as_json else shown)

    def _more(self, shown: list[Any], found: int, id: Callable[[Any], str]) -> None:
        if found > len(shown):
            typer.echo(f"more: --after {id(shown[-1])}", err=True)


def _read(file: Path) -> bytes:
    return sys.stdin.buffer.read() if file == STDIN else file.read_bytes()


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _until(key: Key) -> str:
    if key.expires is None:
        return ""
    return f"{'expires' if key.expires > time.time() else 'ended'} {_date(key.expires)}"


def _limits(limits: Limits) -> str:
    said = {"turns/min": limits.turns_per_minute, "tokens/day": limits.tokens_per_day, "$/day": limits.spend_per_day}
    return ", ".join(f"{value:,g} {unit}" for unit, value in said.items() if value is not None)

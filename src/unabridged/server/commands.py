"""The commands for a server's projects and keys: what Typer needs to know of them. What they run is imported then."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from unabridged.server.admin_options import (
    After,
    AsJson,
    Config,
    Database,
    KeyId,
    Limit,
    ListedKeys,
    Name,
    NewKey,
    Overlap,
    Settings,
    Shown,
    Yes,
)

if TYPE_CHECKING:
    from unabridged.server.administering import Desk

KEYS_HELP = (
    "List, make, replace and revoke the API keys of a chat server.\n\n"
    "A key is printed once, to stdout, and stored as a digest. What is done here holds at once in every process that "
    "serves from the database."
)
KEYS_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged keys create --project shop --label "web, production"[/cyan]
  [cyan]unabridged keys create --project shop --owner user-17 --days 1[/cyan]
  [cyan]unabridged keys create --admin[/cyan]
  [cyan]unabridged keys rotate 1a22f... --overlap 86400[/cyan]  [dim]the old one holds for a day[/dim]

[dim]Exit code: 0 done, 1 not done, 2 options that cannot work.[/dim]
"""
PROJECTS_HELP = "List, make and close the projects of a chat server, and show or change their settings."
PROJECTS_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged projects create shop --settings shop.json[/cyan]
  [cyan]unabridged projects settings shop[/cyan]                      [dim]all of them, as JSON[/dim]
  [cyan]unabridged projects settings shop --merge change.json[/cyan]  [dim]only what it says; - reads stdin[/dim]
  [cyan]unabridged projects versions shop[/cyan]
  [cyan]unabridged projects settings shop --restore 3[/cyan]

[dim]Exit code: 0 done, 1 not done, 2 options that cannot work.[/dim]
"""


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    keys = _group(app, "keys", KEYS_HELP, KEYS_EPILOG)
    projects = _group(app, "projects", PROJECTS_HELP, PROJECTS_EPILOG)
    _register_keys(keys)
    _register_projects(projects)
    _register_settings(projects)


def _register_keys(keys: typer.Typer) -> None:
    def listed(**given: Any) -> None:
        options = ListedKeys(**given)
        _end(options.database, options.config, options.as_json, lambda desk: desk.keys(options))

    def create(**given: Any) -> None:
        options = NewKey(**given)
        _end(options.database, options.config, options.as_json, lambda desk: desk.make_key(options), makes=True)

    # A command has more options than a function may have parameters, so they are the fields of a class.
    vars(listed)["__signature__"] = inspect.signature(ListedKeys, eval_str=True)
    vars(create)["__signature__"] = inspect.signature(NewKey, eval_str=True)
    keys.command("list", help="List keys, the newest first; never the keys themselves.")(listed)
    keys.command("create", help="Make a key, and print it this once.")(create)

    @keys.command("rotate", help="Make a key that replaces another, and print it this once.", no_args_is_help=True)
    def rotate(
        id: KeyId, overlap: Overlap = 0.0, database: Database = None, config: Config = None, as_json: AsJson = False
    ) -> None:
        _end(database, config, as_json, lambda desk: desk.rotate(id, overlap))

    @keys.command("revoke", help="Have a key hold no longer, from now on.", no_args_is_help=True)
    def revoke(id: KeyId, database: Database = None, config: Config = None, as_json: AsJson = False) -> None:
        _end(database, config, as_json, lambda desk: desk.revoke(id))


def _register_projects(projects: typer.Typer) -> None:
    @projects.command("list", help="List projects by name.")
    def listed(
        after: After = None,
        limit: Limit = 50,
        database: Database = None,
        config: Config = None,
        as_json: AsJson = False,
    ) -> None:
        _end(database, config, as_json, lambda desk: desk.projects(after, limit))

    @projects.command("create", help="Make a project.", no_args_is_help=True)
    def create(
        name: Name,
        settings: Settings = None,
        database: Database = None,
        config: Config = None,
        as_json: AsJson = False,
    ) -> None:
        _end(database, config, as_json, lambda desk: desk.make_project(name, settings), makes=True)

    @projects.command("close", help="Close a project for good. Nothing of it is deleted.", no_args_is_help=True)
    def close(
        name: Name, yes: Yes = False, database: Database = None, config: Config = None, as_json: AsJson = False
    ) -> None:
        _end(database, config, as_json, lambda desk: desk.close_project(name, sure=yes))

    @projects.command("versions", help="List the versions of a project's settings.", no_args_is_help=True)
    def versions(
        name: Name, limit: Limit = 20, database: Database = None, config: Config = None, as_json: AsJson = False
    ) -> None:
        _end(database, config, as_json, lambda desk: desk.versions(name, limit))


def _register_settings(projects: typer.Typer) -> None:
    def settings(**given: Any) -> None:
        options = Shown(**given)
        options.check()
        _end(options.database, options.config, True, lambda desk: desk.settings(options))

    vars(settings)["__signature__"] = inspect.signature(Shown, eval_str=True)
    said = "Show the settings of a project as JSON, or change them and show what holds then."
    projects.command("settings", help=said, no_args_is_help=True)(settings)


def _group(app: typer.Typer, name: str, said: str, epilog: str) -> typer.Typer:
    group = typer.Typer(help=said, epilog=epilog, no_args_is_help=True, rich_markup_mode="rich")
    group.callback()(_nothing)
    app.add_typer(group, name=name)
    return group


def _nothing() -> None:
    """Keep a group a group."""


def _end(
    database: str | None, config: Path | None, as_json: bool, act: Callable[[Desk], None], *, makes: bool = False
) -> NoReturn:
    """Run a command; an error that was foreseen is one line. Only one that `makes` something makes a database."""
    from unabridged.server.administering import administer

    raise typer.Exit(0 if administer(database, config, as_json, act, makes=makes) else 1)

"""The options of the commands for projects and keys. Light: the help needs nothing of the server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_PROJECT = "default"
WHERE = "Where"

Database = Annotated[
    str | None,
    typer.Option(
        metavar="PLACE",
        help="A file, or a postgresql:// URL. Else that of --config, else UNABRIDGED_STORE, else sessions.db in your"
        " data folder.",
        rich_help_panel=WHERE,
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="The server's configuration: its database, and models to choose.", rich_help_panel=WHERE
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="How many at most.")]
After = Annotated[str | None, typer.Option(metavar="ID", help="Go on behind this one, the last of a page.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The project.")]
KeyId = Annotated[str, typer.Argument(metavar="ID", help="The key's id, as `unabridged keys list` gives it.")]
Settings = Annotated[Path | None, typer.Option(metavar="FILE", help="Its settings, in JSON; - reads stdin.")]
Overlap = Annotated[float, typer.Option(min=0, metavar="SECONDS", help="How long the old key holds beside the new.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@dataclass(frozen=True, kw_only=True)
class ListedKeys:
    """The options of `keys list`, one field each."""

    project: Annotated[str, typer.Option(metavar="NAME", help="Keys of this project.")] = DEFAULT_PROJECT
    admin: Annotated[bool, typer.Option("--admin", help="Keys of admins, instead of a project's.")] = False
    owner: Annotated[str | None, typer.Option(metavar="USER", help="Only those of this end user.")] = None
    expired: Annotated[bool, typer.Option("--expired", help="Also keys that are no longer valid.")] = False
    after: After = None
    limit: Limit = 50
    database: Database = None
    config: Config = None
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """The options of `keys create`, one field each."""

    project: Annotated[str, typer.Option(metavar="NAME", help="The project that it is of.")] = DEFAULT_PROJECT
    admin: Annotated[bool, typer.Option("--admin", help="A key of an admin, who may do everything.")] = False
    owner: Annotated[str, typer.Option(metavar="USER", help="A key of this end user alone.")] = ""
    label: Annotated[str, typer.Option(metavar="TEXT", help="What it is for.")] = ""
    days: Annotated[float | None, typer.Option(min=0, metavar="N", help="It expires after so many days.")] = None
    turns_per_minute: Annotated[int | None, typer.Option(min=0, metavar="N", help="Turns that may begin.")] = None
    tokens_per_day: Annotated[int | None, typer.Option(min=0, metavar="N", help="Tokens that may be used.")] = None
    spend_per_day: Annotated[float | None, typer.Option(min=0, metavar="N", help="US dollars.")] = None
    database: Database = None
    config: Config = None
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The options of `projects settings`, one field each."""

    name: Name
    replace: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Put these in their place; what is not said is the default.")
    ] = None
    merge: Annotated[Path | None, typer.Option(metavar="FILE", help="Change what this says; null: the default.")] = None
    restore: Annotated[int | None, typer.Option(min=1, metavar="N", help="Have version N hold again.")] = None
    version: Annotated[int | None, typer.Option(min=1, metavar="N", help="Show version N.")] = None
    seen: Annotated[int | None, typer.Option(min=1, metavar="N", help="Change nothing unless N is in force.")] = None
    database: Database = None
    config: Config = None

    def check(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""
        if sum(each is not None for each in (self.replace, self.merge, self.restore, self.version)) > 1:
            raise typer.BadParameter("--replace, --merge, --restore and --version do different things: choose one")

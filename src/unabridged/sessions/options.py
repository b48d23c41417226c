"""The options of the commands for stored sessions. Light: the help needs nothing of the store."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_PROJECT = "default"
SEE, WHERE = "What to show", "Where"

Place = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="A file, or a postgresql:// URL. Else UNABRIDGED_STORE, else sessions.db in your data folder.",
        rich_help_panel=WHERE,
    ),
]
Project = Annotated[str, typer.Option(metavar="NAME", help="The project.", rich_help_panel=WHERE)]
OneProject = Annotated[str | None, typer.Option(metavar="NAME", help="Only this project.", rich_help_panel=WHERE)]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
SessionId = Annotated[str, typer.Argument(metavar="SESSION", help="Its id, as `unabridged sessions` lists it.")]
Sought = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE... QUERY",
        help="Transcripts of any format that `import` reads, or ids of sessions; last what to look for.",
    ),
]
Query = Annotated[
    list[str] | None, typer.Argument(metavar="QUERY", help="Only what holds these words: titles, messages.")
]
After = Annotated[str | None, typer.Option(metavar="ID", help="Go on behind this session, the last of a page.")]
Dense = Annotated[bool, typer.Option("--dense", help="Search by meaning too; needs the extra `dense`, and longer.")]
Limit = Annotated[int, typer.Option(min=1, metavar="N", help="How many at most.")]
Target = Annotated[str, typer.Argument(metavar="TARGET", help="The other store: a file, or a postgresql:// URL.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="A new file.")]
Mend = Annotated[bool, typer.Option("--mend", help="Make archives that are damaged anew from the log.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]


@dataclass(frozen=True, kw_only=True)
class Show:
    """The options of `show`, one field each."""

    session: SessionId
    step: Annotated[
        int | None,
        typer.Option(metavar="N", help="What the model saw at step N; -1 is the newest.", rich_help_panel=SEE),
    ] = None
    raw: Annotated[
        bool,
        typer.Option(
            "--raw", help="With --step: the JSON texts of the messages as they were sent.", rich_help_panel=SEE
        ),
    ] = False
    why: Annotated[
        str | None,
        typer.Option(metavar="ID", help="What became of a message, by id or number, and why.", rich_help_panel=SEE),
    ] = None
    branch: Annotated[
        str | None, typer.Option(metavar="NAME", help="This branch. Else the newest.", rich_help_panel=SEE)
    ] = None
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="How many steps are listed.", rich_help_panel=SEE)] = 50
    before: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="List steps before this one.", rich_help_panel=SEE)
    ] = None
    store: Place = None
    project: Project = DEFAULT_PROJECT
    as_json: AsJson = False

    def check(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""
        if self.step is not None and self.why is not None:
            raise typer.BadParameter("--step and --why show different things: choose one")
        if self.raw and self.step is None:
            raise typer.BadParameter("--raw prints what was sent at a step: give --step too")
        if self.raw and self.as_json:
            raise typer.BadParameter("--raw prints the request's own JSON: leave out --json")
        if self.step == 0:
            raise typer.BadParameter("steps count from 1; -1 is the newest", param_hint="--step")


@dataclass(frozen=True, kw_only=True)
class Hide:
    """The options of `hide`, one field each."""

    session: SessionId
    messages: Annotated[
        list[str], typer.Argument(metavar="MESSAGE_ID...", help="Ids of messages, as `search --json` gives them.")
    ]
    undo: Annotated[bool, typer.Option("--undo", help="Have them found again.")] = False
    branch: Annotated[str | None, typer.Option(metavar="NAME", help="On this branch. Else the newest.")] = None
    store: Place = None
    project: Project = DEFAULT_PROJECT
    as_json: AsJson = False

"""`unabridged mcp`: what Typer needs to know of it. What it runs is imported then."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = (
    "Serve past conversations over the Model Context Protocol, read-only, on standard input and output.\n\n"
    "Any client that speaks it can then search them: search_history, read_history, list_sessions, context_report. "
    "Serves the sessions of a store, or the transcripts in a folder (--import)."
)
EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged mcp[/cyan]
  [cyan]unabridged mcp --import ~/.codex/sessions[/cyan]
  [cyan]claude mcp add history -- unabridged mcp --import ~/.claude/projects[/cyan]

[dim]Exit code: 0 the client left, 1 there is nothing to serve, 2 options that cannot work.[/dim]
"""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    @app.command("mcp", help=HELP, epilog=EPILOG)
    def mcp(
        imported: Annotated[
            Path | None, typer.Option("--import", metavar="DIR", help="Serve the transcripts in this folder.")
        ] = None,
        store: Annotated[
            str | None,
            typer.Option(
                "--store",
                metavar="PLACE",
                help="A file, or a postgresql:// URL. Else UNABRIDGED_STORE, else sessions.db in your data folder.",
            ),
        ] = None,
        project: Annotated[str, typer.Option(metavar="NAME", help="The project.")] = "default",
    ) -> None:
        if imported is not None and store is not None:
            raise typer.BadParameter("--import and --store name two sources: choose one")
        from unabridged.mcp.run import serve

        raise typer.Exit(serve(imported, store, project))

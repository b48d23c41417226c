"""`unabridged import` and `unabridged export`: what Typer needs to know of them. What they run is imported then."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, NoReturn

import typer

from unabridged.transfer.options import (
    DEFAULT_PROJECT,
    FORMATS,
    AsJson,
    Conversation,
    Export,
    Files,
    Into,
    Out,
    Project,
    check_project,
)

IMPORT_HELP = (
    "Make logs of this library out of other tools' transcripts, or sessions of a store (--into).\n\n"
    "What a file is, is told by its content. Each conversation becomes a log or a session of its own; nothing is "
    "repaired, and what cannot be read is named with its line. A log goes into a store as it is: branches, "
    "checkpoints, digests."
)
IMPORT_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged import session.jsonl[/cyan]   [dim]writes session.unabridged.jsonl[/dim]
  [cyan]unabridged import session.jsonl -o talk.jsonl[/cyan]
  [cyan]unabridged import ~/.codex/sessions/**/*.jsonl -o logs[/cyan]
  [cyan]unabridged import session.jsonl --into default[/cyan]   [dim]then: unabridged sessions[/dim]

[dim]Exit code: 0 all imported, 1 a file was not, 2 options that cannot work.[/dim]
"""
EXPORT_HELP = (
    "Write conversations as files that other tools load again.\n\n"
    "Takes every file that `import` takes, or ids of stored sessions (--from). A message that came from the format "
    "goes back in the form that it had; what the format cannot say is counted."
)
EXPORT_EPILOG = "\n".join(
    [
        "[bold]Formats[/bold]",
        *(f"  [cyan]{name:16}[/cyan] [dim]{about}[/dim]" for name, about in FORMATS.items()),
        "",
        "[bold]Examples[/bold]",
        "  [cyan]unabridged export talk.jsonl --to codex[/cyan]   [dim]-o - writes to the terminal[/dim]",
        "  [cyan]unabridged export 4f0c --from default --to log[/cyan]   [dim]all of a session[/dim]",
        "",
        "[dim]Exit code: 0 all exported, 1 a file was not, 2 options that cannot work.[/dim]",
    ]
)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("import", help=IMPORT_HELP, epilog=IMPORT_EPILOG, no_args_is_help=True)
    def import_(
        files: Files,
        out: Out = None,
        into: Into = None,
        project: Project = None,
        conversation: Conversation = None,
        as_json: AsJson = False,
    ) -> None:
        if out == "-":
            raise typer.BadParameter("a log is a file that grows: name one, or a folder", param_hint="-o")
        if out is not None and into is not None:
            raise typer.BadParameter("-o and --into name two places: choose one")
        check_project(project, into, "--into")
        if into is None:
            _run(files, "log", out, conversation, as_json)
        from unabridged.transfer.into_store import IntoStore

        failed = IntoStore(into, project or DEFAULT_PROJECT, conversation=conversation, as_json=as_json).all(files)
        raise typer.Exit(1 if failed else 0)

    def export(**given: Any) -> None:
        options = Export(**given)
        options.check()
        if options.source is None:
            _run(
                [Path(file) for file in options.sources], options.to, options.out, options.conversation, options.as_json
            )
        from unabridged.transfer.from_store import FromStore

        failed = FromStore(options).all()
        raise typer.Exit(1 if failed else 0)

    # A command has more options than a function may have parameters, so they are the fields of a class.
    vars(export)["__signature__"] = inspect.signature(Export, eval_str=True)
    app.command("export", help=EXPORT_HELP, epilog=EXPORT_EPILOG, no_args_is_help=True)(export)


def _run(files: list[Path], to: str, out: str | None, conversation: str | None, as_json: bool) -> NoReturn:
    from unabridged.transfer.run import Transfer

    failed = Transfer(to, out, conversation=conversation, as_json=as_json).all(files)
    raise typer.Exit(1 if failed else 0)

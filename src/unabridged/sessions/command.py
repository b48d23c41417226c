"""The commands for stored sessions: what Typer needs to know of them. What they run is imported then."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, NoReturn

import typer

from unabridged.sessions.options import (
    DEFAULT_PROJECT,
    After,
    AsJson,
    Dense,
    File,
    Hide,
    Limit,
    Mend,
    OneProject,
    Place,
    Project,
    Query,
    SessionId,
    Show,
    Sought,
    Target,
    Yes,
)

SESSIONS_HELP = (
    "List the sessions of a store, the newest first, or search them.\n\n"
    "With words, shows what holds all of them: titles first, then messages. The last word may be the beginning of one."
)
SESSIONS_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged sessions[/cyan]
  [cyan]unabridged sessions "failing test" --limit 5[/cyan]
  [cyan]unabridged sessions --store postgresql://host/agents --project web --json[/cyan]

[dim]Exit code: 0 done, 1 the store cannot be read, 2 options that cannot work.[/dim]
"""
SHOW_HELP = (
    "Show a stored session: its branches and steps, or what the model saw at any of them.\n\n"
    "A step is one request. It is made again from the log as it was then, byte for byte; what was shortened stands "
    "beside what is stored."
)
SHOW_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged show 4f0c[/cyan]                     [dim]steps, tokens, fits[/dim]
  [cyan]unabridged show 4f0c --step 40[/cyan]           [dim]one whole request[/dim]
  [cyan]unabridged show 4f0c --step -1 --raw[/cyan]     [dim]its messages as they were sent[/dim]
  [cyan]unabridged show 4f0c --why 17[/cyan]            [dim]one message's fate[/dim]

[dim]Exit code: 0 shown, 1 it is not there, 2 options that cannot work.[/dim]
"""
SEARCH_HELP = (
    "Search what was said in transcripts and stored sessions, the best first, each where it stands.\n\n"
    "Words need not stand in the same form, and not all of them: those that are rare count most. Names of programs are "
    "found however they are joined (read_file, readFile), files by name and by path."
)
SEARCH_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged search session.jsonl "why did the login test fail?"[/cyan]
  [cyan]unabridged search *.jsonl read_file --limit 3[/cyan]
  [cyan]unabridged search 4f0c "the password rule" --json[/cyan]

[dim]Exit code: 0 done, 1 a source cannot be read, 2 options that cannot work.[/dim]
"""
HIDE_HELP = (
    "Have no search find a message, or have it found again.\n\n"
    "It stays in the log, in exports, and in what the model sees of it already. It holds for the branch, and for those "
    "that are made of it from now on."
)
HIDE_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged hide 4f0c m-17[/cyan]
  [cyan]unabridged hide 4f0c m-17 m-18 --undo[/cyan]
  [cyan]unabridged show 4f0c[/cyan]                     [dim]lists what is hidden[/dim]

[dim]Exit code: 0 done, 1 not done, 2 options that cannot work.[/dim]
"""
DOCTOR_HELP = (
    "Look whether a store is whole: every entry, every digest, every picture, every archive, the database itself.\n\n"
    "Changes nothing. What is damaged is named with its place and what to do. Archives are made from the log, and "
    "--mend makes those that are damaged anew; nothing else is touched."
)
DOCTOR_EPILOG = "[dim]Exit code: 0 whole, or mended; 1 damaged or not readable; 2 options that cannot work.[/dim]"
BACKUP_HELP = (
    "Copy a whole store into a new file of SQLite, while others go on writing.\n\n"
    "The file is there once all of it is written. Only its owner may read it."
)
MOVE_HELP = (
    "Copy sessions into another store, and work out their digests again from what arrived.\n\n"
    "Nothing is taken away. What was stopped half-way goes on where it was; what is there already is only checked."
)
MOVE_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged move postgresql://user@host/agents[/cyan]
  [cyan]unabridged move copy.db --store postgresql://host/agents --project web[/cyan]

[dim]Exit code: 0 all are there, 1 a session is not, 2 options that cannot work.[/dim]
"""
ERASE_HELP = (
    "Erase a session for good: messages, reports, pictures, what was found in it.\n\n"
    "The one command that deletes anything. Asks first."
)
EXITS = "[dim]Exit code: 0 done, 1 not done, 2 options that cannot work.[/dim]"


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("sessions", help=SESSIONS_HELP, epilog=SESSIONS_EPILOG)
    def sessions(
        query: Query = None,
        after: After = None,
        limit: Limit = 20,
        store: Place = None,
        project: Project = DEFAULT_PROJECT,
        as_json: AsJson = False,
    ) -> None:
        if query and after is not None:
            raise typer.BadParameter(
                "--after pages through the list: what is found comes best first", param_hint="--after"
            )
        from unabridged.sessions.listing import Listing

        listing = Listing(store, project, as_json=as_json)
        _end(lambda: listing.found(" ".join(query), limit) if query else listing.page(after, limit))

    def show(**given: Any) -> None:
        options = Show(**given)
        options.check()
        from unabridged.sessions.showing import show as shown

        _end(lambda: shown(options))

    # A command has more options than a function may have parameters, so they are the fields of a class.
    vars(show)["__signature__"] = inspect.signature(Show, eval_str=True)
    app.command("show", help=SHOW_HELP, epilog=SHOW_EPILOG, no_args_is_help=True)(show)
    _register_search(app)
    _register_hide(app)
    _register_upkeep(app)


def _register_search(app: typer.Typer) -> None:
    @app.command("search", help=SEARCH_HELP, epilog=SEARCH_EPILOG, no_args_is_help=True)
    def search(
        sought: Sought,
        limit: Limit = 10,
        store: Place = None,
        project: Project = DEFAULT_PROJECT,
        dense: Dense = False,
        as_json: AsJson = False,
    ) -> None:
        if len(sought) < 2:
            raise typer.BadParameter("give a file or a session first, and what to look for last", param_hint="QUERY")
        from unabridged.sessions.searching import Searching

        searching = Searching(store, project, dense=dense, as_json=as_json)
        _end(lambda: searching.found(sought[:-1], sought[-1], limit))


def _register_hide(app: typer.Typer) -> None:
    def hide(**given: Any) -> None:
        from unabridged.sessions.hiding import hide as hidden

        _end(lambda: hidden(Hide(**given)))

    vars(hide)["__signature__"] = inspect.signature(Hide, eval_str=True)
    app.command("hide", help=HIDE_HELP, epilog=HIDE_EPILOG, no_args_is_help=True)(hide)


def _register_upkeep(app: typer.Typer) -> None:
    @app.command("doctor", help=DOCTOR_HELP, epilog=DOCTOR_EPILOG)
    def doctor(mend: Mend = False, store: Place = None, project: OneProject = None, as_json: AsJson = False) -> None:
        from unabridged.sessions.health import doctor as examined

        _end(lambda: examined(store, project, mend=mend, as_json=as_json))

    @app.command("backup", help=BACKUP_HELP, epilog=EXITS, no_args_is_help=True)
    def backup(file: File, store: Place = None, as_json: AsJson = False) -> None:
        from unabridged.sessions.upkeep import Upkeep

        _end(lambda: Upkeep(store, as_json=as_json).backup(file))

    @app.command("move", help=MOVE_HELP, epilog=MOVE_EPILOG, no_args_is_help=True)
    def move(target: Target, store: Place = None, project: OneProject = None, as_json: AsJson = False) -> None:
        from unabridged.sessions.upkeep import Upkeep

        _end(lambda: Upkeep(store, as_json=as_json).move(target, project))

    @app.command("erase", help=ERASE_HELP, epilog=EXITS, no_args_is_help=True)
    def erase(
        session: SessionId,
        yes: Yes = False,
        store: Place = None,
        project: Project = DEFAULT_PROJECT,
        as_json: AsJson = False,
    ) -> None:
        from unabridged.sessions.upkeep import Upkeep

        _end(lambda: Upkeep(store, as_json=as_json).erase(session, project, sure=yes))


def _end(act: Callable[[], bool]) -> NoReturn:
    """Run a command, which says whether all is well; an error that was foreseen is one line."""
    from unabridged.sessions.speaking import in_one_line

    raise typer.Exit(0 if in_one_line(act) else 1)

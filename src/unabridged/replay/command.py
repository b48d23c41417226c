"""`unabridged replay`: what Typer needs to know of it. The engine is imported when it runs."""

from __future__ import annotations

import inspect

import typer

from unabridged.errors import BadSetting
from unabridged.replay.options import Options

HELP = """Show what a model with a given window would have been sent at every call of a recorded conversation.

No model is asked and no key is needed: each recorded call is fitted anew.
Prints a table of the fits, totals with what it costs, and a picture.
"""

EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged replay session.jsonl --window 32k[/cyan]            [dim]table and picture[/dim]
  [cyan]unabridged replay session.jsonl --window 32k --step 40[/cyan]  [dim]one whole request[/dim]
  [cyan]unabridged replay session.jsonl --window 32k --why 17[/cyan]   [dim]one message's fate[/dim]
  [cyan]unabridged replay session.jsonl --html replay.html[/cyan]      [dim]all of it, as a page[/dim]
  [cyan]unabridged replay session.jsonl --compare[/cyan]               [dim]policies in a table[/dim]
  [cyan]unabridged replay session.jsonl --sweep --model gpt-5[/cyan]   [dim]the cheapest policy[/dim]
  [cyan]unabridged replay *.jsonl.gz --json --payloads[/cyan]          [dim]for your own checks[/dim]

[dim]Exit code: 0 all replayed, 1 a file was not, 2 options that cannot work.[/dim]
"""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    def replay(**given: object) -> None:
        options = Options(**given)  # type: ignore[arg-type]  # Typer has converted them by the signature below
        options.check()
        from unabridged.replay.run import run

        try:
            failed = run(options)
        except BadSetting as error:
            raise typer.BadParameter(str(error)) from None
        raise typer.Exit(1 if failed else 0)

    # A command has more options than a function may have parameters, so they are the fields of a class.
    vars(replay)["__signature__"] = inspect.signature(Options, eval_str=True)
    app.command("replay", help=HELP, epilog=EPILOG, no_args_is_help=True)(replay)

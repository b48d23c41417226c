"""`unabridged agent`: what Typer needs to know of it. What it runs is imported then."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperCommand

from unabridged.agent.options import PICK, Options

HELP = (
    "A coding agent for the terminal, whose sessions outlive the model's window.\n\n"
    "Works in this folder: reads, edits, runs commands, as far as you allow. The session is kept whole; what the model "
    "sees of it is bounded, and can be looked at (/context) and undone (/uncompact, /rewind). With --print it needs no "
    "terminal."
)
EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged agent[/cyan]
  [cyan]unabridged agent "fix the failing test" --mode accept-edits[/cyan]
  [cyan]unabridged agent --continue[/cyan]                      [dim]go on where you stopped[/dim]
  [cyan]unabridged agent -m qwen3 --base-url http://localhost:8000/v1[/cyan]
  [cyan]git diff | unabridged agent -p "review this" --json[/cyan]

[dim]Exit code: 0 completed, 1 failed, 2 options that cannot work, 3 completed but not verified,
4 a limit was reached (steps, tokens, a loop), 130 interrupted.[/dim]
"""
_ID = re.compile(r"[0-9a-f]{4,32}")


class AgentCommand(TyperCommand):
    """Takes `--resume` with an id or without."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Say of a bare `--resume` that it is one. Help that comes first is given before Typer converts anything.

        Its converters bring pydantic, which takes longer than all the rest of the help.
        """
        if args[:1] in (["--help"], ["-h"]):
            typer.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()
        return super().parse_args(ctx, _resumed(args))


def _resumed(args: Sequence[str]) -> list[str]:
    given = list(args)
    if "--resume" in given:
        place = given.index("--resume")
        follows = given[place + 1] if place + 1 < len(given) else "-"
        if not _ID.fullmatch(follows):
            given[place] = f"--resume={PICK}"
    return given


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    def agent(**given: Any) -> None:
        options = Options(**given)
        options.check()
        from unabridged.agent.start import start

        raise typer.Exit(start(options))

    # A command has more options than a function may have parameters, so they are the fields of a class.
    vars(agent)["__signature__"] = inspect.signature(Options, eval_str=True)
    app.command("agent", cls=AgentCommand, help=HELP, epilog=EPILOG)(agent)

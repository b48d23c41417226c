"""The command line. Every command registers itself from a light module; what it runs is imported when it runs."""

import sys
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import typer

HELP = """Keeps conversations with language models alive past the context window, and never loses a word of them.

The transcript stays whole. What the model sees is bounded.
"""
NEEDED = ("typer", "rich")
"""What the extra `cli` brings."""


def main() -> None:
    """Run the command line."""
    try:
        app = application(only=sys.argv[1] if len(sys.argv) > 1 else None)
    except ModuleNotFoundError as missing:
        if missing.name not in NEEDED:
            raise
        sys.exit("The command line needs the extra `cli`: pip install 'unabridged[cli]'")
    app(prog_name="unabridged")


def application(only: str | None = None) -> "typer.Typer":
    """Give the command line as a Typer app. A new command is one more line here.

    Where the command that is `only` asked for is the agent, no other is made ready: a prompt has to be there at once.
    """
    from unabridged.agent import command as agent

    if only == "agent":
        return _grouped([agent.register], add_help_option=False)
    from unabridged.catalog import command as catalog
    from unabridged.mcp import command as mcp
    from unabridged.replay import command as replay
    from unabridged.server import command as server
    from unabridged.server import commands as administration
    from unabridged.sessions import command as sessions
    from unabridged.transfer import command as transfer

    return _made(
        [
            replay.register,
            transfer.register,
            sessions.register,
            catalog.register,
            mcp.register,
            agent.register,
            server.register,
            administration.register,
        ]
    )


def _made(commands: "Sequence[Callable[[typer.Typer], None]]") -> "typer.Typer":
    import typer

    app = _grouped(commands)

    def say_version(wanted: bool) -> None:
        if wanted:
            from unabridged import __version__

            typer.echo(f"unabridged {__version__}")
            raise typer.Exit

    @app.callback()
    def options(
        version: Annotated[
            bool, typer.Option("--version", is_eager=True, callback=say_version, help="Print the version and leave.")
        ] = False,
    ) -> None:
        del version  # has been said

    return app


def _grouped(commands: "Sequence[Callable[[typer.Typer], None]]", *, add_help_option: bool = True) -> "typer.Typer":
    """Give an app of commands that has no option of its own yet."""
    import typer

    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        add_help_option=add_help_option,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_nothing)
    for register in commands:
        register(app)
    return app


def _nothing() -> None:
    """Keep `agent` a command of a group, where it is the only one."""

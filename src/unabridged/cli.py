"""The command line. Every command registers itself from a light module; what it runs is imported when it runs."""

import sys
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    import typer

HELP = """Keeps conversations with language models alive past the context window, and never loses a word of them.

The transcript stays whole. What the model sees is bounded.
"""
NEEDED = ("typer", "rich")
"""What the extra `cli` brings."""


def main() -> None:
    """Run the command line."""
    try:
        app = application()
    except ModuleNotFoundError as missing:
        if missing.name not in NEEDED:
            raise
        sys.exit("The command line needs the extra `cli`: pip install 'unabridged[cli]'")
    app(prog_name="unabridged")


def application() -> "typer.Typer":
    """Give the command line as a Typer app. A new command is one more line here."""
    import typer

    from unabridged.catalog import command as catalog
    from unabridged.mcp import command as mcp
    from unabridged.replay import command as replay
    from unabridged.sessions import command as sessions
    from unabridged.transfer import command as transfer

    app = typer.Typer(
        help=HELP,
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )

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

    replay.register(app)
    transfer.register(app)
    sessions.register(app)
    catalog.register(app)
    mcp.register(app)
    return app

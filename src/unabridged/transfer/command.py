"""`unabridged import` and `unabridged export`: what Typer needs to know of them. What they run is imported then."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMATS = {
    "log": "the documented JSON Lines of this library",
    "openai": "a request of OpenAI's Chat Completions",
    "openai-responses": "a request of OpenAI's Responses",
    "anthropic": "a request of Anthropic's Messages",
    "gemini": "a request of Gemini's generateContent",
    "claude-code": "a session for `claude --resume`",
    "codex": "a rollout for `codex resume`",
    "gemini-cli": "a session for `gemini --resume`",
    "pi": "a session for `pi --session`",
    "sharegpt": "training data for LLaMA-Factory, Axolotl and others",
    "aider": "a chat history for `aider --restore-chat-history`",
}
"""What `--to` takes. Written down here too, so that the help needs nothing of the exporters."""

IMPORT_HELP = (
    "Make logs of this library out of other tools' transcripts.\n\n"
    "What a file is, is told by its content. Each conversation becomes a log of its own; nothing is repaired, "
    "and what cannot be read is named with its line."
)
IMPORT_EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged import session.jsonl[/cyan]   [dim]writes session.unabridged.jsonl[/dim]
  [cyan]unabridged import session.jsonl -o talk.jsonl[/cyan]
  [cyan]unabridged import ~/.codex/sessions/**/*.jsonl -o logs[/cyan]

[dim]Exit code: 0 all imported, 1 a file was not, 2 options that cannot work.[/dim]
"""
EXPORT_HELP = (
    "Write conversations as files that other tools load again.\n\n"
    "Takes every file that `import` takes. A message that came from the format goes back in the form that it had; "
    "what the format cannot say is counted."
)
EXPORT_EPILOG = "\n".join(
    [
        "[bold]Formats[/bold]",
        *(f"  [cyan]{name:16}[/cyan] [dim]{about}[/dim]" for name, about in FORMATS.items()),
        "",
        "[bold]Example[/bold]",
        "  [cyan]unabridged export talk.jsonl --to codex[/cyan]   [dim]-o - writes to the terminal[/dim]",
        "",
        "[dim]Exit code: 0 all exported, 1 a file was not, 2 options that cannot work.[/dim]",
    ]
)

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Transcripts of any kind that can be read; gzipped too.")
]
Out = Annotated[
    str | None,
    typer.Option(
        "-o", "--out", metavar="PATH", help="The file, or the folder where there are several. Else into this folder."
    ),
]
Conversation = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only this conversation of a file that holds several.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each file that was written.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""

    @app.command("import", help=IMPORT_HELP, epilog=IMPORT_EPILOG, no_args_is_help=True)
    def import_(files: Files, out: Out = None, conversation: Conversation = None, as_json: AsJson = False) -> None:
        if out == "-":
            raise typer.BadParameter("a log is a file that grows: name one, or a folder", param_hint="-o")
        _run(files, "log", out, conversation, as_json)

    @app.command("export", help=EXPORT_HELP, epilog=EXPORT_EPILOG, no_args_is_help=True)
    def export(
        files: Files,
        to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Which format: see below.")],
        out: Out = None,
        conversation: Conversation = None,
        as_json: AsJson = False,
    ) -> None:
        if to not in FORMATS:
            raise typer.BadParameter(f"{to!r} is none of {', '.join(FORMATS)}", param_hint="--to")
        if out == "-" and (to == "log" or as_json):
            raise typer.BadParameter("it goes into a file: name one, or a folder", param_hint="-o")
        _run(files, to, out, conversation, as_json)


def _run(files: list[Path], to: str, out: str | None, conversation: str | None, as_json: bool) -> None:
    from unabridged.transfer.run import Transfer

    failed = Transfer(to, out, conversation=conversation, as_json=as_json).all(files)
    raise typer.Exit(1 if failed else 0)

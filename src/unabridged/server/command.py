"""`unabridged serve`: what Typer needs to know of it. What it runs is imported then."""

from __future__ import annotations

import inspect
from typing import Any

import typer

from unabridged.server.options import Options

NEEDED = ("fastapi", "starlette", "uvicorn", "prometheus_client", "pydantic")
"""What the extra `server` brings."""
HELP = (
    "Serve conversations that outgrow no window, over HTTP.\n\n"
    "Sessions, turns and settings are in one database: a file, or PostgreSQL for many processes and machines. On an "
    "empty one the first keys are made, and shown once. Answers come as event streams; a turn goes on when its client "
    "leaves, and when its process dies.\n\n"
    "SIGTERM or Ctrl-C lets running turns end (grace_s, 30 seconds), a second one hands them over at once."
)
EPILOG = """[bold]Examples[/bold]
  [cyan]unabridged serve[/cyan]                                    [dim]the model that there is a key for[/dim]
  [cyan]unabridged serve -m claude-sonnet-4-6 -m gpt-5.5[/cyan]    [dim]the first is the default[/dim]
  [cyan]unabridged serve -m qwen3@http://localhost:8000/v1[/cyan]  [dim]a server of your own[/dim]
  [cyan]unabridged serve --config server.toml --workers 4[/cyan]
  [cyan]unabridged serve --database postgresql://user@host/chat --host 0.0.0.0 --log-json[/cyan]

[bold]Configuration[/bold] (all of it is optional)
  database = "postgresql://user@host/chat"
  host = "0.0.0.0"
  cors = ["https://app.example.com"]
  \\[models.fast]
  model = "qwen3"
  base_url = "http://gpu-1:8000/v1"
  api_key_env = "GPU_KEY"
  window = 32000

[bold]Environment[/bold]
  ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY, ...   [dim]keys of providers[/dim]
  UNABRIDGED_MODEL, UNABRIDGED_STORE                       [dim]where no option names one[/dim]
  UNABRIDGED_ADMIN_KEY                                     [dim]a key of an admin, of your own[/dim]

[dim]Exit code: 0 ended as asked, 1 cannot serve (port, database), 2 options that cannot work,
130 or 143 ended by a second signal.[/dim]
"""


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""

    def serve(**given: Any) -> None:
        options = Options(**given)
        try:
            from unabridged.server.starting import start
        except ModuleNotFoundError as missing:
            if (missing.name or "").partition(".")[0] not in NEEDED:
                raise
            typer.echo("The chat server needs the extra `server`: pip install 'unabridged[server]'", err=True)
            raise typer.Exit(1) from None
        raise typer.Exit(start(options))

    # A command has more options than a function may have parameters, so they are the fields of a class.
    vars(serve)["__signature__"] = inspect.signature(Options, eval_str=True)
    app.command("serve", help=HELP, epilog=EPILOG)(serve)

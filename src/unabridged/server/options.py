"""The options of `unabridged serve`. Light: the help needs nothing of the server."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

WHERE, MODELS, LOGS = "Where", "Models", "Logs"


@dataclass(frozen=True, kw_only=True)
class Options:
    """One field each. None: as the configuration says."""

    config: Annotated[
        Path | None,
        typer.Option("--config", "-c", metavar="FILE", help="TOML; options beside it come first.", show_default=False),
    ] = None
    database: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="A file, or postgresql://... Else UNABRIDGED_STORE, else a file in your data folder.",
            rich_help_panel=WHERE,
        ),
    ] = None
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folders in which commands run. Else in your data folder.", rich_help_panel=WHERE
        ),
    ] = None
    host: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Else 127.0.0.1: this machine alone.", rich_help_panel=WHERE),
    ] = None
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65_535, metavar="PORT", help="Else 8484. 0 takes a free one.", rich_help_panel=WHERE),
    ] = None
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=256,
            metavar="N",
            help="Processes on one database; else 1.",
            rich_help_panel=WHERE,
        ),
    ] = None
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME[@URL]",
            help="A model, by its name, with @http://host:port/v1 for a server of your own; the first one is the"
            " default. Again for more. Else those of FILE, else as `unabridged models` says.",
            rich_help_panel=MODELS,
            show_default=False,
        ),
    ] = None
    log_json: Annotated[bool, typer.Option("--log-json", help="One JSON object a line.", rich_help_panel=LOGS)] = False
    log_level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="debug, info, warning or error; else info. Only debug may show what users wrote.",
            rich_help_panel=LOGS,
        ),
    ] = None

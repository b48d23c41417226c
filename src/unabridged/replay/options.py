"""The options of `unabridged replay`. Light: the help needs nothing of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from unabridged.replay.sizes import tokens_from


def _tokens(given: str | int) -> int:
    try:
        return tokens_from(str(given))  # Typer passes the default through here too
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


@dataclass(frozen=True, kw_only=True)
class Options:
    """One field for each option; `check` refuses what does not go together."""

    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="Claude Code sessions; OpenAI or Anthropic messages or requests; gzipped too."
        ),
    ]
    window: Annotated[
        int,
        typer.Option(
            parser=_tokens, metavar="TOKENS", show_default=False, help="The model's window: 32k, 1M. Else 128k."
        ),
    ] = 128_000
    strategy: Annotated[str, typer.Option(metavar="NAME", help="trim, or none to change nothing.")] = "trim"
    target: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Where a fit lands between what must stay and the budget. Else 0.7."),
    ] = None
    conversation: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this conversation of a file that holds several.")
    ] = None
    step: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Show exactly what the model would have seen at call N.")
    ] = None
    why: Annotated[
        str | None, typer.Option(metavar="ID", help="Say what became of a message, by id or number, and why.")
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each model call.")] = False
    payloads: Annotated[bool, typer.Option("--payloads", help="With --json: the exact request body too.")] = False

    def check(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""
        if self.payloads and not self.as_json:
            raise typer.BadParameter("--payloads is part of the JSON output: give --json too")
        if self.as_json and (self.step is not None or self.why is not None):
            raise typer.BadParameter("--json shows every call: leave out --step and --why")

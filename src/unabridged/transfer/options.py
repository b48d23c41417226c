"""The options of `unabridged import` and `unabridged export`. Light: the help needs nothing of the exporters."""

from __future__ import annotations

from dataclasses import dataclass
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

DEFAULT_PROJECT = "default"

Files = Annotated[
    list[Path], typer.Argument(metavar="FILE", help="Transcripts of any kind that can be read; gzipped too.")
]
Out = Annotated[
    str | None,
    typer.Option(
        "-o", "--out", metavar="PATH", help="The file, or the folder where there are several. Else into this folder."
    ),
]
Sources = Annotated[
    list[str],
    typer.Argument(metavar="FILE|SESSION", help="Transcripts of any kind that can be read; with --from ids."),
]
Conversation = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Only this conversation of a file that holds several; of a session, a branch."),
]
Into = Annotated[
    str | None,
    typer.Option("--into", metavar="STORE", help="Into this store: a file, a postgresql:// URL, or `default`."),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="STORE", help="Out of this store: a file, a postgresql:// URL, or `default`."),
]
Project = Annotated[
    str | None, typer.Option(metavar="NAME", help="The project of the store that is meant. Else `default`.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object a line for each file that was written.")]


def check_project(project: str | None, place: str | None, option: str) -> None:
    """Raise `typer.BadParameter` for a project where no store is named."""
    if project is not None and place is None:
        raise typer.BadParameter(f"a project is part of a store: name that with {option}", param_hint="--project")


@dataclass(frozen=True, kw_only=True)
class Export:
    """One field for each option of `export`."""

    sources: Sources
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Which format: see below.")]
    out: Out = None
    source: From = None
    project: Project = None
    conversation: Conversation = None
    as_json: AsJson = False

    def check(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""
        if self.to not in FORMATS:
            raise typer.BadParameter(f"{self.to!r} is none of {', '.join(FORMATS)}", param_hint="--to")
        if self.out == "-" and (self.to == "log" or self.as_json):
            raise typer.BadParameter("it goes into a file: name one, or a folder", param_hint="-o")
        check_project(self.project, self.source, "--from")

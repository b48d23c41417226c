"""The options of `unabridged agent`. Light: the help needs nothing of the agent."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

MODEL, SESSION, ALLOWED, CONTEXT, OUT = "Model", "Session", "What it may do", "Context", "Without a terminal"
MODES = ("plan", "ask", "accept-edits", "auto")
SANDBOXES = ("auto", "bubblewrap", "landlock", "dangerously-none")
STRATEGIES = ("summarize", "trim")
MEMORIES = ("session", "project", "off")
PICK = ""
"""`--resume` without an id."""


def _one_of(*names: str) -> Any:
    def check(given: str | None) -> str | None:
        if given is not None and given not in names:
            raise typer.BadParameter(f"{given!r}: use one of {', '.join(names)}")
        return given

    return check


@dataclass(frozen=True, kw_only=True)
class Options:
    """One field each."""

    prompt: Annotated[
        list[str] | None,
        typer.Argument(metavar="PROMPT", help="What is to be done first. Piped input is added to it."),
    ] = None
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="NAME", help="Else as `unabridged models` says.", rich_help_panel=MODEL),
    ] = None
    provider: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="anthropic, openai, gemini or openai_chat, where the name does not tell.",
            rich_help_panel=MODEL,
        ),
    ] = None
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", help="A server of your own.", rich_help_panel=MODEL),
    ] = None
    window: Annotated[
        int | None,
        typer.Option(min=1, metavar="TOKENS", help="The model's window, if you know better.", rich_help_panel=MODEL),
    ] = None
    goes_on: Annotated[
        bool,
        typer.Option(
            "--continue",
            "-c",
            help="Go on with this folder's newest session.",
            rich_help_panel=SESSION,
        ),
    ] = False
    resume: Annotated[
        str | None,
        typer.Option(metavar="[ID]", help="Open a session: by its id, or from a list.", rich_help_panel=SESSION),
    ] = None
    cwd: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The folder to work in. Else this one.", rich_help_panel=SESSION)
    ] = None
    store: Annotated[
        str | None,
        typer.Option(
            metavar="PLACE",
            help="Where sessions are kept. Else UNABRIDGED_STORE, else your data folder.",
            rich_help_panel=SESSION,
        ),
    ] = None
    settings: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Else agent.toml in your settings folder.", rich_help_panel=SESSION),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help=f"{', '.join(MODES)}.", callback=_one_of(*MODES), rich_help_panel=ALLOWED),
    ] = None
    add_dir: Annotated[
        list[Path] | None,
        typer.Option("--add-dir", metavar="DIR", help="One more folder to work in.", rich_help_panel=ALLOWED),
    ] = None
    allow: Annotated[
        list[str] | None,
        typer.Option(
            "--allow", metavar="RULE", help="Runs unasked, such as 'shell(npm test *)'.", rich_help_panel=ALLOWED
        ),
    ] = None
    deny: Annotated[
        list[str] | None,
        typer.Option("--deny", metavar="RULE", help="Never runs, such as 'read(secrets/**)'.", rich_help_panel=ALLOWED),
    ] = None
    web: Annotated[
        bool | None, typer.Option("--web", help="Offer a tool that reads pages.", rich_help_panel=ALLOWED)
    ] = None
    network: Annotated[
        bool | None,
        typer.Option("--network", help="Let commands reach the network.", rich_help_panel=ALLOWED),
    ] = None
    sandbox: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help=f"{', '.join(SANDBOXES)}.", callback=_one_of(*SANDBOXES), rich_help_panel=ALLOWED
        ),
    ] = None
    strategy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="summarize or trim what outgrows the budget.",
            callback=_one_of(*STRATEGIES),
            rich_help_panel=CONTEXT,
        ),
    ] = None
    threshold: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Of the window, for input. Else 0.8.", rich_help_panel=CONTEXT),
    ] = None
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="KIND", help=f"{', '.join(MEMORIES)}.", callback=_one_of(*MEMORIES), rich_help_panel=CONTEXT
        ),
    ] = None
    max_steps: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Of one turn. Else 500.", rich_help_panel=CONTEXT)
    ] = None
    token_budget: Annotated[
        int | None,
        typer.Option(min=1, metavar="TOKENS", help="Input and output of one turn.", rich_help_panel=CONTEXT),
    ] = None
    no_gate: Annotated[
        bool,
        typer.Option("--no-gate", help="Do not remind of checks that were asked for.", rich_help_panel=CONTEXT),
    ] = False
    text: Annotated[
        str | None,
        typer.Option("--print", "-p", metavar="TEXT", help="Do this, print the answer, leave.", rich_help_panel=OUT),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Print one object at the end.", rich_help_panel=OUT)] = False
    streams: Annotated[
        bool, typer.Option("--stream-json", help="Print an object for each event.", rich_help_panel=OUT)
    ] = False

    def check(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""
        if self.as_json and self.streams:
            raise typer.BadParameter("--json and --stream-json print in two ways: choose one")
        if self.goes_on and self.resume is not None:
            raise typer.BadParameter("--continue takes the newest session, --resume another: choose one")
        if self.text is not None and self.prompt:
            raise typer.BadParameter("--print and PROMPT are both what is to be done: choose one")

    def given(self) -> dict[str, object]:
        """Give the settings among them; None is what was not given."""
        return {
            "model": self.model,
            "provider": self.provider,
            "base_url": self.base_url,
            "window": self.window,
            "mode": self.mode,
            "add_dirs": tuple(map(str, self.add_dir)) if self.add_dir else None,
            "allow": tuple(self.allow) if self.allow else None,
            "deny": tuple(self.deny) if self.deny else None,
            "web": self.web or None,
            "network": self.network or None,
            "sandbox": self.sandbox,
            "strategy": self.strategy,
            "threshold": self.threshold,
            "memory": self.memory,
            "max_steps": self.max_steps,
            "token_budget": self.token_budget,
            "gate": False if self.no_gate else None,
        }

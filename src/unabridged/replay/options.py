"""The options of `unabridged replay`. Light: the help needs nothing of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from unabridged.replay.sizes import tokens_from

SEE, POLICY, FORM = "What to show", "Policy", "Form"


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
        typer.Argument(metavar="FILE", help="Transcripts of any kind that `import` reads; gzipped too."),
    ]
    window: Annotated[
        int | None,
        typer.Option(parser=_tokens, metavar="TOKENS", help="The window: 32k, 1M. Else that of --model, or 128k."),
    ] = None
    model: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Take window and prices of this model. Else prices of the recorded one."),
    ] = None
    strategy: Annotated[
        str,
        typer.Option(metavar="NAME", help="trim, summarize, or none to change nothing.", rich_help_panel=POLICY),
    ] = "trim"
    order: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What goes first: tool_output_first (default), oldest_first, largest_first.",
            rich_help_panel=POLICY,
        ),
    ] = None
    target: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Where a fit lands between what must stay and the budget. Else 0.7.",
            rich_help_panel=POLICY,
        ),
    ] = None
    min_reclaim: Annotated[
        int | None,
        typer.Option(
            parser=_tokens, metavar="TOKENS", help="A fit frees at least as much. Else 0.", rich_help_panel=POLICY
        ),
    ] = None
    fold_in_turn: Annotated[
        bool, typer.Option("--fold-in-turn", help="Sum up between two steps of a turn too.", rich_help_panel=POLICY)
    ] = False
    compare: Annotated[
        bool, typer.Option("--compare", help="Put policies side by side, with what they cost.", rich_help_panel=SEE)
    ] = False
    policies: Annotated[
        str | None,
        typer.Option(
            metavar="LIST", help="With --compare, only these: none,trim:oldest_first,summarize", rich_help_panel=SEE
        ),
    ] = None
    sweep: Annotated[
        bool,
        typer.Option("--sweep", help="Find the target and the order that cost least here.", rich_help_panel=SEE),
    ] = False
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write one page with all of it, to be opened offline.", rich_help_panel=SEE),
    ] = None
    step: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Show exactly what the model would have seen at call N.", rich_help_panel=SEE
        ),
    ] = None
    why: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Say what became of a message, by id or number, and why.", rich_help_panel=SEE),
    ] = None
    conversation: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only this conversation of a file that holds several.", rich_help_panel=SEE),
    ] = None
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Print JSON Lines: one object a model call, or a policy.", rich_help_panel=FORM),
    ] = False
    payloads: Annotated[
        bool, typer.Option("--payloads", help="With --json: the exact request bodies too.", rich_help_panel=FORM)
    ] = False

    def check(self) -> None:
        """Raise `typer.BadParameter` for options that do not go together."""
        chosen = [name for name, given in self._views() if given]
        if len(chosen) > 1 and set(chosen) != {"--step", "--why"}:
            raise typer.BadParameter(f"{' and '.join(chosen)} show different things: choose one")
        if self.policies is not None and not self.compare:
            raise typer.BadParameter("--policies says what --compare puts side by side: give that too")
        if self.payloads and (not self.as_json or self.compare or self.sweep):
            raise typer.BadParameter("--payloads is part of the JSON output of single calls: give --json alone too")
        if self.as_json and chosen and chosen[0] not in ("--compare", "--sweep"):
            raise typer.BadParameter(f"--json shows every call: leave out {' and '.join(chosen)}")

    @property
    def shows_one(self) -> bool:
        """Only one conversation can be shown."""
        return self.html is not None or self.step is not None or self.why is not None

    def _views(self) -> tuple[tuple[str, bool], ...]:
        return (
            ("--compare", self.compare),
            ("--sweep", self.sweep),
            ("--html", self.html is not None),
            ("--step", self.step is not None),
            ("--why", self.why is not None),
        )

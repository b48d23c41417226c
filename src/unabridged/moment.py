"""What the engine looks at before it decides, and what it decided: values that no other module makes."""

from __future__ import annotations

import msgspec

from unabridged.asking import Ask
from unabridged.checkpoint import Checkpoint
from unabridged.folding import Outcome
from unabridged.projection import Projection
from unabridged.reporting import Telling
from unabridged.strategy import Decision, Strategy


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """One request as it stands before anything is decided."""

    ask: Ask
    present: Projection
    chain: tuple[Checkpoint, ...]
    """What the view is made by, newest first."""
    before: int
    """Tokens of the request as it stands."""
    telling: Telling
    strategy: Strategy
    afresh: bool
    """Planned from the originals: nothing counts as just arrived."""
    undoes: str | None
    """The checkpoint that planning afresh takes back."""
    asks_summary: bool
    """A summary may be made here: under `summarize`, between two steps of a turn only where the policy says so."""


class Made(msgspec.Struct, frozen=True):
    """What a plan came to."""

    decision: Decision
    checkpoint: Checkpoint
    view: Projection
    outcome: Outcome | None = None

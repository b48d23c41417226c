"""A turn as it stands: a value, and named moves from one to the next."""

from __future__ import annotations

from collections import Counter

import msgspec

from unabridged.agent.events import Move
from unabridged.report import Usage

RECENT = 24
"""Steps that are compared to find one that comes again and again, also in turns with others."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """Where a turn ends although the model would go on."""

    steps: int = 500
    """Answers of the model in one turn."""
    tokens: int | None = None
    """Input and output of all requests of one turn together; None is no limit."""
    continued: int = 3
    """How often in a row an answer that was cut off at its output limit is gone on with."""
    empties: int = 2
    """How often in a row an answer that says nothing is asked for again."""
    remarked: int = 3
    """From how many steps of the same calls with the same results on the model is told."""
    repeats: int = 6
    """At how many of them the turn ends."""
    failures: int = 3
    """At how many steps in a row of which every call broke down in the tool itself the turn ends."""
    at_once: int = 4
    """Calls that only look that run beside each other."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """What the loop knows. Everything else is in the transcript."""

    move: Move = Move.TASK
    step: int = 0
    continued: int = 0
    empties: int = 0
    broken: int = 0
    reminded: bool = False
    recent: tuple[str, ...] = ()
    """What each of the newest steps came to, the newest last."""
    spent: Usage = Usage(input=0)
    text: str = ""
    """The newest words of the model."""

    def next(self, move: Move, **changed: object) -> State:
        """Give the state after a move. What counts things in a row begins anew with another move."""
        fresh: dict[str, object] = {"move": move}
        if move is not Move.CONTINUES:
            fresh["continued"] = 0
        if move is not Move.SAID_NOTHING:
            fresh["empties"] = 0
        return msgspec.structs.replace(self, **{**fresh, **changed})

    def paid(self, usage: Usage | None) -> State:
        """Give the state after an answer: one step more, and what it cost."""
        return msgspec.structs.replace(
            self, step=self.step + 1, spent=self.spent + usage if usage is not None else self.spent
        )

    def acted(self, sign: str, *, broke: bool) -> State:
        """Give the state after calls were carried out; `sign` is the same for the same calls with the same results."""
        broken = self.broken + 1 if broke else 0
        return self.next(Move.RESULTS, recent=(*self.recent, sign)[-RECENT:], broken=broken)

    @property
    def times(self) -> int:
        """Give how often the newest step was made among the recent ones."""
        return Counter(self.recent)[self.recent[-1]] if self.recent else 0

"""Follows what was decided along a walk: which verdict a message has at a step, and where it got it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from unabridged.checkpoint import Checkpoint
from unabridged.message import Message
from unabridged.plan import Cut, Reason, Run, Verdict
from unabridged.replay.walk import Step


class Fate(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one message, and since which step it is so."""

    verdict: Verdict = Verdict.KEEP
    reason: Reason = Reason.FITS
    cuts: tuple[Cut, ...] = ()
    step: int | None = None
    """The step whose fit decided it; None where no fit has looked at the message yet."""
    checkpoint: str | None = None
    """What keeps the decision."""


class Trail:
    """The checkpoints in force along a walk, each with the step that made it. It must see every step, in order."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._position: Mapping[str, int] = {message.id: place for place, message in enumerate(messages)}
        self._chain: list[tuple[Checkpoint, int]] = []
        """Newest first; all but the last inherit from the next."""

    @classmethod
    def of(cls, position: Mapping[str, int], chain: Sequence[Checkpoint]) -> Trail:
        """Give the trail that ends in a chain of checkpoints, newest first; which steps made them is not known."""
        trail = cls(())
        trail._position = position
        trail._chain = [(checkpoint, 0) for checkpoint in chain]
        return trail

    def follow(self, step: Step) -> None:
        """Take in what a step decided."""
        fitted = step.fitted
        if fitted is None:
            return
        if fitted.undo is not None:
            self._chain = []
        if fitted.checkpoint is not None:
            inherited = self._chain if fitted.checkpoint.step else []
            self._chain = [(fitted.checkpoint, step.number), *inherited]

    def fate(self, id: str) -> Fate:
        """Give what holds for a message now."""
        place = self._position[id]
        cuts = {
            (cut.part, cut.inner, cut.pointer): cut
            for checkpoint, _ in reversed(self._chain)
            for cut in checkpoint.plan.cuts
            if cut.message == id
        }
        for checkpoint, step in self._chain:
            for run in checkpoint.plan.runs:
                if self._position[run.first] <= place <= self._position[run.last]:
                    kept = tuple(cuts.values())
                    return Fate(verdict=run.verdict, reason=run.reason, cuts=kept, step=step, checkpoint=checkpoint.id)
        return Fate()

    def gone(self) -> tuple[Run, ...]:
        """Give what is not shown, in the order of the transcript."""
        runs = (run for checkpoint, _ in self._chain for run in checkpoint.plan.runs)
        hidden = (run for run in runs if run.verdict in (Verdict.DROP, Verdict.COMPACT))
        return tuple(sorted(hidden, key=lambda run: self._position[run.first]))

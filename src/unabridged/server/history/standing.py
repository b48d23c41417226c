"""What the model sees of each message now: read from the checkpoint in force, and from those that it inherits from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import msgspec

from unabridged.plan import Cut, CutKind, Reason, Verdict
from unabridged.store.pages import Listed
from unabridged.transcript import Transcript

StateName = Literal["visible", "truncated", "compacted", "dropped", "refused"]
_GONE: dict[Verdict, StateName] = {Verdict.DROP: "dropped", Verdict.COMPACT: "compacted"}


class CutShown(msgspec.Struct, frozen=True, kw_only=True):
    """What is cut out of one part, in what the model sees."""

    part: int
    """Position of the part in the stored message; thoughts that are not shown count."""
    inner: int | None
    """Position inside a tool's output."""
    kind: CutKind
    pointer: str | None
    """The argument of a call that is cut, as a JSON pointer."""
    keep: tuple[tuple[int, int], ...]
    """Ranges of characters that stay."""
    total: int
    """Characters before the cut; of media, tokens."""


class State(msgspec.Struct, frozen=True, kw_only=True):
    """How a message stands in what the model sees."""

    state: StateName
    reason: str | None = None
    """Why, by the name that the plan gives it; of a refused message, in words."""
    checkpoint: str | None = None
    """What decided it."""
    cuts: tuple[CutShown, ...] = ()


class _Span(msgspec.Struct, frozen=True):
    first: int
    last: int
    state: StateName
    reason: Reason
    checkpoint: str


class Standing:
    """What holds on a branch now. It is read from the checkpoints alone: no message is looked at."""

    def __init__(self, transcript: Transcript) -> None:
        self._position = transcript.position
        self._chain = transcript.in_force()[0]
        self._spans = tuple(self._gone())
        self._cuts: dict[str, list[tuple[Cut, str]]] = {}
        for checkpoint in reversed(self._chain):
            for cut in checkpoint.plan.cuts:
                self._cuts.setdefault(cut.message, []).append((cut, checkpoint.id))

    def of(self, listed: Listed) -> State:
        """Give how a message stands."""
        if listed.place is None:
            return State(state="refused", reason=listed.refused or None)
        for span in self._spans:
            if span.first <= listed.place <= span.last:
                return State(state=span.state, reason=span.reason.value, checkpoint=span.checkpoint)
        cuts = self._cuts.get(listed.message.id, ())
        if not cuts:
            return State(state="visible")
        newest, by = cuts[-1]
        shown = tuple({(cut.part, cut.inner, cut.pointer): shown_cut(cut) for cut, _ in cuts}.values())
        return State(state="truncated", reason=newest.reason.value, checkpoint=by, cuts=shown)

    def _gone(self) -> Iterator[_Span]:
        for checkpoint in self._chain:
            for run in checkpoint.plan.runs:
                state = _GONE.get(run.verdict)
                if state is not None:
                    first, last = self._position[run.first], self._position[run.last]
                    yield _Span(first, last, state, run.reason, checkpoint.id)


def shown_cut(cut: Cut) -> CutShown:
    """Give a cut as the API tells it."""
    return CutShown(part=cut.part, inner=cut.inner, kind=cut.kind, pointer=cut.pointer, keep=cut.keep, total=cut.total)

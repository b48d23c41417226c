"""A plan in the making: what is in the view now, what it weighs, what may go, and what has gone so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec

from unabridged.message import Media, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.plan import Cut, CutKind, Reason
from unabridged.tokens import TokenCounter
from unabridged.tokens.price import Price
from unabridged.transcript import Record
from unabridged.view import apply

Place = tuple[int, int | None, str | None]
"""Where a cut sits in a message: part, position inside a result, pointer inside arguments."""


class Piece(msgspec.Struct, eq=False):
    """One message of the view while it is decided on."""

    record: Record
    parts: list[Part | None]
    """As shown now, cuts applied."""
    weight: float
    shield: Reason | None = None
    """Why it may never be dropped."""
    unread: bool = False
    dropped: Reason | None = None
    cuts: dict[Place, Cut] = {}
    changed: Reason | None = None
    """Why something was cut out of it in this fit."""
    fresh: set[Place] = set()
    """Where this fit cut."""
    shown: dict[int, float] = {}
    """What parts weigh in the view where repair has changed them."""


class Group(msgspec.Struct, eq=False):
    """Messages that stand or fall together, and what stands with them in the view (closed calls)."""

    pieces: list[Piece]
    extra: float = 0.0

    @property
    def weight(self) -> float:
        """What the group takes in the view now."""
        return 0.0 if self.dropped else self.extra + sum(piece.weight for piece in self.pieces)

    @property
    def dropped(self) -> bool:
        """The group has left the view."""
        return bool(self.pieces) and all(piece.dropped is not None for piece in self.pieces)

    @property
    def shielded(self) -> bool:
        """Something in it may never be dropped."""
        return any(piece.shield is not None or piece.unread for piece in self.pieces)

    @property
    def begins_round(self) -> bool:
        """A person's message opens it."""
        return bool(self.pieces) and self.pieces[0].record.message.is_human


class Output(msgspec.Struct, frozen=True, eq=False):
    """One text or media item of a tool result, and where it sits."""

    piece: Piece
    part: int
    inner: int
    content: Text | Media
    tokens: int
    weight: float


class Draft(msgspec.Struct, eq=False):
    """Everything a rung needs: the groups in order, the weight of the request, and the goal."""

    groups: list[Group]
    fixed: float
    """What no rung can touch: frame and markers."""
    goal: float
    """What a fit aims at."""
    most: float
    """What a fit may end at where a better place to stop lies a little above the goal."""
    price: Callable[[Part], Price]
    weigh: Callable[[Price], float]
    counter: TokenCounter
    mended: Callable[[Part], Part | None]
    """Gives a part as repair shows it."""
    summary: float = 0.0
    """Of what is fixed, the summary in force."""
    total: float = 0.0

    def __post_init__(self) -> None:
        self.total = self.fixed + sum(group.weight for group in self.groups)

    @property
    def met(self) -> bool:
        """The goal is reached: nothing more needs to go."""
        return self.total <= self.goal

    def outputs(self, groups: Sequence[Group]) -> Iterator[Output]:
        """Every piece of tool output in these groups that is still shown, oldest first."""
        for group in groups:
            for piece in group.pieces:
                if piece.dropped is None:
                    yield from self.outputs_of(piece)

    def outputs_of(self, piece: Piece) -> Iterator[Output]:
        """Every text and media item of the results that a message brings, as shown now."""
        for number, part in enumerate(piece.parts):
            if isinstance(part, ToolResult):
                for inner, content in enumerate(part.parts):
                    if isinstance(content, Text | Media):
                        price = self.price(content)
                        yield Output(piece, number, inner, content, price.tokens, self.weigh(price))

    def cut(self, piece: Piece, cut: Cut) -> bool:
        """Take something out of a message, and tell whether that made it smaller: if not, it stays as it is.

        A later cut of the same place replaces an earlier one. Reasoning goes for its signature, not for its size.
        """
        place = (cut.part, cut.inner, cut.pointer)
        before = piece.parts[cut.part]
        after = apply(piece.record.message.parts[cut.part], before, cut)
        # Repair shows what is left of a text that it has changed, and changes it as well.
        shown = self.mended(after) if after is not None and cut.part in piece.shown else after
        change = self._weight(shown) - self.shown(piece, cut.part)
        if change >= 0 and (cut.kind is not CutKind.REASONING or after == before):
            return False
        if cut.part in piece.shown:
            piece.shown[cut.part] = self._weight(shown)
        piece.cuts[place] = cut
        piece.fresh.add(place)
        piece.changed = piece.changed or cut.reason
        piece.parts[cut.part] = after
        piece.weight += change
        self.total += change
        return True

    def shown(self, piece: Piece, number: int) -> float:
        """Give what a part weighs in the view now."""
        return piece.shown.get(number, self._weight(piece.parts[number]))

    def drop(self, group: Group, reason: Reason) -> None:
        """Take a whole group out of the view."""
        self.total -= group.weight
        for piece in group.pieces:
            piece.dropped = reason

    def exchange_summary(self, weight: float) -> None:
        """Put another summary in the place of the one in force."""
        self.fixed += weight - self.summary
        self.total += weight - self.summary
        self.summary = weight

    def restore(self, group: Group) -> None:
        """Put a group back that this fit took out."""
        for piece in group.pieces:
            piece.dropped = None
        self.total += group.weight

    def without_reasoning(self, piece: Piece, reason: Reason) -> None:
        """Take the reasoning out of a message whose arguments are cut: it was signed together with them."""
        for number, part in enumerate(piece.parts):
            if isinstance(part, Reasoning):
                self.cut(piece, cut_of(piece, CutKind.REASONING, reason, part=number, total=len(part.text)))

    def _weight(self, part: Part | None) -> float:
        return 0.0 if part is None else self.weigh(self.price(part))


def cut_of(piece: Piece, kind: CutKind, reason: Reason, *, part: int, total: int, inner: int | None = None) -> Cut:
    """Give a cut of a whole part; text cuts add the ranges they keep."""
    return Cut(message=piece.record.message.id, kind=kind, reason=reason, part=part, inner=inner, total=total)


def call_ids(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Give the calls whose outputs were shortened in this fit."""
    ids = [
        part.call_id
        for piece in pieces
        if piece.changed is not None and piece.dropped is None
        for number, part in enumerate(piece.record.message.parts)
        if isinstance(part, ToolResult) and any(place[0] == number for place in piece.fresh)
    ]
    return tuple(dict.fromkeys(ids))


def arguments_of(piece: Piece) -> Iterator[tuple[int, ToolCall]]:
    """Give the calls of a message as shown now, with their positions."""
    for number, part in enumerate(piece.parts):
        if isinstance(part, ToolCall):
            yield number, part

"""A draft weighs what repair shows: a stored text may be another, before a cut and after it."""

from __future__ import annotations

import json

import msgspec

from unabridged.message import Message, Role, ToolCall
from unabridged.plan import Cut, CutKind, Reason
from unabridged.repair.surrogates import Surrogates
from unabridged.strategy.draft import Draft, Group, Piece
from unabridged.strategy.rungs import long_leaves
from unabridged.tokens import default_counter
from unabridged.tokens.price import Cost, Price
from unabridged.transcript import Record
from unabridged.view import Cutter
from unabridged.wire import wire

HALVES = "\ud83d word " * 200


def draft_with(arguments: dict[str, str]) -> tuple[Draft, Piece]:
    """A call whose arguments hold halves of surrogate pairs, as repair shows it."""
    call = ToolCall("c1", "write", json.dumps(arguments))
    message = Message(id="m-1", role=Role.ASSISTANT, parts=(call,))
    whole = Surrogates("anthropic").whole
    price = Cutter.of(None, wire("anthropic"), default_counter(), {}).price
    shown = whole(call)
    assert shown is not None
    weight = float(price(shown).tokens)
    piece = Piece(Record(message, Cost(Price(0)), "", 0), [call], weight, shown={0: weight})
    draft = Draft(
        groups=[Group([piece])],
        fixed=0.0,
        goal=0.0,
        most=0.0,
        price=price,
        weigh=lambda price: float(price.tokens),
        counter=default_counter(),
        mended=whole,
    )
    return draft, piece


def test_a_cut_beside_halves_of_pairs_is_taken_for_what_it_saves() -> None:
    draft, piece = draft_with({"command": "plain words " * 300, "stdin": HALVES})
    call = piece.parts[0]
    assert isinstance(call, ToolCall)
    pointer, leaf = next(long_leaves(call, draft))
    cut = Cut(
        message="m-1", kind=CutKind.ARGUMENTS, reason=Reason.OLD_ARGUMENTS, part=0, pointer=pointer, total=len(leaf)
    )
    assert draft.cut(piece, msgspec.structs.replace(cut, keep=((0, 50),)))
    after = piece.parts[0]
    assert isinstance(after, ToolCall)
    shown = Surrogates("anthropic").whole(after)
    assert shown is not None
    assert draft.total == piece.weight == draft.price(shown).tokens

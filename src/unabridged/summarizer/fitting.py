"""Makes a record fit a number of tokens: what matters least leaves first, constraints and open to-dos last."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec

from unabridged.summarizer.gathering.sentences import choose
from unabridged.summarizer.pieces import (
    RECENT_ROUNDS,
    Piece,
    Rank,
    pieces_of,
    rank_of_command,
    rank_of_failure,
    rank_of_file,
)
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.record import Part, Record, Round
from unabridged.summarizer.shortening import LEAST_CUT, cut_text, cut_words, gaps_joined
from unabridged.summarizer.writing import write
from unabridged.tokens import TokenCounter

T = TypeVar("T")

TOKENS_AN_ITEM = {Part.FAILURES: 300, Part.FILES: 40, Part.COMMANDS: 120, Part.PICTURES: 60}
"""A part lists one item for so many tokens of the limit, so that none takes it all."""
FEWEST, MOST = 8, 100
"""Items that a part lists at least, where there are as many, and at most."""
TEXT_SHARE = 0.3
"""Of the limit, what one text has that does not fit whole; what a model wrote has more where room is left."""
LONG_WORDS, SHORTEST, LONGEST = 0.125, 300, 1_000
"""Where not everything fits, a message keeps what counts of it in so many characters for each token of the limit, at
least and at most."""
OLDER_NOTE = 260
"""Characters of a note in rounds that are not recent, where not everything fits."""
TITLE_COST = 40
HEADING_COST = 28
"""Tokens of a heading, and of the line that says how many more there are."""


class _Choice(msgspec.Struct, frozen=True):
    """What stays, and how many tokens a text may take that stays in part."""

    kept: tuple[Piece, ...]
    cut: tuple[tuple[Piece, int], ...]


def fit(record: Record, limit: int, counter: TokenCounter) -> Record:
    """Give as much of a record as takes at most `limit` tokens when written. Counts say how much of a part left."""
    record = _capped(record, limit)
    if counter.count(write(record)) <= limit:
        return record
    record = msgspec.structs.replace(record, rounds=tuple(_tightened(record.rounds, limit)))
    pieces = pieces_of(record, counter)
    room = limit - TITLE_COST
    while room > 0:
        fitted = _only(record, _choose(pieces, room, int(limit * TEXT_SHARE)), counter)
        over = counter.count(write(fitted)) - limit
        if over <= 0:
            return fitted
        room -= over
    return Record()


def _tightened(rounds: Sequence[Round], limit: int) -> Iterator[Round]:
    """Give rounds with what counts of long messages, and shorter notes where they are not recent."""
    long = min(LONGEST, max(SHORTEST, int(limit * LONG_WORDS)))
    for place, item in enumerate(rounds):
        words, notes = item.words, item.notes
        if len(words) == 1 and isinstance(words[0], str) and len(words[0]) > long:
            words = choose(words[0], long)
        if place < len(rounds) - RECENT_ROUNDS:
            notes = tuple(brief(note, OLDER_NOTE) for note in notes)
        yield Round(words=words, notes=notes)


def _capped(record: Record, limit: int) -> Record:
    """Give the record with what matters most of the parts that could grow without end."""

    def most_of(part: Part, items: tuple[T, ...], rank: Callable[[T], Rank]) -> tuple[T, ...]:
        most = min(MOST, max(FEWEST, limit // TOKENS_AN_ITEM[part]))
        left[part] = left.get(part, 0) + max(0, len(items) - most)
        ranked = sorted(range(len(items)), key=lambda place: (rank(items[place]), -place))
        return tuple(items[place] for place in sorted(ranked[:most]))

    left = dict(record.left)
    changed = msgspec.structs.replace(
        record,
        failures=most_of(Part.FAILURES, record.failures, rank_of_failure),
        files=most_of(Part.FILES, record.files, rank_of_file),
        commands=most_of(Part.COMMANDS, record.commands, rank_of_command),
        pictures=most_of(Part.PICTURES, record.pictures, lambda _: Rank.PICTURES),
    )
    return msgspec.structs.replace(changed, left=tuple((part, count) for part, count in left.items() if count))


def _choose(pieces: Sequence[Piece], room: int, share: int) -> _Choice:
    kept: list[Piece] = []
    cut: dict[Piece, int] = {}
    headed: set[Part | None] = {None}
    # What a model wrote has its share first: short demands, however many, do not take it.
    for piece in sorted(pieces, key=lambda piece: piece.rank is not Rank.PROSE):
        left = room - (0 if piece.part in headed else HEADING_COST)
        taken = min(piece.cost, share) if piece.rank is Rank.PROSE else piece.cost
        if taken > left:
            taken = min(left, share) if _is_text(piece) else 0
        if taken < min(piece.cost, LEAST_CUT):
            continue
        if taken < piece.cost:
            cut[piece] = taken
        kept.append(piece)
        headed.add(piece.part)
        room = left - taken
    for piece in cut:
        if piece.rank is Rank.PROSE:
            cut[piece] += room
    return _Choice(tuple(kept), tuple(cut.items()))


def _is_text(piece: Piece) -> bool:
    """Tell whether a piece is worth having in part."""
    return piece.rank is Rank.PROSE or (piece.rank is Rank.DEMANDS and piece.part is Part.ROUNDS)


def _only(record: Record, choice: _Choice, counter: TokenCounter) -> Record:
    """Give the record with nothing but what was chosen."""
    places: dict[Part | None, set[int]] = {}
    for piece in choice.kept:
        if piece.note is None:
            places.setdefault(piece.part, set()).add(piece.place)

    def some(part: Part, items: Sequence[T]) -> tuple[T, ...]:
        return tuple(item for place, item in enumerate(items) if place in places.get(part, ()))

    rounds = _rounds(record.rounds, choice, counter)
    prose, task = _prose(record, choice, counter), any(piece.rank is Rank.TASK for piece in choice.kept)
    fitted = Record(
        prose=prose,
        task=record.task if task else "",
        rounds=rounds,
        todos=some(Part.TODOS, record.todos),
        failures=some(Part.FAILURES, record.failures),
        files=some(Part.FILES, record.files),
        commands=some(Part.COMMANDS, record.commands),
        names=some(Part.NAMES, record.names),
        pictures=some(Part.PICTURES, record.pictures),
    )
    counted = [part for part in Part if part is not Part.NAMES]  # which names recur is no list that has an end
    gone = ((part, len(record.listed(part)) - len(fitted.listed(part)) + record.left_of(part)) for part in counted)
    return msgspec.structs.replace(fitted, left=tuple((part, count) for part, count in gone if count))


def _rounds(rounds: tuple[Round, ...], choice: _Choice, counter: TokenCounter) -> tuple[Round, ...]:
    words = {piece.place for piece in choice.kept if piece.part is Part.ROUNDS and piece.note is None}
    notes = {(piece.place, piece.note) for piece in choice.kept if piece.note is not None}
    room = {piece.place: tokens for piece, tokens in choice.cut if piece.part is Part.ROUNDS}
    out: list[Round] = []
    for place, item in enumerate(rounds):
        said = item.words if place in words else ()
        if place in room:
            said = cut_words(item.words, room[place], counter)
        kept = tuple(note for at, note in enumerate(item.notes) if (place, at) in notes)
        if item.words and kept and not said:
            said = gaps_joined(len(piece) if isinstance(piece, str) else piece for piece in item.words)
        if said or kept:
            out.append(Round(words=said, notes=kept))
    return tuple(out)


def _prose(record: Record, choice: _Choice, counter: TokenCounter) -> str:
    room = next((tokens for piece, tokens in choice.cut if piece.rank is Rank.PROSE), None)
    if room is not None:
        return cut_text(record.prose, room, counter)
    return record.prose if any(piece.rank is Rank.PROSE for piece in choice.kept) else ""

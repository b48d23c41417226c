"""What a record is made of when it has to become smaller: pieces that stay or leave, each with a rank and a cost."""

from __future__ import annotations

import enum
from collections.abc import Iterator

import msgspec

from unabridged.summarizer.gathering.sentences import demands
from unabridged.summarizer.paths import is_scratch, shared_folder
from unabridged.summarizer.quoting import BREAK
from unabridged.summarizer.record import Change, File, Part, Ran, Record, Round, State, Todo
from unabridged.summarizer.writing import TASK, write_file, write_names, write_ran, write_round, write_todo
from unabridged.tokens import TokenCounter

SHORT = 100
"""Tokens up to which something that was said is short."""
TOP_NAMES = 12
RECENT_ROUNDS = 3
NEWEST_RESULTS = 6
LINE = 3
"""Tokens of a piece beside its text: line break, indent, sign."""


class Rank(enum.IntEnum):
    """What leaves last comes first."""

    DEMANDS = enum.auto()
    """What a person demanded, and what is still to do."""
    STATE = enum.auto()
    """The model's last words: where it stood."""
    FAILURES = enum.auto()
    RECENT_NOTES = enum.auto()
    """How the newest rounds ended."""
    PROSE = enum.auto()
    RESULTS = enum.auto()
    """The newest commands that left something: a commit, a test result, an address."""
    CHANGES = enum.auto()
    """Files that were modified."""
    SHORT_WORDS = enum.auto()
    LAST_NOTES = enum.auto()
    """How older rounds ended."""
    LONG_WORDS = enum.auto()
    """What else a person said."""
    OLDER_RESULTS = enum.auto()
    NAMES = enum.auto()
    """The names that recur most."""
    NOTES = enum.auto()
    """What the model said on the way in the last round."""
    PICTURES = enum.auto()
    COMMANDS = enum.auto()
    READS = enum.auto()
    """Files that were only read, or written for a moment."""
    ONE_OFF = enum.auto()
    """Failures of scripts that nobody will run again as they are."""
    MENDED = enum.auto()
    DONE = enum.auto()
    OLDER_NOTES = enum.auto()
    OTHER_NAMES = enum.auto()
    TASK = enum.auto()


class Piece(msgspec.Struct, frozen=True, kw_only=True):
    """An item of a part, a note of a round, the prose, or the task."""

    part: Part | None = None
    """None for prose and task."""
    place: int = 0
    note: int | None = None
    """Which note of the round at `place`."""
    rank: Rank
    cost: int
    """Tokens."""

    @property
    def order(self) -> tuple[int, int, int]:
        """What is taken first: by rank; of demands the short ones, so that most are kept; else the newest."""
        if self.rank is Rank.DEMANDS:
            return self.rank, self.cost, -self.place
        return self.rank, self.place if self.part is Part.NAMES else -self.place, -(self.note or 0)


def pieces_of(record: Record, counter: TokenCounter) -> list[Piece]:
    """Give the pieces of a record, what stays longest first."""
    folder = shared_folder([file.path for file in record.files])
    written = (
        (Part.TODOS, [(rank_of_todo(todo), write_todo(todo)) for todo in record.todos]),
        (Part.FAILURES, [(rank_of_failure(ran), write_ran(ran)) for ran in record.failures]),
        (Part.FILES, [(rank_of_file(file), write_file(file, folder)) for file in record.files]),
        (Part.COMMANDS, [(rank, write_ran(ran)) for rank, ran in _of_commands(record.commands)]),
        (Part.NAMES, [(rank_of_name(place), write_names((name,))) for place, name in enumerate(record.names)]),
        (Part.PICTURES, [(Rank.PICTURES, picture) for picture in record.pictures]),
        (None, [(Rank.PROSE, record.prose)] if record.prose else []),
        (None, [(Rank.TASK, f"{TASK}{record.task}")] if record.task else []),
    )
    found = list(_of_rounds(record, counter))
    for part, items in written:
        for place, (rank, text) in enumerate(items):
            found.append(Piece(part=part, place=place, rank=rank, cost=counter.count(text) + LINE))
    return sorted(found, key=lambda piece: piece.order)


def rank_of_todo(todo: Todo) -> Rank:
    """Say how long a to-do stays."""
    return Rank.DONE if todo.state is State.DONE else Rank.DEMANDS


def rank_of_failure(ran: Ran) -> Rank:
    """Say how long a failure stays."""
    if ran.mended:
        return Rank.MENDED
    return Rank.ONE_OFF if BREAK in ran.what else Rank.FAILURES


def rank_of_file(file: File) -> Rank:
    """Say how long a file stays."""
    return Rank.READS if file.change is Change.NONE or is_scratch(file.path) else Rank.CHANGES


def rank_of_command(ran: Ran) -> Rank:
    """Say how long a command stays."""
    return Rank.OLDER_RESULTS if ran.says else Rank.COMMANDS


def _of_commands(commands: tuple[Ran, ...]) -> Iterator[tuple[Rank, Ran]]:
    telling = [place for place, ran in enumerate(commands) if ran.says]
    newest = set(telling[-NEWEST_RESULTS:])
    for place, ran in enumerate(commands):
        yield Rank.RESULTS if place in newest else rank_of_command(ran), ran


def rank_of_name(place: int) -> Rank:
    """Say how long a name stays, by its place among all."""
    return Rank.NAMES if place < TOP_NAMES else Rank.OTHER_NAMES


def _of_rounds(record: Record, counter: TokenCounter) -> Iterator[Piece]:
    for place, item in enumerate(record.rounds):
        if item.words:
            cost = counter.count(write_round(Round(words=item.words))) + LINE
            rank = Rank.SHORT_WORDS if cost <= SHORT else Rank.LONG_WORDS
            rank = Rank.DEMANDS if any(demands(text) for text in item.said) else rank
            yield Piece(part=Part.ROUNDS, place=place, rank=rank, cost=cost)
        age = len(record.rounds) - 1 - place
        for at, note in enumerate(item.notes):
            last = at == len(item.notes) - 1
            yield Piece(
                part=Part.ROUNDS, place=place, note=at, rank=rank_of_note(age, last), cost=counter.count(note) + LINE
            )


def rank_of_note(age: int, last: bool) -> Rank:
    """Say how long a note stays, by how many rounds came after it."""
    if not last:
        return Rank.OLDER_NOTES if age else Rank.NOTES
    if age == 0:
        return Rank.STATE
    return Rank.RECENT_NOTES if age < RECENT_ROUNDS else Rank.LAST_NOTES

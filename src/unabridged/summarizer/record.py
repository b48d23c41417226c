"""What is known of a conversation without asking a model, as values. `writing` makes text of them, `reading` values."""

from __future__ import annotations

import enum

import msgspec


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said, and what the model reported until the next person spoke."""

    words: tuple[str | int, ...] = ()
    """Exact words; a number stands for that many characters that are left out."""
    notes: tuple[str, ...] = ()
    """The model's own lines, oldest first; the last is how it stood at the end."""

    @property
    def said(self) -> tuple[str, ...]:
        """The words, without the gaps: what makes two rounds the same."""
        return tuple(piece for piece in self.words if isinstance(piece, str))


class State(enum.StrEnum):
    """How far a to-do is, as the list itself shows it."""

    OPEN = " "
    DOING = "~"
    DONE = "x"


class Todo(msgspec.Struct, frozen=True, kw_only=True):
    """One line of a to-do list."""

    text: str
    state: State = State.OPEN
    id: str = ""
    """The number that the list's tool knows it by, where it has one."""


class Ran(msgspec.Struct, frozen=True, kw_only=True):
    """A command or a call, and how it ended."""

    what: str
    """On one line, shortened; the same command gives the same text."""
    outcome: str
    """`exit 0`, `failed`, `ok`, `declined by the user`, ..."""
    says: str = ""
    """The line of its output that says most."""
    failed: bool = False
    mended: bool = False
    """It failed, and the same succeeded afterwards."""


class Change(enum.StrEnum):
    """What was done to a file."""

    NONE = ""
    WRITTEN = "written"
    EDITED = "edited"
    DELETED = "deleted"


class File(msgspec.Struct, frozen=True, kw_only=True):
    """A file that was read or modified."""

    path: str
    change: Change = Change.NONE
    read: bool = False
    """Read from its start, as far as the tool showed it."""
    ranges: tuple[tuple[int, int], ...] = ()
    """Lines that were read, first and last, in order and without overlap."""


class Name(msgspec.Struct, frozen=True):
    """An exact string that recurs."""

    text: str
    count: int
    """Messages that it stands in."""


class Part(enum.StrEnum):
    """The parts of a record, each with the heading that it stands under."""

    ROUNDS = "The user's words (`>`), and what the assistant reported (`|`)"
    TODOS = "To-dos, as last listed"
    FAILURES = "Failures (`succeeded later`: where the same did)"
    FILES = "Files"
    COMMANDS = "Commands and calls"
    NAMES = "Names that recur"
    PICTURES = "Pictures and documents that are no longer shown"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """All that is kept of messages without a model. Lists are in the order of the conversation."""

    prose: str = ""
    """What a model, or a client, wrote of still earlier messages."""
    task: str = ""
    """The beginning of the task, for orientation."""
    rounds: tuple[Round, ...] = ()
    todos: tuple[Todo, ...] = ()
    failures: tuple[Ran, ...] = ()
    files: tuple[File, ...] = ()
    commands: tuple[Ran, ...] = ()
    names: tuple[Name, ...] = ()
    pictures: tuple[str, ...] = ()
    left: tuple[tuple[Part, int], ...] = ()
    """How many of a part did not fit and are not listed; what left twice over several summaries counts twice."""

    def listed(self, part: Part) -> tuple[object, ...]:
        """Give what a part lists."""
        lists: dict[Part, tuple[object, ...]] = {
            Part.ROUNDS: self.rounds,
            Part.TODOS: self.todos,
            Part.FAILURES: self.failures,
            Part.FILES: self.files,
            Part.COMMANDS: self.commands,
            Part.NAMES: self.names,
            Part.PICTURES: self.pictures,
        }
        return lists[part]

    def left_of(self, part: Part) -> int:
        """Give how many of a part are not listed."""
        return dict(self.left).get(part, 0)

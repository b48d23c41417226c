"""Stories as values: what may happen in a conversation. `script` makes messages of them, `walking` lives them through.

A story says how large a text is in thousandths of the budget, so that the same story is as hard in a small window as
in a large one, and every text is a seed: it shrinks as a number does.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from enum import StrEnum
from typing import Any

import msgspec

from unabridged.budget import Budget
from unabridged.policy import Policy
from unabridged.report import Fallback
from unabridged.summarizer import WhyNoSummary


class Speaker(StrEnum):
    """Who says something that is no answer of the model."""

    HUMAN = "human"
    INJECTED = "injected"
    CLIENT_SUMMARY = "client_summary"
    SYSTEM = "system"


class Fate(StrEnum):
    """What becomes of a call."""

    ANSWERED = "answered"
    MISSING = "missing"
    LATE = "late"
    """Its result comes behind what a person said in between."""
    TWICE = "twice"


class Naming(StrEnum):
    """How a call is called."""

    FRESH = "fresh"
    REUSED = "reused"
    """As an earlier call of the conversation."""
    SIBLING = "sibling"
    """As another call of the same message."""
    ILLEGAL = "illegal"
    """In characters, or a length, that the provider refuses."""


class Thinking(StrEnum):
    """What a model's answer carries of its thoughts."""

    NONE = "none"
    PLAIN = "plain"
    SIGNED = "signed"
    REDACTED = "redacted"


class Emptiness(StrEnum):
    """Ways to say nothing."""

    NO = "no"
    NO_TEXT = "no text"
    """An empty string."""
    NO_BLOCKS = "no blocks"
    BLANK = "blank"
    """White space alone."""
    EMPTY_BLOCK = "empty block"
    """A text, and beside it an empty one."""


class Again(StrEnum):
    """Ways to go back."""

    REWIND = "rewind"
    EDIT = "edit"


class Served(StrEnum):
    """What the provider says of a request's tokens."""

    NOTHING = "nothing"
    EXACT = "exact"
    OTHERWISE = "otherwise"
    """By a vocabulary of its own, and with a fixed part that nobody sees."""


class Brief:
    """A value that shows what is unusual about it: fields that are as they are by default are left out."""

    def __repr__(self) -> str:
        told: list[str] = []
        for one in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            value = getattr(self, one.name)
            usual = one.default_factory() if one.default_factory is not MISSING else one.default
            if value != usual:
                told.append(f"{one.name}={_shown(value)}")
        return f"{type(self).__name__}({', '.join(told)})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Show a failing story in its short form; hypothesis asks for it by this name."""
        del cycle
        printer.text(repr(self))


def _shown(value: object) -> str:
    if isinstance(value, StrEnum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Policy):
        settings, usual = msgspec.structs.asdict(value), msgspec.structs.asdict(Policy())
        return f"Policy({', '.join(f'{key}={given!r}' for key, given in settings.items() if given != usual[key])})"
    return repr(value)


@dataclass(frozen=True, repr=False)
class Words(Brief):
    """A text: its kind, its size in thousandths of the budget (0: a few tokens), and which of its kind."""

    kind: str
    size: int
    seed: int


@dataclass(frozen=True, repr=False)
class Said(Brief):
    """Something that a person, a client or a shell put into the conversation."""

    words: tuple[Words, ...]
    by: Speaker = Speaker.HUMAN
    pictures: tuple[int, ...] = ()
    empty: Emptiness = Emptiness.NO
    marked: bool = False
    """It carries a cache mark, or a field that nobody knows."""
    by_hand: bool = False
    """Made as a value: no provider's form of it exists."""


@dataclass(frozen=True, repr=False)
class Answer(Brief):
    """What the model said without calling anything."""

    words: tuple[Words, ...]
    thinking: Thinking = Thinking.NONE
    thought: Words = Words("words", 1, 0)
    empty: Emptiness = Emptiness.NO
    trailing: str = ""
    by_hand: bool = False


@dataclass(frozen=True, repr=False)
class Result(Brief):
    """What a call gave back."""

    words: tuple[Words, ...]
    pictures: tuple[int, ...] = ()
    empty: Emptiness = Emptiness.NO
    is_error: bool = False


@dataclass(frozen=True, repr=False)
class Call(Brief):
    """One call, and what becomes of it."""

    arguments: tuple[Words, ...]
    result: Result
    fate: Fate = Fate.ANSWERED
    naming: Naming = Naming.FRESH
    shape: int = 0
    """How the arguments are laid out, see `script`."""


@dataclass(frozen=True, repr=False)
class Asked(Brief):
    """A message with calls, and their results."""

    calls: tuple[Call, ...]
    words: tuple[Words, ...] = ()
    thinking: Thinking = Thinking.NONE
    thought: Words = Words("words", 1, 0)
    apart: bool = False
    """Each result comes in a message of its own, where one message for all is usual."""
    reversed: bool = False
    """The results come in another order than the calls."""
    comment: Words | None = None
    """What a person typed while the calls ran, in the same message as the results."""
    by_hand: bool = False


@dataclass(frozen=True, repr=False)
class Orphan(Brief):
    """A result of a call that nobody made."""

    result: Result


@dataclass(frozen=True, repr=False)
class Switch(Brief):
    """Another model: from here on the window has another size, in hundredths of the story's."""

    window: int


@dataclass(frozen=True, repr=False)
class Refusal(Brief):
    """The provider refuses the next request as too long; it may name a limit, in hundredths of the window."""

    limit: int | None


@dataclass(frozen=True, repr=False)
class Return(Brief):
    """A person goes back by some messages."""

    back: int
    how: Again


@dataclass(frozen=True, repr=False)
class Undo(Brief):
    """The checkpoint in force is voided."""


@dataclass(frozen=True, repr=False)
class Replan(Brief):
    """A person has everything planned anew from the originals, under this strategy for this once."""

    strategy: str


@dataclass(frozen=True, repr=False)
class Change(Brief):
    """The project's settings change: these from here on, the others as they were."""

    settings: tuple[tuple[str, object], ...]

    def of(self, policy: Policy) -> Policy:
        """Give the changed settings."""
        return msgspec.structs.replace(policy, **dict(self.settings))


Event = Said | Answer | Asked | Orphan | Switch | Refusal | Return | Undo | Replan | Change


@dataclass(frozen=True, repr=False)
class Told(Brief):
    """What comes of asking a summarizer. Its text is as long as it should be, or so many thousandths of that."""

    words: Words = Words("words", 600, 0)
    failure: tuple[Fallback, WhyNoSummary] | None = None
    seconds: int = 3
    late: bool = False
    """It arrives for the call of the model after the one that it was asked for."""


@dataclass(frozen=True, repr=False)
class Furniture(Brief):
    """What every request carries beside its messages; sizes in thousandths of the budget."""

    system: int = 0
    tools: int = 0
    max_output: int | None = None
    """In thousandths of the window."""
    thinks: bool = False
    """The request asks for thoughts, so that every answer begins with one."""


@dataclass(frozen=True, repr=False)
class Story(Brief):
    """A conversation to be lived through."""

    dialect: str
    window: int
    policy: Policy
    events: tuple[Event, ...]
    furniture: Furniture = field(default_factory=Furniture)
    served: Served = Served.NOTHING
    ratio: int = 100
    """Hundredths: tokens of this provider per token of the base vocabulary."""
    overhead: int = 0
    """Tokens of the fixed part that nobody sees, in thousandths of the window."""
    summarizer: tuple[Told, ...] = ()
    """What comes of each time that a summary is asked for, in a circle; where empty, summaries are made by rules."""

    @property
    def max_output(self) -> int | None:
        """The output limit asked for, in tokens."""
        asked = self.furniture.max_output
        return None if asked is None else max(1_200 if self.furniture.thinks else 16, asked * self.window // 1000)

    @property
    def budget(self) -> int:
        """Tokens that sizes are thousandths of."""
        return Budget.of(self.policy, window=self.window, max_output=self.max_output).total

    def tokens(self, size: int) -> int:
        """Give a size in tokens."""
        return max(6, size * self.budget // 1000)

    def over(self, window: int, limit: int | None) -> int | None:
        """Give the limit of a refusal in tokens."""
        return None if limit is None else max(1_000, limit * window // 100)

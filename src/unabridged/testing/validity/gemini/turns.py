"""Gemini: how contents follow each other. Calls and responses belong together by place and number, not by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from unabridged.testing.validity.gemini.part import spelled
from unabridged.testing.validity.violation import Violation, as_list, as_object

_CALL_AFTER = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
_RESPONSE_AFTER = "Please ensure that function response turn comes immediately after a function call turn."
_NUMBER = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_MIXED = (
    "Please ensure that function call turn contains at least one function_call part which can not be mixed with "
    "function_response parts."
)


class Turn(NamedTuple):
    """One content, its members in snake_case."""

    number: int
    role: str
    parts: list[dict[str, object]]

    @property
    def calls(self) -> list[dict[str, object]]:
        """The parts that call a function."""
        return [part for part in self.parts if part.get("function_call") is not None]

    @property
    def responses(self) -> list[dict[str, object]]:
        """The parts that say what a function gave back."""
        return [part for part in self.parts if part.get("function_response") is not None]

    @property
    def where(self) -> str:
        """Path of the content in the body."""
        return f"contents.{self.number}"


def read(contents: Sequence[object]) -> list[Turn]:
    """Lay out contents of sound shape."""
    turns: list[Turn] = []
    for index, value in enumerate(contents):
        content = as_object(value) or {}
        parts = [spelled(part) for part in as_list(content.get("parts")) or ()]
        turns.append(Turn(index, "model" if content.get("role") == "model" else "user", parts))
    return turns


def check_turns(turns: Sequence[Turn]) -> Iterator[Violation]:
    """Yield turns out of place, and responses that are not as many as the calls before them."""
    if turns and turns[0].role == "model" and not turns[0].calls:
        yield Violation("starts_with_model", "contents.0", "History must start with a user turn.")
    for at, turn in enumerate(turns):
        before = turns[at - 1] if at else None
        if turn.calls:
            after = turns[at + 1] if at + 1 < len(turns) else None
            yield from _call_turn(turn, before, after)
        if turn.responses and not (before is not None and before.calls):
            yield Violation("response_without_call", turn.where, _RESPONSE_AFTER)


def _call_turn(turn: Turn, before: Turn | None, after: Turn | None) -> Iterator[Violation]:
    if turn.responses or turn.role != "model":
        yield Violation("call_out_of_place", turn.where, _MIXED)
    elif before is None or before.role == "model":
        yield Violation("call_after_model", turn.where, _CALL_AFTER)
    given = 0 if after is None else len(after.responses)
    if given != len(turn.calls):
        yield Violation("responses_uneven", turn.where, _NUMBER)

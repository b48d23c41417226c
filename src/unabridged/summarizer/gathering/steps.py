"""Calls with their results: each result belongs to the nearest earlier open call of its id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec

from unabridged.message import Message, Text, ToolCall, ToolResult
from unabridged.summarizer.gathering.outcome import Outcome, outcome_of

READ_OF_A_RESULT = 20_000
"""Characters looked at at either end of a result: what a tool says of itself stands there."""


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One call, what it was given, and what came of it."""

    call: ToolCall
    arguments: Mapping[str, object]
    """Empty where the call was given no JSON object."""
    answered: bool
    text: str
    """What the result says; of a very long one, both ends."""
    outcome: Outcome
    at: int
    """Position of the message that holds its result; of its own where there is none."""

    def text_of(self, *names: str) -> str:
        """Give the first of these arguments that is a text; "" if none is."""
        found = (self.arguments.get(name) for name in names)
        return next((value for value in found if isinstance(value, str) and value), "")

    def number_of(self, *names: str) -> int | None:
        """Give the first of these arguments that is a whole number."""
        found = (self.arguments.get(name) for name in names)
        return next((value for value in found if isinstance(value, int) and not isinstance(value, bool)), None)

    def has(self, *names: str) -> bool:
        """Tell whether one of these arguments was given."""
        return any(name in self.arguments for name in names)


def steps_of(messages: Sequence[Message]) -> list[Step]:
    """Give every call of the messages, in order. Results without a call are no one's."""
    calls: list[tuple[ToolCall, int]] = []
    results: dict[int, tuple[ToolResult, int]] = {}
    waiting: dict[str, list[int]] = {}
    for at, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, ToolCall):
                waiting.setdefault(part.id, []).append(len(calls))
                calls.append((part, at))
            elif isinstance(part, ToolResult) and waiting.get(part.call_id):
                results[waiting[part.call_id].pop()] = (part, at)
    return [_step(call, *results.get(place, (None, at))) for place, (call, at) in enumerate(calls)]


def _step(call: ToolCall, result: ToolResult | None, at: int) -> Step:
    text = result_text(result) if result else ""
    outcome = outcome_of(text, is_error=result.is_error) if result else Outcome(label="no result")
    return Step(
        call=call,
        arguments=object_of(call.arguments),
        answered=result is not None,
        text=text,
        outcome=outcome,
        at=at,
    )


def result_text(result: ToolResult) -> str:
    """Give what a result says; of a very long one, both ends."""
    text = "\n".join(part.text for part in result.parts if isinstance(part, Text))
    if len(text) <= 2 * READ_OF_A_RESULT:
        return text
    return f"{text[:READ_OF_A_RESULT]}\n{text[-READ_OF_A_RESULT:]}"


def object_of(arguments: str) -> Mapping[str, object]:
    """Read a call's arguments; an empty object where they are none."""
    if not arguments.lstrip().startswith("{"):
        return {}
    try:
        value: object = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        value = _by_the_lax_reader(arguments)
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _by_the_lax_reader(arguments: str) -> object:
    # Lone surrogates and control characters, which models do write.
    try:
        return json.loads(arguments, strict=False, parse_int=float)
    except (ValueError, RecursionError):
        return None


def objects_in(value: object) -> Iterator[Mapping[str, object]]:
    """Give the objects of a list; nothing where this is no list."""
    if isinstance(value, list):
        for item in cast("list[object]", value):
            if isinstance(item, dict):
                yield cast("dict[str, object]", item)

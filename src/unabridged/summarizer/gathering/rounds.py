"""The user's words, exactly, and what the model reported between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from unabridged.message import Message, Role
from unabridged.summarizer.gathering.sentences import choose
from unabridged.summarizer.gathering.steps import Step
from unabridged.summarizer.gathering.typed import told_to_a_tool, typed
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.record import Round

LAST_NOTE = 600
"""Characters of the model's last words in a round."""
NOTE = 240
"""Characters of what it said on the way."""
SHORTEST_NOTE = 40
STEPS_A_NOTE = 8
"""One note on the way for so many of the model's messages."""
MOST_NOTES = 24

_PARAGRAPH = re.compile(r"\n\s*\n")


def rounds_of(messages: Sequence[Message], steps: Iterable[Step], *, whole: int) -> Iterator[Round]:
    """Give the rounds of a span. A message of up to `whole` characters stands in full, of a longer one what counts."""
    told: dict[int, list[str]] = {}
    for step in steps:
        words = told_to_a_tool(step)
        if words:
            told.setdefault(step.at, []).append(words)
    said: tuple[str | int, ...] = ()
    reported: list[str] = []
    for at, message in enumerate(messages):
        spoken = [typed(message)] if message.is_human else []
        for words in filter(None, [*told.get(at, []), *spoken]):
            yield from _round(said, reported)
            said, reported = _words(words, whole), []
        if message.role is Role.ASSISTANT and message.text.strip():
            reported.append(message.text.strip())
    yield from _round(said, reported)


def _words(text: str, whole: int) -> tuple[str | int, ...]:
    return (text,) if len(text) <= whole else choose(text, whole)


def _round(said: tuple[str | int, ...], reported: list[str]) -> Iterator[Round]:
    notes = [*_on_the_way(reported[:-1]), *(brief(text, LAST_NOTE) for text in reported[-1:])]
    if said or notes:
        yield Round(words=said, notes=tuple(notes))


def _on_the_way(reported: list[str]) -> Iterator[str]:
    """Give the first paragraphs of what the model said most about, evenly over a long round."""
    count = min(MOST_NOTES, len(reported) // STEPS_A_NOTE)
    for place in range(count):
        stretch = reported[place * len(reported) // count : (place + 1) * len(reported) // count]
        longest = max(stretch, key=len)
        if len(longest) >= SHORTEST_NOTE:
            yield brief(_PARAGRAPH.split(longest, 1)[0], NOTE)

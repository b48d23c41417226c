"""The questions that a span comes to for a model with a given window."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.message import Message
from unabridged.summarizer.asking import Question
from unabridged.summarizer.chunking import Chunk, chunks
from unabridged.summarizer.prompt import (
    PROMPT_TOKENS,
    SYSTEM,
    WORDS_A_TOKEN,
    Wanted,
    conversation_question,
    merge_question,
)
from unabridged.summarizer.request import SummaryRequest
from unabridged.summarizer.shortening import cut_text

THOUGHTS, THOUGHTS_SHARE = 2_048, 8
"""Tokens of output beyond the summary, in small windows so many of which make a window: models that think spend them
first, and the limit counts both."""
ANSWER_SHARE = 6
"""A summary takes one of so many shares of its model's window at most."""
TASK_TOKENS, TASK_SHARE = 600, 0.15
"""What the task takes at most: so many tokens, and so much of the room in a question."""
BEFORE_SHARE = 0.3
"""Of the room in a question, what the summary of earlier messages may take."""
LEAST_PART = 250
"""Tokens that the summary of a part has at least."""


class Asked(msgspec.Struct, frozen=True):
    """A question, and the messages that its answer has to be about."""

    question: Question
    messages: tuple[Message, ...]


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """The model that reads, as far as its questions depend on it."""

    window: int
    """Tokens that it takes, question and answer together, in its own vocabulary."""
    ratio: float
    """How many of these one of the counter's tokens comes to at most."""
    sees: bool
    """Whether pictures and documents may be attached."""

    def wanted(self, most: int) -> int:
        """Give the tokens that a summary may take, by the counter, where `most` are allowed."""
        return max(LEAST_PART, min(most, self.window // ANSWER_SHARE))

    def room(self, wanted: int) -> int:
        """Give the tokens of data that fit a question whose answer takes `wanted`, by the counter."""
        return int((self.window - self.output(wanted)) / self.ratio) - PROMPT_TOKENS

    def output(self, wanted: int) -> int:
        """Give the output limit for an answer of so many of the counter's tokens."""
        return int(wanted * self.ratio) + min(THOUGHTS, self.window // THOUGHTS_SHARE)


def about_span(request: SummaryRequest, reader: Reader, wanted: int) -> list[Asked]:
    """Give one question for the whole span, or one for each of its parts; none where it fits in no way."""
    room = reader.room(wanted)
    before = cut_text(request.previous or "", int(room * BEFORE_SHARE), request.counter)
    orienting = min(TASK_TOKENS, int(room * TASK_SHARE))
    task = cut_text(request.task.text if request.task else "", orienting, request.counter)
    room -= sum(map(request.counter.count, (before, task, request.focus)))
    parts = chunks(request, room, sees=reader.sees)
    if len(parts) == 1:
        return [_about(parts[0], request, reader, _Place(before, task, None, wanted))]
    size = max(LEAST_PART, min(wanted, room // max(1, len(parts))))
    return [
        _about(part, request, reader, _Place("" if number > 1 else before, task, number, size))
        for number, part in enumerate(parts, 1)
    ]


class _Place(msgspec.Struct, frozen=True):
    """What stands around a part, and how long its summary may be."""

    before: str
    task: str
    number: int | None
    wanted: int


def _about(chunk: Chunk, request: SummaryRequest, reader: Reader, place: _Place) -> Asked:
    user = conversation_question(
        chunk.blocks,
        before=place.before,
        task=place.task,
        part=place.number,
        wanted=Wanted(int(place.wanted * WORDS_A_TOKEN), request.focus),
        attached=[number for number, _ in chunk.attached],
    )
    media = tuple((item, request.media[item.digest]) for _, item in chunk.attached if item.digest is not None)
    question = Question(system=SYSTEM, user=user, max_output=reader.output(place.wanted), media=media)
    return Asked(question, chunk.messages)


def about_parts(texts: Sequence[str], request: SummaryRequest, reader: Reader, wanted: int) -> list[Asked]:
    """Give the questions that merge the summaries of neighbouring parts: as few as fit, of two summaries at least."""
    room = reader.room(wanted) - request.counter.count(request.focus)
    pieces = [cut_text(text, room // 2, request.counter) for text in texts]
    total = sum(request.counter.count(piece) for piece in pieces)
    number = max(1, min(len(pieces) // 2, -(-total // max(1, room))))
    like = Wanted(int(wanted * WORDS_A_TOKEN), request.focus)
    groups = [pieces[at * len(pieces) // number : (at + 1) * len(pieces) // number] for at in range(number)]
    limit = reader.output(wanted)
    return [
        Asked(Question(system=SYSTEM, user=merge_question(group, wanted=like), max_output=limit), request.messages)
        for group in groups
    ]

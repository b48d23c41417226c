"""A model's summary and the facts that were kept without it, as one text."""

from __future__ import annotations

import re

import msgspec

from unabridged.summarizer.checking import without_thoughts
from unabridged.summarizer.extractive import known
from unabridged.summarizer.fitting import fit
from unabridged.summarizer.prompt import HEADINGS
from unabridged.summarizer.record import Record, Round
from unabridged.summarizer.request import SummaryRequest
from unabridged.summarizer.writing import TITLE, write

PREFACE = 400
"""Characters before the first heading that may be talk about the summary, and no part of it."""
BETWEEN = 4
"""Tokens between prose and facts."""

_WRAPPED = re.compile(r"\A```(?:markdown|md|text)?\n(?P<inner>.*)\n```\s*\Z", re.DOTALL)
_TAGGED = re.compile(
    r"\A<(?P<tag>summary|minutes|answer|output|result|state_snapshot)>(?P<inner>.*)</(?P=tag)>\s*\Z", re.DOTALL
)
_FIRST = re.compile(rf"^#{{1,4}} +\**(?:{'|'.join(map(re.escape, HEADINGS))})", re.MULTILINE | re.IGNORECASE)


def prose_in(answer: str) -> str:
    """Give the summary that an answer holds, without thoughts, wrapping, or a preface; never a line like our title."""
    text = without_thoughts(answer).strip()
    for pattern in (_WRAPPED, _TAGGED):
        wrapped = pattern.match(text)
        text = wrapped["inner"].strip() if wrapped else text
    first = _FIRST.search(text, 0, PREFACE)
    text = text[first.start() :] if first else text
    return "\n".join(f"#{line}" if line == TITLE else line for line in text.split("\n"))


def composed(prose: str, request: SummaryRequest) -> str:
    """Give the whole summary: the model's prose, then the facts, as many as the limit leaves room for.

    What the model reported on the way is in its prose, and left out of the facts.
    """
    facts = facts_of(request)
    room = request.limit - request.counter.count(prose) - BETWEEN
    while room > 0:
        text = write(msgspec.structs.replace(fit(facts, room, request.counter), prose=prose))
        over = request.counter.count(text) - request.limit
        if over <= 0:
            return text
        room -= over
    return prose


def facts_of(request: SummaryRequest) -> Record:
    """Give what stands beside a model's summary without its help: the user's words, files, commands, failures, to-dos.

    From its span and from the facts beside the previous summary.
    """
    record = known(request)
    rounds = tuple(Round(words=item.words) for item in record.rounds if item.words)
    return msgspec.structs.replace(record, prose="", task="", rounds=rounds)

"""Eight ways in which calls and results get out of order, as the OpenHands SDK tells them apart (`a01` to `a08`).

Each is seen by the provider's rules as it arrives, and mended by the engine before it goes out. The conversations are
our own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.repair.mending import DIALECTS, LISTED
from unabridged import Conversation
from unabridged.message import Message, Text
from unabridged.report import FitReason
from unabridged.testing import Violation, violations
from unabridged.testing.notation import read
from unabridged.wire import wire

BETWEEN = "the model speaks between call and result"
PATTERNS = {
    "a call without a result": "U:list A[c1] U:well",
    "a result without a call": "U:list A:which T(c9)",
    "a person speaks between call and result": "U:list A[c1] U:hidden T(c1)",
    BETWEEN: "U:list A[c1] A:running T(c1)",
    "a second result for a call": "U:list A[c1] T(c1) U:thanks A:welcome U:again T(c1:40)",
    "a result with the id of a call that is answered": "U:run A[c1] T(c1) A[c2] T(c1:40)",
    "one of several calls without a result": "U:weather A[c1,c2,c3] T(c1) T(c2) U:paris",
    "results before their calls": "U:weather T(c1) T(c2) A[c1,c2]",
}
TAKEN = {
    ("openai_responses", "a person speaks between call and result"): "a result may stand anywhere behind its call",
    ("openai_responses", BETWEEN): "a result may stand anywhere behind its call",
    ("anthropic", BETWEEN): "the API joins messages of the model that follow each other to one turn",
    ("gemini", "a result with the id of a call that is answered"): "ids are not looked at",
}
"""What a provider takes as it comes, with why."""
JOINED = {("gemini", BETWEEN)}
"""What is in order once answers that follow each other are written as one turn, which is no repair."""

everywhere = pytest.mark.parametrize("dialect", DIALECTS)
each_pattern = pytest.mark.parametrize("pattern", PATTERNS)


def spoken(pattern: str, dialect: str) -> list[Message]:
    return [message for message, _ in read(PATTERNS[pattern], dialect)]


def refused(messages: Sequence[Message], dialect: str) -> list[Violation]:
    """Give what the provider says to messages that are sent as they came."""
    listed: list[Any] = []
    for message in messages:
        written = json.loads(wire(dialect).write_message(message, {}))
        listed += written if isinstance(written, list) else [written]
    return violations(dialect, {LISTED.get(dialect, "messages"): listed})


def conversation(pattern: str, dialect: str) -> Conversation:
    limits: dict[str, Any] = {"max_tokens": 500} if dialect == "anthropic" else {}
    talk = Conversation(dialect=dialect, model="model", **limits)
    for message in spoken(pattern, dialect):
        talk.add(message)
    return talk


@everywhere
@each_pattern
def test_the_rules_see_what_is_out_of_order(pattern: str, dialect: str) -> None:
    assert bool(refused(spoken(pattern, dialect), dialect)) == ((dialect, pattern) not in TAKEN)


@everywhere
@each_pattern
def test_the_engine_mends_it_and_says_so(pattern: str, dialect: str) -> None:
    fitted = conversation(pattern, dialect).fit()
    assert violations(dialect, fitted.request()) == []
    if (dialect, pattern) in TAKEN or (dialect, pattern) in JOINED:
        assert fitted.report is None
    else:
        assert fitted.report is not None
        assert fitted.report.reason is FitReason.REPAIRED
        assert fitted.report.repaired >= 1


@everywhere
@each_pattern
def test_what_people_said_is_still_there_word_for_word(pattern: str, dialect: str) -> None:
    said = [message.text for message in spoken(pattern, dialect) if message.is_human]
    shown = [
        part.text
        for item in conversation(pattern, dialect).fit().items
        for part in item.message.parts
        if isinstance(part, Text)
    ]
    assert [text for text in shown if text in said] == said


@everywhere
@each_pattern
def test_mended_once_it_stays_as_it_is(pattern: str, dialect: str) -> None:
    talk = conversation(pattern, dialect)
    first = talk.fit()
    again = talk.fit()
    assert again.body() == first.body()
    assert again.report is None


@everywhere
@each_pattern
def test_the_log_keeps_it_as_it_came(pattern: str, dialect: str) -> None:
    talk = conversation(pattern, dialect)
    talk.fit()
    assert [record.message for record in talk.transcript.records] == spoken(pattern, dialect)

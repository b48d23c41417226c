"""Promise 11: what a step costs depends on what is new and on the window, not on the history."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from types import FrameType

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.events import Answer, Asked, Call, Event, Result, Said, Story, Words
from tests.properties.script import Ask, Line, Script, frame_of
from tests.properties.stories import DIALECTS, FLAVOURS, Teller, below
from tests.properties.walking import COUNTER, MODEL
from unabridged.checkpoint import Checkpoint
from unabridged.engine import Engine
from unabridged.entry import CheckpointEntry, Entry
from unabridged.errors import CannotFit
from unabridged.frame import Frame
from unabridged.log import Log
from unabridged.message import Message, Part
from unabridged.plan import Plan, Reason, Run, Verdict
from unabridged.policy import Policy
from unabridged.transcript import Transcript
from unabridged.wire import Wire

SHORT, LONG = 100, 3_000
"""Messages of history that a checkpoint hides."""
WINDOW = 8_000
TAIL, NEWS = 5_000, 6_000
"""Numbers of the first message behind the history, and of the first that is new: the same whatever the history."""
PACKAGE = "unabridged"


class Counting:
    """The session's counter, which counts how often it is asked."""

    name = COUNTER.name

    def __init__(self, work: Counter[str]) -> None:
        self._work = work

    def count(self, text: str) -> int:
        """Count, and count the counting."""
        self._work["counted"] += 1
        return COUNTER.count(text)


class CountingWire:
    """A wire that counts what it writes and edits."""

    def __init__(self, inner: Wire, work: Counter[str]) -> None:
        self._inner = inner
        self._work = work

    def __getattr__(self, name: str) -> object:
        return getattr(self._inner, name)

    def write_messages(self, messages: Sequence[Message], media: Mapping[str, bytes]) -> list[str]:
        """Write, and count the messages."""
        self._work["written"] += len(messages)
        return self._inner.write_messages(messages, media)

    def edit(self, message: Message, parts: Sequence[Part | None]) -> Message:
        """Edit, and count it."""
        self._work["edited"] += 1
        return self._inner.edit(message, parts)


@st.composite
def news(draw: st.DrawFn) -> Story:
    """What comes after the history: a few steps, over the budget most of the time."""
    dialect = DIALECTS[draw(below(2))]
    teller = Teller(draw, FLAVOURS[draw(st.sampled_from(("agent", "giants", "wordy")))], faulty=False, dialect=dialect)
    events: list[Event] = []
    for _ in range(1 + draw(below(5))):
        event = teller.event()
        if isinstance(event, Said | Asked | Answer):
            events.append(event)
    return Story(dialect, WINDOW, Policy(), tuple(events))


SPARE = {"functions": 6_000, "counted": 200, "written": 20, "edited": 20}
"""One fit may come a step earlier or later: the marker of 3,000 messages is a token longer than that of 100."""


@given(news())
def test_a_step_does_the_same_work_after_a_hundred_messages_and_after_three_thousand(story: Story) -> None:
    short, long = work_of(story, SHORT), work_of(story, LONG)
    for kind in ("functions", "counted", "written", "edited"):
        most = max(step.get(kind, 0) for step in short)
        assert max(step.get(kind, 0) for step in long) <= 1.5 * most + SPARE[kind]


def work_of(story: Story, history: int) -> list[dict[str, int]]:
    """Give, for each call of the model, how much was counted, written and edited, and how many functions ran."""
    work = Counter[str]()
    transcript = opened(story.dialect, history, work)
    engine = Engine(transcript, dialect=story.dialect)
    engine.wire = CountingWire(engine.wire, work)  # type: ignore[assignment]  # it hands everything on
    frame = frame_of(story)
    fit(engine, frame, story)
    done: list[dict[str, int]] = []
    for move in Script(story, number=NEWS).moves():
        if isinstance(move, Line | Ask):
            work.clear()
            with functions_counted(work):
                if isinstance(move, Line):
                    transcript.append(move.message, media=move.media)
                else:
                    fit(engine, frame, story)
            done.append(dict(work))
    return done


def fit(engine: Engine, frame: Frame, story: Story) -> None:
    """Fit and commit; where nothing fits, that is an outcome too."""
    with suppress(CannotFit):
        engine.commit(engine.fit(frame, story.policy, window=story.window, model=MODEL))


@contextmanager
def functions_counted(work: Counter[str]) -> Iterator[None]:
    """Count every function of the package that is entered; those of the tokenizer, which remembers, left out."""

    def entered(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and PACKAGE in frame.f_code.co_filename and "exact" not in frame.f_code.co_filename:
            work["functions"] += 1

    before = sys.getprofile()
    sys.setprofile(entered)
    try:
        yield
    finally:
        sys.setprofile(before)


def opened(dialect: str, history: int, work: Counter[str]) -> Transcript:
    """Open a transcript whose checkpoint hides so many messages between the task and a tail that is always the same."""
    log = Log.restore("session", history_of(dialect, history), counter=COUNTER.name, media={})
    return Transcript(log, counter=Counting(work))


@cache
def history_of(dialect: str, hidden: int) -> tuple[Entry, ...]:
    """Write the log of such a history."""
    transcript = Transcript(counter=COUNTER)
    task = said(0)
    middle = tuple(event for turn in range(hidden // 4) for event in (answered(turn), asked(turn)))
    for events, number in (((task,), 0), (middle, 1), (tuple(asked(turn) for turn in range(5)), TAIL)):
        for move in Script(Story(dialect, WINDOW, Policy(), events), number=number).moves():
            if isinstance(move, Line):
                transcript.append(move.message)
    end = sum(1 for record in transcript.records if int(record.message.id[2:]) < TAIL)
    transcript.record(CheckpointEntry(hiding(transcript, 1, end)))
    return tuple(transcript.log.entries)


def hiding(transcript: Transcript, start: int, end: int) -> Checkpoint:
    """Make a checkpoint that hides the messages from `start` up to, not including, `end`."""
    first, last = transcript.records[start].message.id, transcript.records[end - 1].message.id
    newest = transcript.records[-1]
    run = Run(first, last, end - start, Verdict.DROP, Reason.OLDEST_GROUP)
    return Checkpoint(
        id="hidden",
        reaches=newest.message.id,
        digest=transcript.digest_of(newest),
        plan=Plan(runs=(run,)),
        strategy="trim",
        budget=WINDOW,
    )


def said(turn: int) -> Said:
    """A few words of a person."""
    return Said((Words("words", 2, turn % 40),))


def answered(turn: int) -> Answer:
    """A few words of the model."""
    return Answer((Words("words", 1, turn % 40),))


def asked(turn: int) -> Asked:
    """A step of an agent with a small output."""
    return Asked((Call((Words("words", 0, turn % 40),), Result((Words("code", 4, turn % 40),))),))

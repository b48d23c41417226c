"""Lives a story through: appends what arrives, and fits, commits and reports usage at every call of the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import msgspec

from tests.properties.events import Again, Change, Refusal, Replan, Return, Served, Story, Switch, Told, Undo
from tests.properties.outside import Room, fixed_tokens, plain, tokens_of
from tests.properties.script import LONGEST, Ask, Line, Move, Script, frame_body, frame_of
from tests.properties.tally import TALLY
from tests.properties.texts import passage
from unabridged.checkpoint import Checkpoint
from unabridged.engine import Engine, Outcome, Overflow, Span
from unabridged.entry import Entry, ReportEntry, UndoEntry
from unabridged.errors import BadInput, CannotFit
from unabridged.fitted import Fitted
from unabridged.frame import Frame
from unabridged.message import Message
from unabridged.policy import Policy
from unabridged.report import FitReason, Report, Usage
from unabridged.summarizer import NoSummary, Summary
from unabridged.tokens import TokenCounter, default_counter
from unabridged.transcript import Transcript


class Remembering:
    """The session's counter, which counts each text once: stories are lived through several times."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._known: dict[str, int] = {}

    @property
    def name(self) -> str:
        """The name of the counter that counts."""
        return self._counter.name

    def count(self, text: str) -> int:
        """Count a text, or remember what it counted."""
        known = self._known.get(text)
        if known is None:
            if len(self._known) > 20_000:
                self._known.clear()
            known = self._known[text] = self._counter.count(text)
        return known


COUNTER = Remembering(default_counter())


@dataclass(frozen=True)
class Step:
    """One call of the model: what was known before it, and what came of it."""

    story: Story
    policy: Policy
    number: int
    lines: tuple[Line, ...]
    """The transcript, as it arrived."""
    frame: Frame
    window: int
    overflow: Overflow | None
    chain: tuple[Checkpoint, ...]
    """Checkpoints in force before the fit, newest first."""
    before: tuple[Entry, ...]
    """The log before the fit."""
    after: tuple[Entry, ...]
    fitted: Fitted | None
    refusal: CannotFit | None
    transcript: Transcript
    engine: Engine
    outcome: Outcome | None = None
    """What came of asking for a summary; None where nobody was asked."""
    is_stale: bool = False
    """It is what came of an earlier request."""
    replanned: bool = False
    """Everything was planned anew from the originals."""

    @property
    def dialect(self) -> str:
        """Whose requests these are."""
        return self.story.dialect

    @property
    def report(self) -> Report | None:
        """What the fit reported."""
        return None if self.fitted is None else self.fitted.report

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The transcript."""
        return tuple(plain(line.message) for line in self.lines)

    @cached_property
    def room(self) -> Room:
        """The budget by the arithmetic of the design, an overflow left out."""
        return Room.of(self.policy, self.window, self.story.max_output)

    @cached_property
    def is_over(self) -> bool:
        """Whether the request is to be made smaller: by the budget, by what a refusal before taught, or by one now."""
        assert self.fitted is not None
        return self.overflow is not None or self.fitted.tokens >= self.taught.budget

    @cached_property
    def taught(self) -> Room:
        """The same under what refusals taught: the window and the budget of the newest one."""
        ceiling = self.transcript.learned.ceilings.get(MODEL)
        if ceiling is None:
            return self.room
        room = self.room
        if ceiling.window < room.window:
            uncapped = msgspec.structs.replace(self.policy, max_context_tokens=None)
            room = Room.of(uncapped, ceiling.window, self.story.max_output)
        return replace(room, budget=min(room.budget, ceiling.budget))

    @cached_property
    def learned(self) -> bool:
        """Whether the provider refused a request before: what the model takes may be less than its window."""
        reports = (entry.payload.report for entry in self.before if isinstance(entry.payload, ReportEntry))
        return self.overflow is not None or any(report.reason is FitReason.PROVIDER_OVERFLOW for report in reports)

    @cached_property
    def chain_before(self) -> tuple[Checkpoint, ...]:
        """Checkpoints that the fit went by: none, where everything was planned anew."""
        return () if self.replanned else self.chain

    @cached_property
    def chain_after(self) -> tuple[Checkpoint, ...]:
        """Checkpoints in force after the fit, newest first."""
        assert self.fitted is not None
        new = self.fitted.checkpoint
        if new is None:
            return () if self.fitted.undo is not None else self.chain_before
        return (new, *self.chain_before) if new.step else (new,)

    @cached_property
    def body(self) -> dict[str, Any]:
        """The request, decoded."""
        assert self.fitted is not None
        return json.loads(self.fitted.body())

    @cached_property
    def tokens(self) -> int:
        """The request's tokens by an exact count from outside."""
        assert self.fitted is not None
        return fixed_of(self.story) + sum(map(tokens_of, self.fitted.texts))

    @cached_property
    def full(self) -> int:
        """Tokens of the whole transcript, nothing taken out."""
        texts = (text for line in self.lines for text in texts_of(self, line))
        return fixed_of(self.story) + sum(map(tokens_of, texts))

    def fit(self, engine: Engine) -> Fitted:
        """Fit the same request with another engine."""
        if self.replanned:
            return engine.replan(self.frame, self.policy, window=self.window, model=MODEL)
        return engine.fit(
            self.frame,
            self.policy,
            window=self.window,
            model=MODEL,
            overflow=self.overflow,
            outcome=self.outcome,
        )

    def again(self, engine: Engine) -> Fitted:
        """Fit once more, now that the fit is done."""
        return engine.fit(self.frame, self.policy, window=self.window, model=MODEL, overflow=self.overflow)


MODEL = "model"


def texts_of(step: Step, line: Line) -> list[str]:
    """Give the JSON texts of one message as it came in; none for what was made by hand and says nothing."""
    if line.raw is not None:
        return [line.raw]
    try:
        return step.engine.wire.write_messages([line.message], step.transcript.log.media)
    except BadInput:
        return []


def fixed_of(story: Story) -> int:
    """Give the tokens that every request of a story carries beside its messages."""
    head, tail = frame_body(story)
    return fixed_tokens(head + tail)


class Walker:
    """A story while it is lived through."""

    def __init__(self, story: Story, *, counter: TokenCounter = COUNTER) -> None:
        self.story = story
        self.policy = story.policy
        self.frame = frame_of(story)
        self.window = story.window
        self.counter = counter
        self.transcript = Transcript(counter=counter)
        self.engine = Engine(self.transcript, dialect=story.dialect)
        self.lines: list[Line] = []
        self.refusals: list[Refusal] = []
        self.steps = 0
        self.asked = 0
        self.late: Outcome | None = None

    def walk(self) -> Iterator[Step]:
        """Give every call of the model."""
        TALLY.begin()
        for move in Script(self.story).moves():
            yield from self.move(move)
        TALLY.end()

    def move(self, move: Move) -> Iterator[Step]:
        """Let one thing happen."""
        match move:
            case Line():
                self.transcript.append(move.message, media=move.media)
                self.lines.append(move)
            case Ask() if self.lines:
                yield from self._ask()
            case Replan() if self.lines:
                yield self.fit(None, replan=move)
            case Return() if len(self.lines) > move.back:
                self._go_back(move)
            case _:
                self._settle(move)

    def _settle(self, move: Move) -> None:
        """Let something happen that is no message and calls no model."""
        match move:
            case Switch(window=size):
                self.window = max(1_500, self.story.window * size // 100)
            case Refusal():
                self.refusals.append(move)
            case Change():
                self.policy = move.of(self.policy)
            case Undo():
                chain, _ = self.transcript.in_force()
                if chain:
                    self.transcript.record(UndoEntry(chain[0].id))
            case _:
                pass

    def _ask(self) -> Iterator[Step]:
        step = self.fit(None)
        yield step
        for refusal in self.refusals:
            if step.fitted is None:
                break
            limit = self.story.over(self.window, refusal.limit)
            self.window = self.window if limit is None else min(self.window, limit)
            step = self.fit(Overflow(limit))
            yield step
        self.refusals.clear()
        self._report(step)

    def fit(self, overflow: Overflow | None, *, replan: Replan | None = None) -> Step:
        """Ask for a summary where the story has a summarizer, fit and commit; where nothing fits, commit nothing."""
        policy = self.policy if replan is None else msgspec.structs.replace(self.policy, strategy=replan.strategy)
        stale, outcome, self.late = self.late, None, None
        fitted, refusal = None, None
        try:
            if replan is None and self.story.summarizer:
                outcome = self._summary(overflow)
        except CannotFit:
            pass  # the fit refuses as well, and is looked at
        step = Step(
            story=self.story,
            policy=policy,
            number=self.steps + 1,
            lines=tuple(self.lines),
            frame=self.frame,
            window=self.window,
            overflow=overflow,
            chain=self.transcript.in_force()[0],
            before=tuple(self.transcript.log.entries),
            after=(),
            fitted=None,
            refusal=None,
            transcript=self.transcript,
            engine=self.engine,
            outcome=outcome or stale,
            is_stale=outcome is None and stale is not None,
            replanned=replan is not None,
        )
        try:
            fitted = step.fit(self.engine)
        except CannotFit as raised:
            refusal = raised
        else:
            self.engine.commit(fitted)
        self.steps += 1
        step = replace(step, fitted=fitted, refusal=refusal, after=tuple(self.transcript.log.entries))
        TALLY.see(step)
        return step

    def _summary(self, overflow: Overflow | None) -> Outcome | None:
        """Ask for a summary, as a conversation does; a late one is kept for the next fit."""
        span = self.engine.span(self.frame, self.policy, window=self.window, model=MODEL, overflow=overflow)
        if span is None:
            return None
        told = self.story.summarizer[self.asked % len(self.story.summarizer)]
        self.asked += 1
        self.transcript.record(ReportEntry(span.report))
        TALLY.counts["phase", span.report.phase.value] += 1
        outcome = what_came(told, span)
        if told.late:
            self.late = outcome
            return None
        return outcome

    def _report(self, step: Step) -> None:
        if self.story.served is Served.NOTHING or step.fitted is None:
            return
        overhead = self.story.overhead * self.story.window // 1000
        self.engine.report_usage(step.fitted, Usage(input=step.tokens * self.story.ratio // 100 + overhead))

    def _go_back(self, move: Return) -> None:
        to = len(self.lines) - 1 - move.back
        inclusive = move.how is Again.REWIND
        self.transcript = self.transcript.branch_from(
            self.lines[to].message.id, why=move.how.value, inclusive=inclusive
        )
        del self.lines[to + inclusive :]
        self.engine = Engine(self.transcript, dialect=self.story.dialect)


def what_came(told: Told, span: Span) -> Outcome:
    """Give what a story says comes of asking for a summary."""
    ms, model = told.seconds * 1_000, "scribe"
    if told.failure is not None:
        fallback, why = told.failure
        return Outcome(span=span, result=NoSummary(fallback=fallback, reason=why), ms=ms, timeout_s=120, model=model)
    length = told.words.size * span.request.limit // 1_000
    text = passage(told.words.kind, min(length, LONGEST), told.words.seed) if length else ""
    return Outcome(span=span, result=Summary(text=text, model=model), ms=ms, timeout_s=120, model=model)


def walk(story: Story, *, counter: TokenCounter = COUNTER) -> Iterator[Step]:
    """Live a story through and give every call of the model."""
    return Walker(story, counter=counter).walk()


def shown_ids(fitted: Fitted) -> Mapping[str, Message]:
    """Give the messages of a view by the id of the message that each was made from; of several, the first."""
    shown: dict[str, Message] = {}
    for item in fitted.items:
        if item.source is not None:
            shown.setdefault(item.source, plain(item.message))
    return shown

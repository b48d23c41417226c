"""Asking a summarizer while a turn waits: whatever comes of it, the turn goes on, and what was asked has an answer."""

from __future__ import annotations

import asyncio
import selectors
from dataclasses import dataclass

import msgspec
from hypothesis import given

from tests.properties.events import Change, Story, Told
from tests.properties.script import LONGEST, Ask, Line, Script, frame_of
from tests.properties.stories import stories
from tests.properties.tally import TALLY
from tests.properties.texts import passage
from unabridged.conversation import Conversation
from unabridged.entry import ReportEntry
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.report import Phase, Report, ResolvedBy
from unabridged.summarizer import NoSummary, Summary, SummaryRequest, WhyNoSummary
from unabridged.testing.validity import violations

PATIENCE_S = 20.0
SECRET = "sk-secret: the upstream broke"


class Clock(selectors.DefaultSelector):
    """Waits for nothing: where a loop would sleep, its time goes on instead. So a summarizer may hang for a minute."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Give what is ready; else let the time pass."""
        ready = super().select(0 if timeout is not None else None)
        if not ready and timeout is not None:
            self.now += timeout
        return ready


class Impatient(asyncio.SelectorEventLoop):
    """A loop of which the time is its clock's."""

    def __init__(self) -> None:
        self._clock = Clock()
        super().__init__(self._clock)

    def time(self) -> float:
        """Give seconds since the loop began."""
        return self._clock.now


@dataclass
class Scribe:
    """A summarizer that does as it is told, in a circle."""

    told: tuple[Told, ...]
    asked: int = 0

    async def summarize(self, request: SummaryRequest) -> Summary | NoSummary:
        """Say what the story says, raise, or hang."""
        told = self.told[self.asked % len(self.told)]
        self.asked += 1
        if told.failure is None:
            length = told.words.size * request.limit // 1_000
            return Summary(text=passage(told.words.kind, min(length, LONGEST), told.words.seed) if length else "")
        fallback, why = told.failure
        match why:
            case WhyNoSummary.DEADLINE:
                await asyncio.sleep(60)
            case WhyNoSummary.RAISED:
                raise ConnectionError(SECRET)
            case WhyNoSummary.CLIENT_TIMEOUT:
                raise TimeoutError(SECRET)
            case _:
                pass
        return NoSummary(fallback=fallback, reason=why, detail=SECRET)


@given(stories(most_events=24))
def test_whatever_comes_of_asking_the_turn_goes_on_and_each_question_has_one_answer(story: Story) -> None:
    if story.summarizer and story.policy.strategy != "none":
        with asyncio.Runner(loop_factory=Impatient) as runner:
            runner.run(_hold(story))


async def _hold(story: Story) -> None:
    policy = msgspec.structs.replace(story.policy, strategy="summarize", summarizer_timeout_s=PATIENCE_S)
    scribe = Scribe(story.summarizer)
    talk = Conversation(frame=frame_of(story), policy=policy, window=story.window, summarizer=scribe)
    for move in Script(story).moves():
        if isinstance(move, Line):
            if move.raw is None:
                talk.transcript.log.media.update(move.media)
            talk.add(move.message if move.raw is None else move.raw, origin=move.message.origin)
        elif isinstance(move, Change):
            talk.policy = move.of(talk.policy)
        elif isinstance(move, Ask) and talk.transcript.records:
            await _turn(talk, scribe)


async def _turn(talk: Conversation, scribe: Scribe) -> None:
    """Fit, and look at what was reported meanwhile. Where nothing fits, the next message must find a way on."""
    seen: list[Report] = []
    asked, begun = scribe.asked, len(talk.transcript.log)
    try:
        fitted = await talk.fit_async(on_report=seen.append)
    except CannotFit:
        await _goes_on(talk)
        return
    assert violations(talk.frame.dialect, fitted.body()) == []
    assert SECRET.encode() not in fitted.body()
    logged = [
        entry.payload.report for entry in talk.transcript.log.entries[begun:] if isinstance(entry.payload, ReportEntry)
    ]
    assert logged == seen
    phases = [report.phase for report in seen]
    for phase in phases:
        TALLY.counts["phase", phase.value] += 1
    assert phases[:-1] == [Phase.COMPACTING] * (scribe.asked - asked)
    if scribe.asked > asked:
        it_has_an_answer(seen[-1])
    it_is_the_same_without_asking(talk, fitted)


def it_has_an_answer(report: Report) -> None:
    """`done` says how long it took, and what came of it."""
    assert report.phase is Phase.DONE
    assert report.summarizer_ms is not None
    assert report.summarizer_timeout_s == PATIENCE_S
    assert (report.resolved_by is ResolvedBy.SUMMARIZE) == (report.fallback is None)


def it_is_the_same_without_asking(talk: Conversation, fitted: Fitted) -> None:
    """What was decided holds: the same request comes of a fit that asks nobody."""
    if fitted.tokens < (fitted.report.budget if fitted.report is not None else 0):
        assert talk.preview().texts == fitted.texts


async def _goes_on(talk: Conversation) -> None:
    """What was refused is out of the branch: with less, the conversation goes on, if anything of it fits at all."""
    left = len(talk.transcript.records)
    try:
        await talk.fit_async()
    except CannotFit:
        assert len(talk.transcript.records) == left

"""Promise 9: a refusal, an overflow or a crash never makes the next turn worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.events import Served, Story
from tests.properties.outside import Room, tokens_of
from tests.properties.script import Ask, Line, Move, Script, frame_of
from tests.properties.stories import stories
from tests.properties.texts import passage
from tests.properties.walking import COUNTER, MODEL, Step, Walker, fixed_of
from unabridged.conversation import Conversation
from unabridged.engine import Engine, Overflow
from unabridged.entry import MessageEntry
from unabridged.errors import CannotFit
from unabridged.log import Log
from unabridged.message import Message, Reasoning, Role, Text
from unabridged.report import Fallback
from unabridged.store.lines import decode_entry, encode_entry
from unabridged.testing.validity import violations
from unabridged.transcript import Transcript

NEWS = Message(id="news", role=Role.USER, parts=(Text("and now go on, please"),))
ERRORS = ("CannotFit", "needs at least", "can be used", "Traceback", "unabridged.errors")
NEAR, MARKERS = 1.1, 200
"""How far above the floor a view may lie of which nothing can go: shares of it, and tokens."""
MENDED = 40
"""Tokens that stand for what was mended, a picture that is too large for one; a floor does not know of them."""
CRASHES = 5
OVERFLOWS = 4


@given(stories(most_events=16), st.integers(0, 12))
def test_a_message_that_cannot_fit_leaves_no_trace_in_any_later_request(story: Story, when: int) -> None:
    moves = [move for move in Script(story).moves() if isinstance(move, Line | Ask)]
    disturbed = list(requests(story, moves, disturbed_at=when))
    undisturbed = list(requests(story, moves, disturbed_at=None))
    assert disturbed == undisturbed
    assert not any(error in text for body in disturbed if body is not None for error in ERRORS for text in [body])


@given(stories(most_events=24), st.integers(0, 10_000))
def test_after_a_crash_at_any_entry_the_next_turn_works(story: Story, seed: int) -> None:
    walker = Walker(story)
    for _ in walker.walk():
        pass
    entries = [decode_entry(encode_entry(entry)) for entry in walker.transcript.log.entries]
    for nth in range(CRASHES):
        upto = 1 + (seed * (nth + 1) + nth * len(entries) // CRASHES) % len(entries) if entries else 0
        log = Log.restore("session", entries[:upto], counter=COUNTER.name, media=walker.transcript.log.media)
        messages = [entry.payload.message for entry in log.entries if isinstance(entry.payload, MessageEntry)]
        transcript = Transcript(log, counter=COUNTER)
        assert {record.message.id for record in transcript.records} <= {message.id for message in messages}
        transcript.append(NEWS)
        it_goes_on(walker, transcript)


@given(stories(most_events=24))
def test_each_overflow_is_answered_by_a_smaller_request_until_nothing_can_go(story: Story) -> None:
    walker = Walker(story)
    last: Step | None = None
    for last in walker.walk():  # noqa: B007 - overflows come at the end
        pass
    if last is None or last.fitted is None or not walker.lines or walker.policy.strategy == "none":
        return
    before, price = last.tokens, last.fitted.sent.price
    thinks = any(isinstance(part, Reasoning) for line in walker.lines for part in line.message.parts)
    for _ in range(OVERFLOWS):
        step = walker.fit(Overflow())
        if step.fitted is None:
            assert step.after == step.before
            return
        if step.report is not None and step.report.fallback is Fallback.NOTHING_EVICTABLE:
            assert step.fitted.checkpoint is None
            assert step.tokens <= before
            mended = sum(count for _, count in step.report.repairs)
            assert step.report.tokens_after <= step.report.floor * NEAR + MARKERS + MENDED * mended
            return
        assert step.fitted.sent.price < price
        assert step.tokens < before or thinks  # the count from outside leaves thoughts out, as some providers do
        before, price = step.tokens, step.fitted.sent.price
        after = walker.fit(None)
        assert after.fitted is not None
        assert after.tokens <= before


def requests(story: Story, moves: Sequence[Move], *, disturbed_at: int | None) -> Iterator[str | None]:
    """Hold a conversation and give its requests; before one of them a message comes that can never fit."""
    talk = Conversation(frame=frame_of(story), policy=story.policy, window=story.window)
    asked = 0
    for move in moves:
        if isinstance(move, Line):
            if move.raw is not None:
                talk.add(move.raw, origin=move.message.origin)
            elif not move.media:
                talk.add(
                    Message(
                        id=f"by-hand-{move.message.id}",
                        role=move.message.role,
                        parts=move.message.parts,
                        origin=move.message.origin,
                    )
                )
        elif talk.transcript.records:
            body = request(talk)
            if asked == disturbed_at and body is not None and story.policy.strategy != "none":
                talk.user(passage("words", 2 * story.window, 3))
                assert request(talk) is None, "a message of twice the window was sent"
                again = request(talk)
                assert again == body
            asked += 1
            yield body


def request(talk: Conversation) -> str | None:
    """Give the next request, or None where nothing fits."""
    try:
        return talk.fit().body().decode()
    except CannotFit:
        return None


def it_goes_on(walker: Walker, transcript: Transcript) -> None:
    """The request after a crash is valid, holds what was just said, fits, and tells the model nothing of errors."""
    story = walker.story
    room = Room.of(walker.policy, walker.window, story.max_output)
    try:
        fitted = Engine(transcript, dialect=story.dialect).fit(
            walker.frame, walker.policy, window=walker.window, model=MODEL
        )
    except CannotFit:
        assert fixed_of(story) + transcript.total.under(story.dialect).tokens > room.limit / 1.7
        return
    assert violations(story.dialect, fitted.body()) == []
    assert any("and now go on, please" in text for text in fitted.texts)
    assert not any(error in text for error in ERRORS for text in fitted.texts)
    if story.served is Served.NOTHING and walker.policy.strategy != "none":
        assert fixed_of(story) + sum(map(tokens_of, fitted.texts)) <= (
            room.budget if fitted.tokens <= room.budget else room.limit
        )

"""Promise 7: the same state gives the same view, byte for byte, in any process; between checkpoints it only grows."""

from __future__ import annotations

from hypothesis import given

from tests.properties.arrival import complaints
from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Step
from tests.properties.watching import ALONE, Watch, watch
from unabridged.engine import Engine
from unabridged.entry import Entry
from unabridged.errors import CannotFit
from unabridged.log import Log
from unabridged.message import Role
from unabridged.store.lines import decode_entry, encode_entry
from unabridged.transcript import Transcript

EVERY = 3
"""Reading a log back at each call would cost most of the time; the last call is always among those looked at."""


class SameStateSameView(Watch):
    """Promise 7: a new process gives the same request."""

    def __init__(self) -> None:
        self._read: dict[int, Entry] = {}

    def see(self, step: Step) -> None:
        """Make the request again, from what was stored."""
        for entry in step.after[len(self._read) :]:
            self._read[entry.seq] = decode_entry(encode_entry(entry))
        if step.number % EVERY == 1 or step.refusal is not None:
            it_gives_the_same(step, Engine(restored(step, self._read), dialect=step.dialect))
        if step.fitted is not None:
            it_grew_to_what_it_is_afresh(step)


class StablePrefix(Watch):
    """Promise 7: what a provider has cached stays good between two checkpoints."""

    def __init__(self) -> None:
        self._before: Step | None = None

    def see(self, step: Step) -> None:
        """Hold a request against the one before it."""
        before, self._before = self._before, step
        if before is not None and goes_on(before, step):
            assert before.fitted is not None
            assert step.fitted is not None
            assert step.fitted.texts[: len(before.fitted.texts)] == before.fitted.texts


@ALONE
@given(stories())
def test_a_new_process_and_a_view_made_afresh_give_the_same_request_byte_for_byte(story: Story) -> None:
    watch(story, SameStateSameView())


@ALONE
@given(stories(faulty=False))
def test_between_two_checkpoints_a_request_begins_with_the_one_before(story: Story) -> None:
    watch(story, StablePrefix())


def restored(step: Step, read: dict[int, Entry]) -> Transcript:
    """Give the transcript that a new process has, as the log stood before the fit."""
    log = Log.restore(
        "session",
        [read[entry.seq] for entry in step.before],
        counter=step.transcript.log.counter,
        media=step.transcript.log.media,
    )
    return Transcript(log, branch=step.transcript.branch, counter=COUNTER)


def it_grew_to_what_it_is_afresh(step: Step) -> None:
    """What was kept between steps only saved work. Over the budget a second fit may decide anew."""
    assert step.fitted is not None
    if step.learned or step.fitted.tokens >= step.room.budget:
        return
    afresh = step.again(Engine(step.transcript, dialect=step.dialect))
    assert afresh.texts == step.fitted.texts
    assert afresh.body() == step.fitted.body()
    assert afresh.checkpoint is None
    assert step.fitted.checkpoint is not None or afresh.tokens == step.fitted.tokens


def it_gives_the_same(step: Step, engine: Engine) -> None:
    """The same request, the same decision, the same refusal."""
    if step.refusal is not None:
        try:
            step.fit(engine)
        except CannotFit as refusal:
            assert str(refusal) == str(step.refusal)  # noqa: PT017 - where the refusal comes from is looked at too
            return
        raise AssertionError("what was refused fits in a new process")
    assert step.fitted is not None
    again = step.fit(engine)
    assert again.body() == step.fitted.body()
    assert again.texts == step.fitted.texts
    assert (again.tokens, again.sent, again.undo) == (step.fitted.tokens, step.fitted.sent, step.fitted.undo)
    assert again.checkpoint == step.fitted.checkpoint


def goes_on(before: Step, step: Step) -> bool:
    """Tell whether a request only adds to the one before: same branch and frame, nothing newly cut or broken."""
    if before.fitted is None or step.fitted is None or before.transcript is not step.transcript:
        return False
    if step.overflow is not None or step.fitted.undo is not None or step.replanned:
        return False
    if step.fitted.checkpoint is not None and not step.fitted.checkpoint.step:
        return False
    if step.chain[:1] != before.chain_after[:1] or before.lines[-1].message.role is Role.ASSISTANT:
        return False
    return not complaints(before) and not complaints(step)

"""Promise 5: a fit only appends; every message is there for ever, on every branch, with and without checkpoints."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given

from tests.properties.arrival import damaged
from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Step, shown_ids
from tests.properties.watching import ALONE, Watch, watch
from unabridged.engine import Engine
from unabridged.entry import CheckpointEntry, Entry, FrameEntry, MessageEntry, ReportEntry, UndoEntry
from unabridged.log import Log
from unabridged.policy import Policy
from unabridged.store.lines import encode_entry
from unabridged.transcript import Transcript

APPENDED = FrameEntry | CheckpointEntry | ReportEntry | UndoEntry
PLENTY = 100_000_000


class NothingIsDeleted(Watch):
    """Promise 5."""

    def __init__(self) -> None:
        self._stored: dict[int, bytes] = {}
        self._branches: dict[str, tuple[str, ...]] = {}
        self._last: Step | None = None

    def see(self, step: Step) -> None:
        """Hold the log against what it held before."""
        it_only_appends(step)
        entries_are_as_stored(step, self._stored)
        self._branches[step.transcript.branch] = tuple(message.id for message in step.messages)
        self._last = step

    def end(self) -> None:
        """Look whether all that was said on any branch is there."""
        if self._last is None:
            return
        assert self._last.transcript.log.damaged() == ()
        every_branch_is_as_it_was(self._last.transcript.log, self._branches)
        all_is_there_without_checkpoints(self._last)


@ALONE
@given(stories())
def test_a_fit_only_appends_and_every_message_stays_on_its_branch_with_and_without_checkpoints(story: Story) -> None:
    watch(story, NothingIsDeleted())


def every_branch_is_as_it_was(log: Log, branches: Mapping[str, tuple[str, ...]]) -> None:
    """Going back leaves what it goes back from, and gives no id twice."""
    for branch, ids in branches.items():
        again = Transcript(log, branch=branch, counter=COUNTER)
        assert tuple(record.message.id for record in again.records)[: len(ids)] == ids
    written = [entry.payload.message.id for entry in log.entries if isinstance(entry.payload, MessageEntry)]
    assert len(set(written)) == len(written)


def all_is_there_without_checkpoints(step: Step) -> None:
    """Ignoring every checkpoint gives every message that came in, in the transcript and in a view that holds it."""
    bare = without_checkpoints(step)
    assert [record.message for record in bare.records] == [record.message for record in step.transcript.records]
    fitted = Engine(bare, dialect=step.dialect).fit(
        step.frame, Policy(), window=PLENTY, model="another, of which nothing is known"
    )
    assert fitted.checkpoint is None
    hurt = damaged(step.lines, step.dialect)
    shown = shown_ids(fitted)
    assert all(shown.get(message.id) == message for at, message in enumerate(step.messages) if at not in hurt)


def it_only_appends(step: Step) -> None:
    """Entries before a fit are the same objects after it; what it adds is no message."""
    assert all(was is now for was, now in zip(step.before, step.after, strict=False))
    added = step.after[len(step.before) :]
    assert all(isinstance(entry.payload, APPENDED) for entry in added)
    assert step.refusal is None or not added


def entries_are_as_stored(step: Step, stored: dict[int, bytes]) -> None:
    """The stored bytes of an entry never change."""
    for entry in step.after[len(stored) :]:
        stored[entry.seq] = encode_entry(entry)
    recent = step.after[-20:]
    assert all(stored[entry.seq] == encode_entry(entry) for entry in recent)


def without_checkpoints(step: Step) -> Transcript:
    """Give the transcript over the same log with every checkpoint left out."""
    kept: list[Entry] = [
        e for e in step.transcript.log.entries if not isinstance(e.payload, CheckpointEntry | UndoEntry)
    ]
    log = Log.restore("session", kept, counter=COUNTER.name, media=step.transcript.log.media)
    return Transcript(log, branch=step.transcript.branch, counter=COUNTER)

"""Promise 5: a fit only appends; every message is there for ever, on every branch, with and without checkpoints."""

from __future__ import annotations

from hypothesis import given

from tests.properties.arrival import damaged
from tests.properties.events import Story
from tests.properties.stories import stories
from tests.properties.walking import COUNTER, Step, Walker, shown_ids, walk
from unabridged.engine import Engine
from unabridged.entry import CheckpointEntry, Entry, FrameEntry, MessageEntry, ReportEntry, UndoEntry
from unabridged.log import Log
from unabridged.policy import Policy
from unabridged.store.lines import encode_entry
from unabridged.transcript import Transcript

APPENDED = FrameEntry | CheckpointEntry | ReportEntry | UndoEntry
PLENTY = 100_000_000


@given(stories())
def test_a_fit_appends_and_changes_no_entry_whether_it_succeeds_or_fails(story: Story) -> None:
    stored: dict[int, bytes] = {}
    last: Step | None = None
    for step in walk(story):
        it_only_appends(step)
        entries_are_as_stored(step, stored)
        last = step
    if last is not None:
        assert last.transcript.log.damaged() == ()


@given(stories())
def test_without_its_checkpoints_a_log_gives_every_message_that_came_in(story: Story) -> None:
    last: Step | None = None
    for last in walk(story):  # noqa: B007 - only how the story ends is looked at
        pass
    if last is None:
        return
    bare = without_checkpoints(last)
    assert [record.message for record in bare.records] == [record.message for record in last.transcript.records]
    fitted = Engine(bare, dialect=last.dialect).fit(
        last.frame, Policy(), window=PLENTY, model="another"
    )  # what was refused is known of a model
    assert fitted.checkpoint is None
    hurt = damaged(last.lines, last.dialect)
    shown = shown_ids(fitted)
    assert all(shown.get(message.id) == message for at, message in enumerate(last.messages) if at not in hurt)


@given(stories())
def test_going_back_leaves_every_branch_as_it_was(story: Story) -> None:
    walker = Walker(story)
    kept: dict[str, tuple[str, ...]] = {}
    for step in walker.walk():
        kept[step.transcript.branch] = tuple(message.id for message in step.messages)
    log = walker.transcript.log
    for branch, ids in kept.items():
        again = Transcript(log, branch=branch, counter=COUNTER)
        assert tuple(record.message.id for record in again.records)[: len(ids)] == ids
    written = [entry.payload.message.id for entry in log.entries if isinstance(entry.payload, MessageEntry)]
    assert len(set(written)) == len(written)


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

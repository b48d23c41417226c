"""The transcript: messages of one branch with their prices, and which checkpoint holds for them."""

from __future__ import annotations

import msgspec
import pytest

from tests.scene import Scene
from unabridged.checkpoint import Checkpoint
from unabridged.entry import CheckpointEntry, RefusedEntry, UndoEntry
from unabridged.errors import BadInput, NotFound
from unabridged.log import Log
from unabridged.message import Message
from unabridged.plan import Plan
from unabridged.testing.notation import messages, read
from unabridged.tokens.price import Cost, Price
from unabridged.transcript import Record, Transcript


def transcript_of(script: str) -> Transcript:
    transcript = Transcript(Log())
    transcript.append(*messages(script))
    return transcript


def words(transcript: Transcript) -> str:
    return " ".join(record.message.id for record in transcript.records)


def checkpoint(transcript: Transcript, id: str, reaches: str, *, parent: str | None = None) -> Checkpoint:
    """A plan that changes nothing, up to a message; with a parent it only adds to it."""
    digest = transcript.digest_of(transcript.records[transcript.position[reaches]])
    return Checkpoint(
        id=id,
        parent=parent,
        step=parent is not None,
        reaches=reaches,
        digest=digest,
        plan=Plan(),
        strategy="trim",
        budget=102_400,
    )


def in_force(transcript: Transcript) -> list[str]:
    return [found.id for found in transcript.in_force()[0]]


def test_the_price_of_the_whole_is_the_sum_of_its_messages() -> None:
    transcript = transcript_of("U:100 A:200")
    assert [record.cost.text.tokens for record in transcript.records] == [107, 207]
    assert transcript.total == Cost(Price(314))


def test_people_are_told_from_what_a_client_put_there() -> None:
    transcript = transcript_of("I:reminder U:task A[c1] T(c1) I:note U:next")
    assert [transcript.records[at].message.id for at in transcript.humans] == ["U:task", "U:next"]


def test_an_id_that_is_taken_is_refused_and_nothing_is_appended() -> None:
    transcript = transcript_of("U:task")
    with pytest.raises(BadInput, match="'U:task' is already in this transcript"):
        transcript.append(*messages("A:done U:task"))
    assert words(transcript) == "U:task"
    assert len(transcript.log) == 1


def test_an_id_that_comes_twice_in_one_append_is_refused() -> None:
    transcript = transcript_of("")
    (message,) = messages("U:task")
    with pytest.raises(BadInput, match="'U:task'"):
        transcript.append(message, message)
    assert len(transcript.log) == 0


def test_media_are_kept_beside_the_log_once() -> None:
    transcript = Transcript(Log())
    ((message, media),) = read("U{img,img}")
    transcript.append(message, media=media)
    assert len(transcript.log.media) == 2
    transcript.append(msgspec.structs.replace(message, id="again"), media=media)
    assert len(transcript.log.media) == 2


def told(transcript: Transcript, record: Record) -> tuple[Message, Cost, str, int]:
    return record.message, record.cost, transcript.digest_of(record), record.seq


def test_a_new_transcript_over_the_same_log_is_equal() -> None:
    transcript = transcript_of("U:task A[c1] T(c1):300 U:huge")
    transcript.record(RefusedEntry(("U:huge",), "too large"))
    again = Transcript(transcript.log)
    assert [told(again, record) for record in again.records] == [
        told(transcript, record) for record in transcript.records
    ]
    assert (again.position, again.humans, again.total) == (transcript.position, transcript.humans, transcript.total)


def test_a_rewind_ends_at_an_answer() -> None:
    transcript = transcript_of("U:task A:done U:next A:late")
    assert words(transcript.branch_from("A:done", why="rewind")) == "U:task A:done"


def test_a_regenerated_answer_follows_the_same_question() -> None:
    transcript = transcript_of("U:task A:done U:next A:late")
    branch = transcript.branch_from("U:next", why="regenerate")
    branch.append(*messages("A:better"))
    assert words(branch) == "U:task A:done U:next A:better"


def test_an_edited_message_stands_in_place_of_the_old_one() -> None:
    transcript = transcript_of("U:task A:done U:next A:late")
    branch = transcript.branch_from("U:next", why="edit", inclusive=False)
    branch.append(*messages("U:edited"))
    assert words(branch) == "U:task A:done U:edited"


def test_the_first_message_can_be_edited() -> None:
    transcript = transcript_of("U:task A:done")
    branch = transcript.branch_from("U:task", why="edit", inclusive=False)
    branch.append(*messages("U:edited"))
    assert words(branch) == "U:edited"


def test_the_branch_left_behind_stays_and_can_go_on() -> None:
    transcript = transcript_of("U:task A:done U:next")
    transcript.branch_from("A:done", why="fork").append(*messages("U:right"))
    transcript.append(*messages("A:left"))
    assert words(transcript) == "U:task A:done U:next A:left"
    assert words(Transcript(transcript.log, branch="main")) == "U:task A:done U:next A:left"


def test_a_fork_of_a_fork_holds_all_that_led_to_it() -> None:
    first = transcript_of("U:task A:one A:two").branch_from("A:one", why="fork")
    first.append(*messages("U:left A:left"))
    second = first.branch_from("U:left", why="fork")
    second.append(*messages("A:right"))
    assert words(second) == "U:task A:one U:left A:right"


def test_a_branch_from_a_message_of_another_branch_is_refused() -> None:
    transcript = transcript_of("U:task A:done")
    branch = transcript.branch_from("U:task", why="regenerate")
    with pytest.raises(NotFound, match="no message with the id 'A:done' on this branch"):
        branch.branch_from("A:done", why="fork")


def test_a_refused_message_leaves_the_branch_and_stays_in_the_log() -> None:
    transcript = transcript_of("U:task A:done U:5k")
    transcript.record(RefusedEntry(("U:5k",), "too large"))
    assert words(transcript) == "U:task A:done"
    assert transcript.total == transcript_of("U:task A:done").total
    assert transcript.humans == [0]
    assert len(transcript.log) == 4


def test_a_refused_picture_no_longer_counts() -> None:
    transcript = transcript_of("U:task A:done")
    before = transcript.total
    ((picture, media),) = read("U{img:4032x3024}")
    transcript.append(picture, media=media)
    assert transcript.total.under("openai_chat").tokens > before.under("openai_chat").tokens + 14_000
    transcript.record(RefusedEntry((picture.id,), "too large"))
    assert transcript.total == before


def test_a_refused_message_can_be_sent_again() -> None:
    transcript = transcript_of("U:task U:next")
    transcript.record(RefusedEntry(("U:next",), "too large"))
    transcript.append(*messages("U:next"))
    assert words(transcript) == "U:task U:next"


def test_only_what_is_newest_can_be_refused() -> None:
    transcript = transcript_of("U:task A:done U:next")
    with pytest.raises(NotFound, match="no pending message with the id 'A:done'"):
        transcript.record(RefusedEntry(("A:done",), "too large"))


def test_a_refusal_that_cannot_be_is_not_written_to_the_log() -> None:
    transcript = transcript_of("U:task A:done U:next")
    with pytest.raises(NotFound):
        transcript.record(RefusedEntry(("A:done",), "too large"))
    assert words(Transcript(transcript.log)) == "U:task A:done U:next"


def test_the_newest_checkpoint_holds() -> None:
    transcript = transcript_of("U:task A:done U:next")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "A:done")))
    transcript.record(CheckpointEntry(checkpoint(transcript, "two", "U:next")))
    assert transcript.in_force() == ((checkpoint(transcript, "two", "U:next"),), ())


def test_a_step_checkpoint_adds_to_the_one_before() -> None:
    transcript = transcript_of("U:task A:done U:next")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "A:done")))
    transcript.record(CheckpointEntry(checkpoint(transcript, "two", "U:next", parent="one")))
    assert in_force(transcript) == ["two", "one"]


def test_a_checkpoint_of_other_content_is_ignored_and_the_one_before_it_holds() -> None:
    transcript = transcript_of("U:task A:done U:next")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "A:done")))
    wrong = msgspec.structs.replace(checkpoint(transcript, "two", "U:next"), digest="another digest")
    transcript.record(CheckpointEntry(wrong))
    chain, ignored = transcript.in_force()
    assert [found.id for found in chain] == ["one"]
    assert ignored == ("two: was made from other content",)


def test_a_checkpoint_of_another_branch_is_ignored() -> None:
    transcript = transcript_of("U:task A:done U:next A:late")
    late = checkpoint(transcript, "late", "A:late")
    branch = transcript.branch_from("A:done", why="rewind")
    branch.record(CheckpointEntry(late))
    assert branch.in_force() == ((), ("late: reaches to a message that is not on this branch",))


def test_a_step_checkpoint_whose_parent_is_missing_is_ignored() -> None:
    transcript = transcript_of("U:task A:done")
    transcript.record(CheckpointEntry(checkpoint(transcript, "two", "A:done", parent="one")))
    assert transcript.in_force() == ((), ("two: inherits from a checkpoint that is not on this branch",))


def test_checkpoints_that_inherit_from_each_other_are_ignored() -> None:
    transcript = transcript_of("U:task A:answer U:next")
    for id, parent in (("c-1", "c-1"), ("c-2", "c-3"), ("c-3", "c-2")):
        transcript.record(CheckpointEntry(checkpoint(transcript, id, "A:answer", parent=parent)))
    assert in_force(transcript) == []


def test_a_branch_keeps_the_checkpoint_that_was_made_before_it_left() -> None:
    transcript = transcript_of("U:task A:done")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "A:done")))
    transcript.append(*messages("U:next A:late"))
    assert in_force(transcript.branch_from("U:next", why="regenerate")) == ["one"]


def test_a_branch_from_before_a_checkpoint_does_not_know_it() -> None:
    transcript = transcript_of("U:task A:done U:next")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "U:next")))
    assert transcript.branch_from("A:done", why="rewind").in_force() == ((), ())


def test_a_checkpoint_over_a_refused_message_is_ignored() -> None:
    transcript = transcript_of("U:task U:next")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "U:next")))
    transcript.record(RefusedEntry(("U:next",), "too large"))
    assert transcript.in_force() == ((), ("one: reaches to a message that is not on this branch",))


def test_an_undone_checkpoint_is_gone_and_so_is_what_came_before_it() -> None:
    transcript = transcript_of("U:task A:done U:next")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "A:done")))
    transcript.record(CheckpointEntry(checkpoint(transcript, "two", "U:next")))
    transcript.record(UndoEntry("two"))
    assert transcript.in_force() == ((), ())


def test_an_undo_of_an_unknown_checkpoint_changes_nothing() -> None:
    transcript = transcript_of("U:task")
    transcript.record(CheckpointEntry(checkpoint(transcript, "one", "U:task")))
    transcript.record(UndoEntry("another"))
    assert in_force(transcript) == ["one"]


def test_what_was_learned_is_learned_again_from_the_log() -> None:
    scene = Scene("U:task A:done U:next")
    scene.used(scene.fit(), 900)
    again = Transcript(scene.transcript.log)
    assert again.learned.calibration("m", "") == scene.transcript.learned.calibration("m", "")
    assert again.learned.calibration("m", "").reports == 1


def test_nothing_is_known_of_a_model_that_never_reported() -> None:
    scene = Scene("U:task A:done U:next")
    scene.used(scene.fit(model="one"), 900)
    assert scene.transcript.learned.calibration("other", "").reports == 0

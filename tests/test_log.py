"""The log: append-only, with branches as appends and chains of digests that tell what was altered."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unabridged.entry import BranchEntry, Entry, MessageEntry, RefusedEntry, UsageEntry
from unabridged.errors import Conflict, NotFound
from unabridged.log import MAIN, Log
from unabridged.report import Usage
from unabridged.testing.notation import messages


def log_of(script: str, *, branch: str = MAIN, log: Log | None = None) -> Log:
    log = log or Log(clock=lambda: "2026-11-30T08:00:00.000Z")
    log.append(*map(MessageEntry, messages(script)), branch=branch)
    return log


def words(log: Log, branch: str) -> str:
    """The messages of a branch, by their words."""
    found = [entry.payload for entry in log.entries_of(log.ancestry(branch))]
    return " ".join(payload.message.id for payload in found if isinstance(payload, MessageEntry))


def message_entries(log: Log, branch: str) -> list[Entry]:
    return [entry for entry in log.entries_of(log.ancestry(branch)) if isinstance(entry.payload, MessageEntry)]


def restored(log: Log) -> Log:
    return Log.restore(log.session, log.entries, media={})


def test_entries_are_numbered_from_zero() -> None:
    log = log_of("U:task A:done U:next")
    assert [entry.seq for entry in log.entries] == [0, 1, 2]
    assert len(log) == 3


def test_since_gives_the_entries_from_a_number_on() -> None:
    log = log_of("U:task A:done U:next")
    assert [entry.seq for entry in log.since(1)] == [1, 2]


def test_an_append_at_the_expected_place_is_taken() -> None:
    log = log_of("U:task A:done")
    assert log.append(RefusedEntry((), "nothing"), expected=2)[0].seq == 2


def test_who_appends_at_a_place_that_is_taken_gets_a_conflict_and_writes_nothing() -> None:
    log = log_of("U:task A:done")
    with pytest.raises(Conflict, match="expected to append at 1, but the log continues at 2"):
        log.append(*map(MessageEntry, messages("U:next U:other")), expected=1)
    assert words(log, MAIN) == "U:task A:done"


def test_an_append_to_a_branch_that_nobody_opened_is_refused() -> None:
    log = log_of("U:task")
    with pytest.raises(NotFound, match="no branch with the id 'branch-7'"):
        log.append(MessageEntry(messages("U:next")[0]), branch="branch-7")
    assert len(log) == 1


def test_a_fork_is_one_append_and_leaves_everything_before_it_as_it_was() -> None:
    log = log_of("U:task A:done U:next")
    before = log.entries
    log.fork(MAIN, upto=1, why="rewind")
    assert log.entries[:3] == before
    assert [type(entry.payload) for entry in log.entries[3:]] == [BranchEntry]


def test_a_fork_holds_its_origin_up_to_the_entry_it_was_made_at() -> None:
    log = log_of("U:task A:done U:next A:late")
    name = log.fork(MAIN, upto=1, why="rewind")
    assert words(log, name) == "U:task A:done"


def test_what_comes_after_a_fork_belongs_to_the_branch_that_it_was_appended_to() -> None:
    log = log_of("U:task A:done")
    name = log.fork(MAIN, upto=1, why="fork")
    log_of("U:left", log=log)
    log_of("U:right", log=log, branch=name)
    assert words(log, MAIN) == "U:task A:done U:left"
    assert words(log, name) == "U:task A:done U:right"


def test_a_fork_at_nothing_begins_empty() -> None:
    log = log_of("U:task A:done")
    name = log.fork(MAIN, upto=-1, why="edit")
    assert words(log, name) == ""


def test_a_fork_of_a_fork_holds_both_parts() -> None:
    log = log_of("U:task A:one A:two")
    first = log.fork(MAIN, upto=1, why="fork")
    log_of("U:left A:left", log=log, branch=first)
    second = log.fork(first, upto=4, why="fork")
    log_of("U:right", log=log, branch=second)
    assert words(log, second) == "U:task A:one U:left U:right"
    assert words(log, first) == "U:task A:one U:left A:left"


def test_a_fork_of_a_fork_may_lie_before_the_first_fork() -> None:
    log = log_of("U:task A:one A:two")
    first = log.fork(MAIN, upto=2, why="fork")
    log_of("U:left", log=log, branch=first)
    second = log.fork(first, upto=0, why="fork")
    assert words(log, second) == "U:task"


def test_a_session_goes_on_with_the_branch_that_was_opened_last() -> None:
    log = log_of("U:task A:done")
    assert log.newest_branch == MAIN
    name = log.fork(MAIN, upto=0, why="regenerate")
    assert log.newest_branch == name
    assert log.branches == (MAIN, name)


def test_digests_of_a_fork_equal_those_of_the_original_up_to_the_fork() -> None:
    log = log_of("U:task A:done U:next")
    name = log.fork(MAIN, upto=1, why="fork")
    log_of("U:next", log=log, branch=name)
    assert message_entries(log, name)[2].transcript_digest == message_entries(log, MAIN)[2].transcript_digest


def test_digests_of_a_fork_differ_from_the_first_other_message_on() -> None:
    log = log_of("U:task A:done U:next A:late")
    name = log.fork(MAIN, upto=1, why="edit")
    log_of("U:other A:late", log=log, branch=name)
    for mine, theirs in zip(message_entries(log, name)[2:], message_entries(log, MAIN)[2:], strict=True):
        assert mine.transcript_digest != theirs.transcript_digest


def test_a_refused_message_leaves_the_digests_as_if_it_had_never_come() -> None:
    log = log_of("U:task U:huge")
    log.append(RefusedEntry(("U:huge",), "too large"))
    log_of("U:small", log=log)
    assert message_entries(log, MAIN)[-1].transcript_digest == log_of("U:task U:small").entries[1].transcript_digest


def test_a_fork_after_a_refusal_goes_on_from_what_was_left() -> None:
    log = log_of("U:task U:huge")
    log.append(RefusedEntry(("U:huge",), "too large"))
    name = log.fork(MAIN, upto=2, why="fork")
    log_of("U:small", log=log, branch=name)
    assert message_entries(log, name)[-1].transcript_digest == log_of("U:task U:small").entries[1].transcript_digest


def test_a_log_that_lost_a_refused_message_still_opens() -> None:
    log = log_of("U:task A:done U:huge")
    log.append(RefusedEntry(("U:huge",), "too large"))
    again = Log.restore("session", [log.entries[3]], media={})
    assert log_of("U:small", log=again).entries[-1].seq == 4


def test_entries_that_are_no_messages_leave_the_transcript_digest_alone() -> None:
    log = log_of("U:task")
    log.append(UsageEntry(usage=Usage(input=10), last="U:task"))
    log_of("A:done", log=log)
    assert log.entries[2].transcript_digest == log_of("U:task A:done").entries[1].transcript_digest
    assert log.entries[2].log_digest != log_of("U:task A:done").entries[1].log_digest


def test_the_normal_digest_tells_the_same_conversation_sent_with_other_ids() -> None:
    one, other = log_of("U:task A[c1] T(c1)"), log_of("U:task A[call_z] T(call_z)")
    assert one.entries[-1].normal_digest == other.entries[-1].normal_digest
    assert one.entries[-1].transcript_digest != other.entries[-1].transcript_digest


def test_an_untouched_log_is_not_damaged() -> None:
    log = log_of("U:task A:done")
    log.fork(MAIN, upto=0, why="fork")
    assert log.damaged() == ()


def test_an_altered_entry_is_found() -> None:
    log = log_of("U:task A:done U:next")
    entries = list(log.entries)
    entries[1] = msgspec.structs.replace(entries[1], payload=MessageEntry(messages("A:doctored")[0]))
    assert Log.restore("session", entries, media={}).damaged() == (1,)


def test_a_missing_entry_is_found_at_the_one_after_it() -> None:
    log = log_of("U:task A:done U:next")
    assert Log.restore("session", [log.entries[0], log.entries[2]], media={}).damaged() == (2,)


def test_a_restored_log_has_the_same_entries_and_branches() -> None:
    log = log_of("U:task A:done U:next")
    name = log.fork(MAIN, upto=1, why="fork")
    log_of("U:right", log=log, branch=name)
    again = restored(log)
    assert again.entries == log.entries
    assert again.branches == (MAIN, name)
    assert words(again, name) == "U:task A:done U:right"


def test_a_restored_log_continues_the_same_chains() -> None:
    log = log_of("U:task U:huge")
    log.append(RefusedEntry(("U:huge",), "too large"))
    again = restored(log)
    mine, theirs = log_of("U:small", log=again).entries[-1], log_of("U:small", log=log).entries[-1]
    assert mine.seq == theirs.seq == 3
    assert mine.log_digest == theirs.log_digest
    assert mine.transcript_digest == theirs.transcript_digest
    assert mine.normal_digest == theirs.normal_digest


def test_the_entries_of_a_log_cannot_be_changed_from_outside() -> None:
    log = log_of("U:task")
    assert isinstance(log.entries, tuple)


@given(
    deeds=st.lists(
        st.one_of(
            st.tuples(st.just("say"), st.integers(1, 3)),
            st.tuples(st.just("fork"), st.integers(-1, 20)),
            st.tuples(st.just("refuse"), st.integers(1, 2)),
            st.tuples(st.just("other"), st.just(0)),
        ),
        max_size=12,
    ),
    looks=st.sets(st.integers(0, 11)),
)
def test_digests_are_the_same_whenever_somebody_looks(deeds: list[tuple[str, int]], looks: set[int]) -> None:
    quiet, watched = (Log(clock=lambda: "2026-11-30T08:00:00.000Z") for _ in range(2))
    branch = MAIN
    for number, (deed, count) in enumerate(deeds):
        opened = [_done(log, deed, count, branch, number) for log in (quiet, watched)]
        assert opened[0] == opened[1]
        branch = opened[0]
        if number in looks:
            assert all(entry.log_digest for entry in watched.entries)
    assert quiet.next_seq == watched.next_seq == len(quiet) == len(watched)
    assert quiet.entries == watched.entries
    assert not quiet.damaged()
    assert all(quiet.transcript_digest_at(entry.seq) == entry.transcript_digest for entry in watched.entries)
    assert all(one.seq + 1 == other.seq for one, other in pairwise(quiet.entries))


def _done(log: Log, deed: str, count: int, branch: str, number: int) -> str:
    """Do one thing to a log, without looking at what it gives. Tells on which branch it goes on."""
    payloads = [
        MessageEntry(msgspec.structs.replace(messages("U:task")[0], id=f"{number}-{at}")) for at in range(count)
    ]
    match deed:
        case "say":
            log.add(*payloads, branch=branch)
        case "fork":
            return log.fork(branch, upto=min(count, log.next_seq - 1), why="fork")
        case "refuse":
            log.add(*payloads, RefusedEntry(tuple(each.message.id for each in payloads), "too large"), branch=branch)
        case _:
            log.add(UsageEntry(usage=Usage(input=10), last="U:task"), branch=branch)
    return branch

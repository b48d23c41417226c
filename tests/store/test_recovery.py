"""A turn that was cut off: what is known of each call, and a next request that any provider takes."""

from __future__ import annotations

import pytest

from unabridged import Conversation
from unabridged.entry import InterruptionEntry
from unabridged.store import Session, Store
from unabridged.store.recovery import NOTES, State, call_states, recover, started
from unabridged.testing import violations
from unabridged.testing.notation import say

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")


@pytest.fixture
def session(store: Store) -> Session:
    return store.project("turns").create(id="s")


def again(session: Session, dialect: str = "openai_chat") -> Conversation:
    """The conversation as the next worker finds it."""
    session.log.reopen(None)
    return Conversation(dialect=dialect, model="m", window=8_000, log=session.log)


def states(talk: Conversation) -> list[tuple[str, State]]:
    return [(each.call.id, each.state) for each in call_states(talk.transcript)]


def shown_results(talk: Conversation, call_id: str) -> list[str]:
    """What the model reads as the result of a call."""
    results = [result for item in talk.preview().items for result in item.message.results]
    return [part.text for result in results if result.call_id == call_id for part in result.parts]  # type: ignore[union-attr]  # they are texts


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_three_are_told_apart_in_what_the_model_reads(session: Session, dialect: str) -> None:
    talk = again(session, dialect)
    say(talk, "U:task")
    (answer,) = say(talk, "A[c1,c2,c3]")
    ids = [call.id for call in answer.calls]
    started(session.log, answer.id, ids[0])
    talk.result(ids[0], "one")
    started(session.log, answer.id, ids[1])

    talk = again(session, dialect)
    assert states(talk) == [
        (ids[0], State.ANSWERED),
        (ids[1], State.INTERRUPTED),
        (ids[2], State.NEVER_STARTED),
    ]
    opened = recover(talk)
    assert [(each.call.id, each.state, each.message) for each in opened] == [
        (ids[1], State.INTERRUPTED, answer.id),
        (ids[2], State.NEVER_STARTED, answer.id),
    ]
    assert violations(dialect, talk.fit().body()) == []
    for id, text in zip(ids, ["one", NOTES[State.INTERRUPTED], NOTES[State.NEVER_STARTED]], strict=True):
        assert text in "".join(talk.fit().texts).replace("\\n", "\n")
        assert shown_results(talk, id) == [text]
    assert "nspect" in NOTES[State.INTERRUPTED]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_turn_after_a_recovery_goes_on(session: Session, dialect: str) -> None:
    talk = again(session, dialect)
    say(talk, "U:task A[c1,c2]")
    talk = again(session, dialect)
    assert len(recover(talk)) == 2
    say(talk, "A[d1] T(d1) A:done U:next")

    assert violations(dialect, talk.fit().body()) == []
    assert call_states(talk.transcript) == ()
    assert recover(again(session, dialect)) == ()


def test_recovering_twice_adds_nothing(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task A[c1]")
    recover(talk)
    length = len(session.log)

    assert recover(again(session)) == ()
    assert len(session.log) == length


def test_a_recovery_that_was_cut_off_itself_is_ended_by_the_next(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task A[c1,c2]")
    talk.result("c1", NOTES[State.NEVER_STARTED], is_error=True)

    assert [each.call.id for each in recover(again(session))] == ["c2"]


@pytest.mark.parametrize(
    "script", ["", "U:task", "U:task A:done", "U:task A[c1] T(c1)", "U:task A[c1] T(c1) A:done U:on"]
)
def test_where_nothing_is_open_nothing_is_done(session: Session, script: str) -> None:
    talk = again(session)
    say(talk, script)
    length = len(session.log)

    assert recover(again(session)) == ()
    assert len(session.log) == length


def test_calls_that_a_person_has_spoken_after_are_left_alone(session: Session) -> None:
    say(again(session), "U:task A[c1] U:stop")
    assert recover(again(session)) == ()


def test_an_id_that_was_used_before_is_known_by_its_message(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task")
    (first,) = say(talk, "A[c1]")
    started(session.log, first.id, "c1")
    say(talk, "T(c1)")
    say(talk, "A[c1]")

    assert states(again(session)) == [("c1", State.NEVER_STARTED)]


def test_of_two_calls_with_one_id_each_is_known_by_its_place(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task")
    (answer,) = say(talk, "A[c1,c1,c1]")
    started(session.log, answer.id, "c1")
    talk.result("c1", "one")
    started(session.log, answer.id, "c1")

    assert [state for _, state in states(again(session))] == [State.ANSWERED, State.INTERRUPTED, State.NEVER_STARTED]
    talk = again(session)
    recover(talk)
    assert [state for _, state in states(talk)] == [State.ANSWERED] * 3
    assert violations("openai_chat", talk.fit().body()) == []


def test_what_ran_on_the_branch_left_behind_has_run(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task")
    (answer,) = say(talk, "A[c1]")
    started(session.log, answer.id, "c1")
    talk.result("c1", "one")
    talk.transcript.branch_from(answer.id, why="rewind")

    talk = again(session)
    assert talk.transcript.branch == "branch-1"
    assert states(talk) == [("c1", State.INTERRUPTED)]
    recover(talk)
    assert session.log.entries[-1].branch == "branch-1"
    assert violations("openai_chat", talk.fit().body()) == []


def test_a_start_is_noted_on_the_newest_branch(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task")
    talk.transcript.branch_from(None, why="edit")
    talk = again(session)
    say(talk, "U:other")
    (answer,) = say(talk, "A[c1]")
    started(session.log, answer.id, "c1")

    assert session.log.entries[-1].branch == "branch-1"


def test_an_interruption_is_in_the_log_with_the_calls_that_were_open(session: Session) -> None:
    talk = again(session)
    say(talk, "U:task A[c1,c2] T(c2)")
    recover(talk)

    notes = [entry.payload for entry in session.log.entries if isinstance(entry.payload, InterruptionEntry)]
    assert [note.call_ids for note in notes] == [("c1",)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_note_stays_whole_when_the_request_is_fitted(session: Session, dialect: str) -> None:
    talk = again(session, dialect)
    say(talk, "U:task")
    for number in range(12):
        say(talk, f"A[a{number}] T(a{number}):900")
        talk.fit()
    (answer,) = say(talk, "A[c1]")
    started(session.log, answer.id, answer.calls[0].id)
    talk = again(session, dialect)
    recover(talk)

    fitted = talk.fit()
    assert fitted.tokens <= 8_000
    assert shown_results(talk, answer.calls[0].id) == [NOTES[State.INTERRUPTED]]
    assert violations(dialect, fitted.body()) == []

"""A process that works on one session for days holds what it shows in memory, and not all that was ever said."""

from __future__ import annotations

import pytest

from tests.store.talking import again, conversation
from unabridged import Conversation
from unabridged.message import Message, Role, Text
from unabridged.store import Session, Store, past
from unabridged.store.past import StoredRecords

KEPT = 40


@pytest.fixture(autouse=True)
def _kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "KEPT", KEPT)


def held(talk: Conversation) -> int:
    records = talk.transcript.records
    assert isinstance(records, StoredRecords)
    return records.held


def turn(talk: Conversation, number: int) -> list[str]:
    """Say something, fit, and be answered; give the request."""
    talk.add(Message(id=f"q-{number}", role=Role.USER, parts=(Text(f"Question {number}: " + "river stone " * 30),)))
    fitted = talk.fit()
    talk.add(Message(id=f"a-{number}", role=Role.ASSISTANT, parts=(Text(f"Answer {number}: " + "lake sand " * 60),)))
    return list(fitted.texts)


def test_what_is_held_does_not_grow_and_the_views_are_those_of_a_log_in_memory(session: Session) -> None:
    talk, twin = conversation(session), Conversation(model="m", window=4_000, max_tokens=200)
    for number in range(150):
        assert turn(talk, number) == turn(twin, number)
        assert held(talk) <= 2 * KEPT + past.PAGE
    assert len(talk.transcript.records) == 300
    assert [record.message.id for record in talk.transcript.records] == [
        record.message.id for record in twin.transcript.records
    ]
    assert talk.transcript.records[3].message.id == "a-1"
    assert talk.transcript.records[-300].message.id == "q-0"
    assert talk.undo().texts == twin.undo().texts


def test_what_is_not_written_yet_is_held(session: Session) -> None:
    talk = conversation(session)
    with session.log.step():
        for number in range(KEPT):
            turn(talk, number)
        assert held(talk) == 2 * KEPT
        assert [record.message.id for record in talk.transcript.records[:2]] == ["q-0", "a-0"]
    turn(talk, KEPT)
    assert held(talk) < 2 * KEPT
    assert len(talk.transcript.records) == 2 * KEPT + 2


def test_a_session_that_was_opened_again_goes_on_as_it_was(session: Session, store: Store) -> None:
    talk, twin = conversation(session), Conversation(model="m", window=4_000, max_tokens=200)
    for number in range(60):
        turn(talk, number)
        turn(twin, number)
    anew = conversation(again(store, session))
    for number in range(60, 120):
        assert turn(anew, number) == turn(twin, number)
    assert held(anew) <= 2 * KEPT + past.PAGE


def test_a_refusal_after_all_that_takes_back_the_newest(session: Session) -> None:
    talk = conversation(session)
    for number in range(60):
        turn(talk, number)
    talk.user("too much")
    talk.take_back("it was too much")
    assert [record.message.id for record in talk.transcript.records[-2:]] == ["q-59", "a-59"]
    assert turn(talk, 60)

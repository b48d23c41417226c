"""Sessions that break for good."""

from __future__ import annotations

import json

import pytest

from tests.scene import Scene
from unabridged import CannotFit, Conversation
from unabridged.entry import InterruptionEntry, MessageEntry, UnknownEntry
from unabridged.log import Log
from unabridged.report import Fallback
from unabridged.testing import Asked, Failure, FakeProvider, Scripted
from unabridged.testing.notation import say, tokens
from unabridged.transcript import Transcript


def test_a_session_that_is_over_the_limit_when_it_is_resumed_goes_on() -> None:
    stored = Scene("U:task " + "U:q:300 A[c1] T(c1):900 A:a:800 " * 12, window=1_000_000)
    log = Log.restore("session", stored.transcript.log.entries, media={})
    resumed = Scene(transcript=Transcript(log), window=8_000)
    report = resumed.say("U:hello").report()
    assert report.tokens_before > 3 * 8_000
    assert report.tokens_after < report.budget == 6_400
    assert resumed.view().endswith(" U:hello")


def test_messages_that_fit_but_leave_no_room_for_the_answer_are_fitted() -> None:
    scene = Scene("U:task A[c1] T(c1):4k A:done:1.2k U:next", max_completion_tokens=3_000)
    fitted = scene.fit()
    assert fitted.report is not None
    assert 5_000 < fitted.report.tokens_before < 8_000
    assert fitted.tokens + fitted.request()["max_completion_tokens"] <= 8_000


def test_a_refused_turn_leaves_the_next_request_no_larger() -> None:
    talk = Conversation(model="m", window=8_000)
    talk.user("Hello.")
    before = talk.fit().body()
    talk.user(tokens(9_000))
    with pytest.raises(CannotFit):
        talk.fit()
    assert talk.fit().body() == before


def test_one_message_larger_than_the_window_is_refused_with_both_numbers_and_the_next_works() -> None:
    talk = Conversation(model="m", system="Be brief.", window=32_000)
    talk.user(tokens(111_000))
    with pytest.raises(CannotFit, match=r"at least 111,\d{3} tokens and 31,000 of the window of 32,000 can be used"):
        talk.fit()
    talk.user("Only the last line, then.")
    assert [message["content"] for message in talk.fit().messages()] == ["Only the last line, then."]


def test_a_system_prompt_over_the_window_is_named_and_nothing_is_evicted_for_it() -> None:
    scene = Scene("U:task A:done U:next", system=tokens(4_000), tools=[{"description": tokens(4_000)}])
    before = scene.transcript.log.entries
    with pytest.raises(CannotFit, match=r"frame 8,0\d\d"):
        scene.fit()
    assert scene.transcript.log.entries == before


def test_bookkeeping_records_are_no_conversation() -> None:
    script = "U:task A:done U:next A:done U:more"
    scene = Scene(script)
    bare = scene.fit().tokens
    for _ in range(10_000):
        scene.transcript.log.append(UnknownEntry("progress", '{"percent": 3}'), InterruptionEntry("paused"))
    again = scene.again()
    assert again.fit().tokens == bare
    assert again.view() == script


class Refusing:
    """A server whose refusal says nothing of any number."""

    def reply(self, asked: Asked) -> Failure:
        del asked
        return Failure(status=400, says="Request failed.", kind="invalid_request_error")


def test_the_same_bytes_are_never_sent_again_to_a_provider_that_refused_them() -> None:
    provider = FakeProvider(Scripted([]), window=9_000)
    talk = Conversation(model="m", window=200_000)
    say(talk, "U:task " + "U:q:100 A[c1] T(c1):900 A:a:300 " * 20 + "U:next")
    fitted = talk.fit()
    while "error" in provider.answer("openai_chat", fitted.request()):
        fitted = talk.overflowed()
    sizes = [provider.tokens_of("openai_chat", refused.body) for refused in provider.refused]
    assert 1 < len(sizes) < 12
    assert sizes == sorted(set(sizes), reverse=True)
    assert provider.served[0].tokens < 9_000


def test_where_nothing_can_be_made_smaller_the_report_says_so_before_the_same_bytes_go_out_again() -> None:
    provider = FakeProvider(Refusing(), window=200_000)
    talk = Conversation(model="m", window=200_000)
    say(talk, "U:task " + "U:q:100 A[c1] T(c1):900 A:a:300 " * 20 + "U:next")
    fitted = talk.fit()
    while fitted.report is None or fitted.report.fallback is not Fallback.NOTHING_EVICTABLE:
        assert "error" in provider.answer("openai_chat", fitted.request())
        fitted = talk.overflowed()
    bodies = [json.dumps(refused.body) for refused in provider.refused]
    assert len(set(bodies)) == len(bodies) < 12


def test_recovery_that_fails_in_the_end_has_deleted_nothing() -> None:
    talk = Conversation(model="m", window=32_000, system=tokens(9_000))
    said = say(talk, "U:task " + "U:q:100 A[c1] T(c1):900 A:a:300 " * 10 + "U:next")
    before = talk.transcript.log.entries
    limits = iter(range(20_000, 0, -2_000))
    with pytest.raises(CannotFit):
        list(map(talk.overflowed, limits))
    assert talk.transcript.log.entries[: len(before)] == before
    assert [entry.payload.message.text for entry in before if isinstance(entry.payload, MessageEntry)] == [
        message.text for message in said
    ]


def test_a_refusal_is_no_part_of_the_conversation() -> None:
    provider = FakeProvider(Scripted([]), window=9_000)
    talk = Conversation(model="m", window=200_000)
    say(talk, "U:task " + "U:q:100 A[c1] T(c1):900 A:a:300 " * 20 + "U:next")
    error = provider.answer("openai_chat", talk.fit().request())["error"]["message"]
    fitted = talk.overflowed(9_000)
    assert error.encode() not in fitted.body()
    assert len(talk.transcript.records) == 82

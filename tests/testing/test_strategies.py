"""What the strategies draw is what they say: accepted by its provider, or broken in the way that was asked for."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from tests.verify.payload import count
from unabridged import Conversation
from unabridged.errors import BadInput
from unabridged.testing import violations
from unabridged.testing.bodies import LISTED
from unabridged.testing.passages import KINDS, passage
from unabridged.testing.strategies import WHOLE_KINDS, Fault, broken_transcripts, messages, texts, transcripts

DIALECTS = sorted(LISTED)
FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow], deadline=None)

REFUSED = {
    Fault.ORPHAN_RESULT: DIALECTS,
    Fault.UNANSWERED_CALL: DIALECTS,
    Fault.LATE_RESULT: ["anthropic", "gemini", "openai_chat"],
    Fault.SECOND_RESULT: DIALECTS,
    Fault.REPEATED_ID: ["anthropic", "openai_chat", "openai_responses"],
    Fault.EMPTY_MESSAGE: ["anthropic"],
    Fault.BLANK_MESSAGE: ["anthropic"],
    Fault.ANSWER_FIRST: ["anthropic", "gemini"],
    Fault.HALF_CHARACTER: DIALECTS,
}
"""Who refuses what; the rest is legal, and hard to cut."""


def request(dialect: str, listed: list[Any]) -> bytes:
    limit = {"max_tokens": 500} if dialect == "anthropic" else {}
    return json.dumps({"model": "m", **limit, LISTED[dialect]: listed}).encode()


def refused(dialect: str, listed: list[Any]) -> bool:
    return violations(dialect, request(dialect, listed)) != []


def talk(dialect: str, listed: list[Any], window: int) -> Conversation:
    limit: dict[str, Any] = {"max_tokens": 500} if dialect == "anthropic" else {}
    talk = Conversation(dialect=dialect, model="m", window=window, **limit)
    talk.add_all(listed)
    return talk


@pytest.mark.parametrize("dialect", DIALECTS)
@given(data=st.data())
def test_a_transcript_is_accepted_by_its_provider(dialect: str, data: st.DataObject) -> None:
    listed = data.draw(transcripts(dialect))
    assert violations(dialect, request(dialect, listed)) == []


@pytest.mark.parametrize("dialect", DIALECTS)
@FEW
@given(data=st.data())
def test_any_transcript_of_any_kind_is_fitted(dialect: str, data: st.DataObject) -> None:
    listed = data.draw(transcripts(dialect, most_tokens=900, kinds=KINDS))
    fitted = talk(dialect, listed, 8_000).fit()
    assert violations(dialect, fitted.body()) == []


@pytest.mark.parametrize("fault", Fault)
@pytest.mark.parametrize("dialect", DIALECTS)
@settings(max_examples=8)
@given(data=st.data())
def test_a_broken_transcript_is_mended_by_a_fit(dialect: str, fault: Fault, data: st.DataObject) -> None:
    listed = data.draw(broken_transcripts(dialect, faults=(fault,), most_turns=3, most_tokens=60))
    assert violations(dialect, talk(dialect, listed, 32_000).fit().body()) == []


@pytest.mark.parametrize(("dialect", "fault"), [(dialect, fault) for fault in REFUSED for dialect in REFUSED[fault]])
def test_a_fault_is_one_that_the_provider_refuses(dialect: str, fault: Fault) -> None:
    drawn = find(
        broken_transcripts(dialect, faults=(fault,), most_turns=2, most_tokens=20),
        lambda listed: refused(dialect, listed),
        settings=settings(max_examples=200, database=None, phases=[Phase.generate]),
    )
    assert drawn


@pytest.mark.parametrize("dialect", DIALECTS)
@FEW
@given(data=st.data())
def test_a_message_is_one_that_a_conversation_takes(dialect: str, data: st.DataObject) -> None:
    listed = [data.draw(messages(dialect)) for _ in range(3)]
    told = Conversation(dialect=dialect, model="m", window=32_000)
    for message in listed:
        told.add(message)
    assert len(told.transcript.records) == 3


@given(transcripts("anthropic", pictures=False, thoughts=False))
def test_pictures_and_thoughts_are_left_out_where_nobody_wants_them(listed: list[Any]) -> None:
    assert not any(word in json.dumps(listed) for word in ('"image"', '"thinking"'))


@pytest.mark.parametrize(
    "asked",
    [
        lambda listed: '"image"' in json.dumps(listed),
        lambda listed: '"thinking"' in json.dumps(listed),
        lambda listed: json.dumps(listed).count("tool_use_id") >= 6,
        lambda listed: sum(message["role"] == "user" and "tool_result" not in str(message) for message in listed) == 6,
    ],
    ids=["pictures", "thoughts", "many calls", "six turns"],
)
def test_a_transcript_may_hold_all_of_it(asked: Any) -> None:
    assert find(
        transcripts("anthropic"), asked, settings=settings(max_examples=500, database=None, phases=[Phase.generate])
    )


def test_a_failure_shrinks_to_the_plainest_conversation() -> None:
    plainest = find(transcripts("openai_chat"), lambda _: True, settings=settings(database=None))
    assert [message["role"] for message in plainest] == ["user"]
    assert count(plainest[0]["content"]) <= 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_passage_is_about_as_long_as_it_should_be(kind: str) -> None:
    for seed in range(4):
        assert 0.85 * 2_000 < count(passage(kind, 2_000, seed)) < 1.15 * 2_000


@given(texts("cjk", "emoji", most_tokens=40))
def test_texts_are_of_the_kinds_that_were_named_and_no_longer_than_asked(text: str) -> None:
    assert text
    assert count(text) < 80
    assert not any("a" <= letter <= "z" for letter in set(text) - {"o", "k"})


@given(texts(*WHOLE_KINDS))
def test_texts_of_whole_kinds_can_be_encoded(text: str) -> None:
    assert text.encode()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: texts("poetry"), "no texts of the kind 'poetry': use some of words, code"),
        (lambda: texts(most_tokens=0), "`most_tokens` is 0"),
        (lambda: passage("poetry", 3), "no texts of the kind 'poetry'"),
        (lambda: transcripts("morse"), "dialect 'morse': use one of anthropic, gemini"),
        (lambda: transcripts("gemini", most_turns=0), "`most_turns` is 0"),
        (lambda: transcripts("gemini", kinds=()), "no texts of the kind ''"),
        (lambda: messages("morse"), "dialect 'morse'"),
        (lambda: broken_transcripts("morse"), "dialect 'morse'"),
        (lambda: broken_transcripts("gemini", faults=()), "no fault is named: use `transcripts`"),
    ],
)
def test_what_cannot_be_drawn_is_refused_where_it_is_asked_for(ask: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        ask()


WITHOUT_HYPOTHESIS = """
import sys
sys.modules["hypothesis"] = None
import unabridged.testing, unabridged.testing.notation, unabridged.testing.passages
try:
    import unabridged.testing.strategies
except unabridged.errors.BadInput as error:
    print(error)
"""


def test_only_the_strategies_need_hypothesis_and_say_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_HYPOTHESIS], capture_output=True, text=True, check=True)
    assert done.stdout == "unabridged.testing.strategies needs hypothesis: pip install 'unabridged[testing]'\n"


def test_the_testing_module_does_not_load_hypothesis_or_pytest() -> None:
    code = "import sys, unabridged.testing.notation; print({'hypothesis', 'pytest', 'uvicorn'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"

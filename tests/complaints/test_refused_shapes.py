"""Shapes that one provider refuses. Every view is judged as its provider would (see `Scene.fit`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.scene import Scene
from unabridged.engine import Engine
from unabridged.framing import frame_of
from unabridged.message import Message, Reasoning
from unabridged.policy import Policy
from unabridged.testing import violations


def thoughts(message: Message) -> list[Reasoning]:
    return [part for part in message.parts if isinstance(part, Reasoning)]


def test_a_greeting_before_the_first_question_stays() -> None:
    script = "A:greeting U:task A:done U:next"
    assert Scene(script, dialect="anthropic").view() == f"…begins {script}"
    assert Scene(script).view() == script


@pytest.mark.parametrize("window", range(1_000, 2_400, 200))
def test_trimming_that_leaves_an_answer_first_still_starts_with_a_user(window: int) -> None:
    scene = Scene("A:greeting:60 U:task A:a:90 " + "U:q:30 A:a:90 " * 20 + "U:next", dialect="anthropic", window=window)
    assert scene.fit().messages()[0]["role"] == "user"


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic"])
def test_empty_texts_are_sent_nowhere_that_refuses_them(dialect: str) -> None:
    scene = Scene("U:task A:0 U:more A[c1]:0 T(c1):0 A:done U:next", dialect=dialect)
    sent = [item.source for item in scene.fit().items]
    assert sent[-4:] == ["A[c1]:0", "T(c1):0", "A:done", "U:next"]


def test_thoughts_leave_with_the_call_that_they_led_to() -> None:
    scene = Scene("U:task A{think}[c1] T(c1):150 A:a:100 " + "U:q:100 A:a:700 " * 9 + "U:next", dialect="anthropic")
    assert "A{think}" not in scene.view()


def test_a_message_that_is_only_thoughts_is_left_out() -> None:
    assert Scene("U:task A{think} U:next", dialect="anthropic").view() == "U:task U:next"


def test_signed_thoughts_of_the_newest_answer_are_the_same_bytes_after_a_fit() -> None:
    scene = Scene("U:task " + "U:q:100 A:a:700 " * 9 + "U:next A{think}[c1] T(c1):2k", dialect="anthropic")
    newest = scene.message("A{think}[c1]")
    assert [item.message for item in scene.fit().items if item.source == newest.id] == [newest]


def test_signed_thoughts_further_back_are_kept_whole_or_gone() -> None:
    scene = Scene("U:task " + "A{think:90}[c1:400] T(c1):700 " * 9, dialect="anthropic")
    originals = [part for record in scene.transcript.records for part in thoughts(record.message)]
    kept = [part for item in scene.fit().items for part in thoughts(item.message)]
    assert 0 < len(kept) < len(originals) == 9
    assert kept == originals[-len(kept) :]


def responses_behind(contents: list[dict[str, Any]], place: int) -> list[str]:
    return [part["functionResponse"]["id"] for part in contents[place]["parts"] if "functionResponse" in part]


@pytest.mark.parametrize("size", ["90", "4k"])
def test_gemini_is_given_as_many_responses_as_there_were_calls_in_one_turn(size: str) -> None:
    script = f"U:task A[a,b,c,d] T(a) T(b):{size} T(c):90 T(d):{size} A:done U:next"
    fitted = Scene(script, dialect="gemini").fit()
    assert (fitted.report is None) is (size == "90")
    assert responses_behind(fitted.messages(), 2) == ["a", "b", "c", "d"]


def test_a_batch_of_another_provider_is_one_turn_of_gemini_with_its_signature_stood_in_for() -> None:
    scene = Scene("U:task A[a,b,c] T(a) T(b):4k T(c) A:done U:next")
    engine = Engine(scene.transcript, dialect="gemini")
    fitted = engine.fit(frame_of("gemini", model="gemini-3-pro"), Policy(), window=4_000)
    assert violations("gemini", fitted.body()) == []
    calls = [part for part in fitted.messages()[1]["parts"] if "functionCall" in part]
    assert [call["functionCall"]["id"] for call in calls] == ["a", "b", "c"]
    assert calls[0]["thoughtSignature"]
    assert len(responses_behind(fitted.messages(), 2)) == 3


def test_the_signature_of_a_batch_stays_with_its_first_call_when_an_output_is_cut() -> None:
    scene = Scene("U:task A[a,b] T(a):30k T(b)", dialect="gemini")
    assert scene.view() == "U:task A[a,b] T(a~) T(b)"
    calls = scene.fit().messages()[1]["parts"]
    assert [part.get("thoughtSignature") for part in calls] == ["c2lnbmVk", None]


@pytest.mark.parametrize("window", range(1_500, 8_000, 650))
def test_an_item_that_needs_its_thought_is_never_sent_without_it(window: int) -> None:
    scene = Scene("U:task " + "A{think:60}[c1:90]:look T(c1):200 " * 12, dialect="openai_responses", window=window)
    items: list[dict[str, Any]] = scene.fit().messages()
    written = {body["id"] for record in scene.transcript.records for body in items_of(record.message)}
    for before, item in zip([{}, *items], items, strict=False):
        if item.get("type") == "message" and item.get("id") in written:
            assert before.get("type") == "reasoning"


def items_of(message: Message) -> list[dict[str, Any]]:
    """Give the items of a message that the model wrote upon a thought."""
    read: Any = json.loads(message.raw.body) if message.raw is not None else []
    return [item for item in read if item.get("type") == "message"] if isinstance(read, list) else []


def test_nothing_is_compacted_between_a_call_and_its_output() -> None:
    scene = Scene("U:task " + "A{think}[c1]:look T(c1):900 " * 8 + "A[last]", dialect="openai_responses")
    assert scene.view().endswith(" A[last] T(last)!")
    assert scene.say("T(last)").view().endswith(" A[last] T(last)")

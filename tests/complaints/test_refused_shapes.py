"""Shapes that one provider refuses. Every view is judged as its provider would (see `Scene.fit`)."""

from __future__ import annotations

import pytest

from tests.scene import Scene
from unabridged.message import Message, Reasoning


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

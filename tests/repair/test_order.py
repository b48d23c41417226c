"""Roles stand in an order that Anthropic accepts."""

from __future__ import annotations

from tests.repair.mending import anthropic, openai
from tests.scene import Scene
from unabridged.message import Message, Origin, Role, Text


def test_a_view_that_starts_with_an_answer_gets_a_beginning() -> None:
    mended = anthropic("A:hello U:task A:done")
    assert str(mended) == "…begins A:hello U:task A:done"
    assert mended.repairs == {"order": 1}


def test_a_greeting_may_come_first_where_the_provider_allows_it() -> None:
    assert str(openai("A:hello U:task")) == "A:hello U:task"


def test_an_answer_to_be_continued_ends_without_white_space() -> None:
    mended = anthropic("U:task A:done:0")
    assert mended.sent()[1]["content"] == [{"type": "text", "text": "done"}]


def test_only_the_last_answer_loses_its_white_space() -> None:
    mended = anthropic("U:task A:done:0 U:next")
    assert mended.items == mended.came


def test_questions_in_a_row_stay_as_they_are() -> None:
    mended = anthropic("U:task U:more I:reminder A:done U:next")
    assert mended.items == mended.came


def test_system_text_in_the_middle_stays_where_the_provider_has_it() -> None:
    mended = openai("U:task S:rules A:done")
    assert mended.items == mended.came


def test_system_text_of_another_provider_goes_out_with_the_users_role() -> None:
    scene = Scene("U:task", dialect="anthropic")
    scene.transcript.append(Message(id="S:rules", role=Role.SYSTEM, parts=(Text("Be brief."),), origin=Origin.INJECTED))
    assert [message["role"] for message in scene.fit().messages()] == ["user", "user"]
    assert scene.fit().messages()[1]["content"] == "Be brief."

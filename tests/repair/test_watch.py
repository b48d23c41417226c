"""The watch tells, one message at a time, whether the rules have to look. It may be wrong on the safe side only."""

from __future__ import annotations

import pytest

from tests.repair.mending import DIALECTS, Mended
from unabridged.errors import BadInput
from unabridged.message import Role
from unabridged.repair import Watch, groups, rules_for
from unabridged.testing.notation import shown


def alarmed(mended: Mended, dialect: str) -> bool:
    """Whether the projection would have the rules look: the watch is suspicious, or the end is not settled."""
    watch = Watch(dialect)
    for item in mended.came:
        watch.see(item)
    return watch.suspicious or watch.is_open or mended.came[-1].message.role is Role.ASSISTANT


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "script",
    [
        "U:task",
        "U:task A:done U:next",
        "U:task A[c1] T(c1)",
        "U:task A[c1,c2] T(c1) T(c2) A[c3] T(c3)",
        "U:task A[c1,c2] T(c2) T(c1) A:done U:next",
    ],
)
def test_a_sound_conversation_raises_no_alarm(script: str, dialect: str) -> None:
    assert not alarmed(Mended(script, dialect), dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "script",
    [
        "U:task A[c1]",
        "U:task A[c1] U:next",
        "U:task A[c1,c2] T(c1) U:next",
        "U:task T(c1)",
        "U:task A[c1] T(c1) T(c1)",
        "U:task A:done U:next A[c1]:0 U:more",
    ],
)
def test_whatever_the_rules_mend_raises_the_alarm(script: str, dialect: str) -> None:
    mended = Mended(script, dialect)
    assert mended.repairs != {}
    assert alarmed(mended, dialect)


@pytest.mark.parametrize(
    "script",
    [
        "A:hello U:task",
        "U:task A[c1] T(c1) A[c1] T(c1) U:next",
        "U:task A[a.b] T(a.b) U:next",
        "U:task A{think} U:next",
        "U:task A " + "U{img:2048x100} A " * 21 + "U:next",
        "U:task A " + "U{img:80x60} A " * 101 + "U:next",
        "U:task A[c1] U:next T(c1)",
    ],
)
def test_what_anthropic_alone_refuses_raises_the_alarm(script: str) -> None:
    mended = Mended(script, "anthropic")
    assert mended.repairs != {}
    assert alarmed(mended, "anthropic")


def test_calls_and_their_results_are_one_group() -> None:
    mended = Mended("U:task A[c1,c2] T(c1) T(c2) A:done U:next", "openai_chat")
    assert [shown(group) for group in groups(mended.items, "openai_chat")] == [
        "U:task",
        "A[c1,c2] T(c1) T(c2)",
        "A:done",
        "U:next",
    ]


def test_answers_that_are_answered_together_are_one_group() -> None:
    mended = Mended("U:task A[c1] A[c2] T(c1,c2) A:done", "anthropic")
    assert [shown(group) for group in groups(mended.items, "anthropic")] == ["U:task", "A[c1] A[c2] T(c1,c2)", "A:done"]


@pytest.mark.parametrize("script", ["A:hello U:task", "U:task A[c1] U:next T(c1)"])
def test_what_gemini_refuses_raises_the_alarm(script: str) -> None:
    mended = Mended(script, "gemini")
    assert mended.repairs != {}
    assert alarmed(mended, "gemini")


@pytest.mark.parametrize("script", ["U:task A[c1] T(c1) A[c1] T(c1) U:next", f"U:task A[{'c' * 65}] T({'c' * 65})"])
def test_what_responses_refuses_raises_the_alarm(script: str) -> None:
    mended = Mended(script, "openai_responses")
    assert mended.repairs != {}
    assert alarmed(mended, "openai_responses")


def test_rules_are_found_by_the_name_of_the_dialect() -> None:
    names = {dialect: [rule.NAME for rule in rules_for(dialect)] for dialect in DIALECTS}
    before = ["foreign", "calls", "names"]
    assert names == {
        "anthropic": [*before, "surrogates", "content", "order", "ids", "media"],
        "gemini": [*before, "surrogates", "content", "order"],
        "openai_chat": [*before, "surrogates", "content", "ids"],
        "openai_responses": [*before, "pairs", "surrogates", "content", "reasoning", "items", "ids"],
    }
    known = "anthropic, gemini, openai_chat, openai_responses"
    with pytest.raises(BadInput, match=f"no repair rules for the dialect 'cobol': known are {known}"):
        rules_for("cobol")

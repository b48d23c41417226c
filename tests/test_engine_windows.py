"""Windows from 2,000 to a million tokens, with a fixed part (system text and tools) of 10, 60, 95 and 110 % of them.

The provider counts and enforces the window, so that what fits by our count is seen to fit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from unabridged import Conversation
from unabridged.errors import CannotFit
from unabridged.fitted import Fitted
from unabridged.report import FitReason, Report
from unabridged.testing import FakeProvider, Scripted

WINDOWS = (2_000, 4_000, 8_000, 32_000, 128_000, 200_000, 1_000_000)
ROOMY = tuple(window for window in WINDOWS if window > 8_000)
"""Windows of which 5 % are room for a small answer (1,024 tokens, in the smallest an eighth of the window)."""
MARKER = 60
"""Tokens that a floor sets aside for a marker, whether there is one or not."""

every_window = pytest.mark.parametrize("window", WINDOWS, ids=lambda window: f"{window:,}")
every_roomy_window = pytest.mark.parametrize("window", ROOMY, ids=lambda window: f"{window:,}")


class Talk:
    """A conversation with a fixed part of so many percent of the window, and its provider."""

    def __init__(self, window: int, percent: int, **parameters: Any) -> None:
        fixed = window * percent // 100
        schema = {"type": "object", "properties": {"path": {"type": "string"}}}
        tool = {"type": "function", "function": {"name": "read", "description": "", "parameters": schema}}
        tool["function"] |= {"description": words(fixed // 2 - 40)}
        self.conversation = Conversation(
            model="gpt-5", window=window, system=words(fixed // 2 - 20), tools=[tool], **parameters
        )
        self.window = window
        self.provider = FakeProvider(Scripted([]), window=window)

    def say(self, percent: float) -> Fitted:
        """Say something of so many percent of the window, and take the answer."""
        self.conversation.user(words(int(self.window * percent / 100)))
        fitted = self.conversation.fit()
        response = self.provider.answer("openai_chat", fitted.request())
        assert self.provider.refused == []
        self.conversation.answered(response["usage"])
        self.conversation.add(response["choices"][0]["message"])
        return fitted

    @property
    def largest(self) -> int:
        """Tokens of the largest request, as the provider counted."""
        return max(served.tokens for served in self.provider.served)


def words(tokens: int) -> str:
    return " stone" * tokens


def decided(fitted: Fitted) -> Report | None:
    """Give the report of a fit that made the view smaller."""
    return fitted.report if fitted.checkpoint is not None else None


@every_window
def test_with_a_small_fixed_part_a_conversation_of_twice_the_window_goes_on(window: int) -> None:
    talk = Talk(window, 10)
    fits = [report for report in (decided(talk.say(10)) for _ in range(20)) if report is not None]
    assert talk.largest <= window * 8 // 10
    assert 2 <= len(fits) <= 10
    assert {report.reason for report in fits} == {FitReason.THRESHOLD_EXCEEDED}
    assert not any(report.over_budget for report in fits)


@every_window
def test_a_fixed_part_of_more_than_half_leaves_few_fits(window: int) -> None:
    talk = Talk(window, 60)
    fits = [decided(talk.say(2)) for _ in range(30)]
    assert talk.largest <= window * 8 // 10
    assert 2 <= sum(report is not None for report in fits) <= 10
    assert not any(first and second for first, second in pairwise(fits))


@every_roomy_window
def test_a_fixed_part_over_the_budget_goes_out_as_the_floor_while_a_small_answer_has_room(window: int) -> None:
    asked = window // 5
    talk = Talk(window, 95, max_completion_tokens=asked)
    for turn in range(3):
        fitted = talk.say(0.4)
        report = fitted.report
        assert report is not None
        assert (report.reason, report.over_budget) == (FitReason.FLOOR_OVER_BUDGET, True)
        assert report.budget < report.tokens_after == pytest.approx(report.floor, abs=MARKER)
        assert report.max_output is not None
        assert min(1_024, window // 32) <= report.max_output < asked
        assert fitted.request()["max_completion_tokens"] == report.max_output
        if turn:  # the first count carries a margin
            assert report.tokens_after + report.max_output <= window


@every_roomy_window
def test_in_the_floor_stand_the_task_and_the_newest_question(window: int) -> None:
    talk = Talk(window, 95)
    for _ in range(3):
        fitted = talk.say(0.4)
    said = [item.source for item in fitted.items if item.message.is_human]
    asked = [record.message.id for record in talk.conversation.transcript.records if record.message.is_human]
    assert said == [asked[0], asked[-1]]


@pytest.mark.parametrize("window", [window for window in WINDOWS if window not in ROOMY], ids=str)
def test_in_a_small_window_the_same_share_leaves_room_for_a_question_and_a_small_answer(window: int) -> None:
    with pytest.raises(CannotFit, match=f"of the window of {window:,} can be used"):
        Talk(window, 98).say(0.4)
    report = Talk(window, 95).say(0.4).report
    assert report is not None
    assert report.reason is FitReason.FLOOR_OVER_BUDGET
    assert report.max_output is not None
    assert report.max_output >= window // 32


@every_window
def test_a_fixed_part_larger_than_the_window_is_refused_by_name_before_any_call(window: int) -> None:
    talk = Talk(window, 110)
    with pytest.raises(CannotFit) as caught:
        talk.say(1)
    assert talk.provider.served == []
    assert caught.value.floor > window > caught.value.limit
    fixed = dict(caught.value.parts)["frame"]
    assert fixed == pytest.approx(window * 1.1, rel=0.02)
    assert f"(frame {fixed:,} of system text and tools, " in str(caught.value)
    assert str(caught.value).endswith("use a model with a larger window, or make the largest of these smaller")

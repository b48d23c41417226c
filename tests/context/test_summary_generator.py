"""A model as a summary generator: in time, cancelled, late, or of no use."""

from __future__ import annotations

import threading
import time

import pytest

from tests.context.talking import WROTE, AsyncLlm, Llm, long_history, tokens
from unabridged import BadInput
from unabridged.context import ContextConfig, HistoryManager, create_summary_generator
from unabridged.message import Message
from unabridged.summarizer import Answer, NoSummary, Summary, SummaryRequest, WhyNoSummary, summarize_within
from unabridged.tokens import default_counter

QUICK = ContextConfig(summary_timeout=0.2)


def old() -> list[Message]:
    return long_history(10).get_messages()


def request(messages: list[Message]) -> SummaryRequest:
    return SummaryRequest(
        messages=tuple(messages), previous=None, task=None, limit=800, counter=default_counter(), media={}, model="m"
    )


def test_a_blocking_model_is_asked_once_with_a_system_prompt_and_the_conversation_as_data() -> None:
    llm = Llm()
    summary = create_summary_generator(llm, QUICK)(old())
    assert summary is not None
    assert "Nothing was changed in `a.py`" in summary
    (asked,) = llm.asked
    assert [message["role"] for message in asked] == ["system", "user"]
    assert "question 7" in asked[1]["content"]
    assert "question 7" not in asked[0]["content"]


def test_an_async_model_serves_blocking_code_too() -> None:
    summary = create_summary_generator(AsyncLlm(), QUICK)(old())
    assert summary is not None
    assert summary.startswith("## Completed goals")


def test_a_function_that_only_gives_something_to_await_is_awaited() -> None:
    llm = AsyncLlm()
    assert create_summary_generator(lambda messages: llm(messages), QUICK)(old()) is not None


def test_a_model_may_say_why_it_ended() -> None:
    cut_off = create_summary_generator(lambda _: Answer(text=WROTE, stop="length"), QUICK)
    assert cut_off(old()) is None


@pytest.mark.parametrize(
    "says", ["", "  \n", "I'm sorry, but I can't help with that.", '{"error": {"message": "busy"}}']
)
def test_what_is_no_summary_is_none(says: str) -> None:
    assert create_summary_generator(Llm(says), QUICK)(old()) is None


def test_a_model_that_raises_gives_none() -> None:
    assert create_summary_generator(AsyncLlm(error=ConnectionError("refused")), QUICK)(old()) is None


async def test_an_async_model_is_cancelled_when_its_time_is_over_and_no_thread_is_left() -> None:
    llm, threads = AsyncLlm(takes_s=30), threading.active_count()
    assert await create_summary_generator(llm, QUICK).generate(old()) is None
    assert (llm.asked, llm.answered) == (1, 0)
    assert threading.active_count() == threads


def test_a_blocking_model_is_waited_for_and_what_it_says_too_late_is_not_used() -> None:
    llm, threads, started = Llm(takes_s=0.3), threading.active_count(), time.monotonic()
    assert create_summary_generator(llm, QUICK)(old()) is None
    assert time.monotonic() - started >= 0.3
    assert threading.active_count() == threads


async def test_a_blocking_model_that_was_too_slow_is_not_asked_for_a_further_part() -> None:
    long = HistoryManager()
    for number in range(12):
        long.append_user(f"question {number} " + tokens(2_000))
    llm = Llm(takes_s=0.3)
    given = await summarize_within(
        create_summary_generator(llm, QUICK, window=8_000), request(long.get_messages()), QUICK.summary_timeout
    )
    assert isinstance(given, NoSummary)
    assert len(llm.asked) == 1
    unhurried = Llm()
    await create_summary_generator(unhurried, ContextConfig(), window=8_000).summarize(request(long.get_messages()))
    assert len(unhurried.asked) > 3


async def test_as_a_summarizer_it_says_why_there_is_none() -> None:
    failed = await summarize_within(create_summary_generator(Llm(""), QUICK), request(old()), 1)
    assert isinstance(failed, NoSummary)
    assert failed.reason is WhyNoSummary.EMPTY
    made = await summarize_within(create_summary_generator(Llm(), QUICK, model="small"), request(old()), 1)
    assert isinstance(made, Summary)
    assert made.model == "small"


async def test_where_a_loop_runs_the_blocking_call_is_refused_by_what_to_await_instead() -> None:
    generator = create_summary_generator(Llm(), QUICK)
    with pytest.raises(BadInput, match="`generate`"):
        generator(old())
    assert await generator.generate(old()) is not None


def test_the_window_is_that_of_the_chat_model_unless_another_is_given() -> None:
    assert create_summary_generator(Llm(), ContextConfig(context_window=32_000)).window == 32_000
    assert create_summary_generator(Llm(), window=9_000).window == 9_000


def test_the_time_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUMMARY_TIMEOUT", "45")
    assert create_summary_generator(Llm()).timeout_s == 45


def test_a_summary_is_smaller_than_what_it_stands_for() -> None:
    short = HistoryManager()
    short.append_user("hello")
    assert create_summary_generator(Llm(), QUICK)(short.get_messages()) is None

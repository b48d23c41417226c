from __future__ import annotations

import asyncio
import threading

import pytest

from tests.summarizer.models import GOOD, Scripted, Slow
from tests.summarizer.spans import assistant, request, span, user
from unabridged.errors import BadSetting
from unabridged.report import Fallback
from unabridged.summarizer import (
    Extractive,
    ModelSummarizer,
    NoSummary,
    Summary,
    SummaryRequest,
    WhyNoSummary,
    extract,
    summarize_within,
)

WORK = span(*(piece for n in range(40) for piece in (user(f"part {n}"), assistant(f"Part {n} is done. " * 20))))
ASKED = request(WORK, limit=1_500)


class Giving:
    """A summarizer of somebody else's."""

    def __init__(self, given: Summary | NoSummary | BaseException) -> None:
        self.given = given

    async def summarize(self, request: SummaryRequest) -> Summary | NoSummary:
        if isinstance(self.given, BaseException):
            raise self.given
        return self.given


async def reason(
    given: Summary | NoSummary | BaseException, asked: SummaryRequest = ASKED
) -> tuple[Fallback, WhyNoSummary]:
    answer = await summarize_within(Giving(given), asked, 5)
    assert isinstance(answer, NoSummary)
    return answer.fallback, answer.reason


async def test_a_summary_in_time_is_given() -> None:
    assert await summarize_within(Extractive(), ASKED, 5) == extract(ASKED)
    given = await summarize_within(ModelSummarizer(Scripted(GOOD), window=100_000), ASKED, 5)
    assert isinstance(given, Summary)


async def test_one_that_takes_too_long_is_cancelled_and_the_caller_comes_back_in_time() -> None:
    model = Slow(10)
    threads, tasks = threading.active_count(), asyncio.all_tasks()
    given = await summarize_within(ModelSummarizer(model, window=100_000), ASKED, 0.05)
    assert isinstance(given, NoSummary)
    assert (given.fallback, given.reason) == (Fallback.SUMMARIZER_TIMED_OUT, WhyNoSummary.DEADLINE)
    assert (model.asked, model.cancelled, model.answered) == (1, 1, 0)
    assert threading.active_count() == threads
    assert asyncio.all_tasks() == tasks


async def test_all_parts_together_have_one_deadline() -> None:
    model, tasks = Slow(0.05), asyncio.all_tasks()
    work = [piece for n in range(120) for piece in (user(f"part {n}"), assistant("It is done. " * 40))]
    given = await summarize_within(ModelSummarizer(model, window=5_000, parallel=1), request(work, limit=1_500), 0.12)
    assert isinstance(given, NoSummary)
    assert given.reason is WhyNoSummary.DEADLINE
    assert 1 < model.asked < 5
    assert asyncio.all_tasks() == tasks


async def test_an_answer_that_comes_after_the_deadline_is_not_taken() -> None:
    model = Slow(0.1, stubborn=True)
    given = await summarize_within(ModelSummarizer(model, window=100_000), ASKED, 0.05)
    assert isinstance(given, NoSummary)
    assert given.reason is WhyNoSummary.DEADLINE
    assert (model.cancelled, model.answered) == (1, 1)


async def test_one_that_will_not_be_cancelled_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unabridged.summarizer.within.GRACE_S", 0.05)
    model = Slow(1, stubborn=True)
    given = await summarize_within(ModelSummarizer(model, window=100_000), ASKED, 0.05)
    assert isinstance(given, NoSummary)
    assert model.answered == 0


async def test_when_the_caller_is_cancelled_so_is_the_summarizer() -> None:
    model, tasks = Slow(10), asyncio.all_tasks()
    task = asyncio.create_task(summarize_within(ModelSummarizer(model, window=100_000), ASKED, 60))
    while not model.asked:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.cancelled == 1
    assert asyncio.all_tasks() == tasks


async def test_an_empty_span_is_nothing_to_summarize_and_nobody_is_asked() -> None:
    model = Scripted(GOOD)
    given = await summarize_within(ModelSummarizer(model, window=100_000), request((), previous="Earlier."), 5)
    assert given == NoSummary(fallback=Fallback.NOTHING_TO_SUMMARIZE, reason=WhyNoSummary.NO_MESSAGES)
    assert model.questions == []


@pytest.mark.parametrize("error", [RuntimeError("connection refused"), ValueError(), KeyError("x")])
async def test_an_error_of_the_summarizer_is_a_failure_with_its_name(error: Exception) -> None:
    given = await summarize_within(Giving(error), ASKED, 5)
    assert isinstance(given, NoSummary)
    assert (given.fallback, given.reason) == (Fallback.SUMMARIZER_FAILED, WhyNoSummary.RAISED)
    assert given.detail.startswith(type(error).__name__)


async def test_an_error_of_one_of_several_calls_is_named_itself() -> None:
    summarizer = ModelSummarizer(Scripted(RuntimeError("503")), window=100_000)
    given = await summarize_within(summarizer, ASKED, 5)
    assert isinstance(given, NoSummary)
    assert given.detail == "RuntimeError: 503"


async def test_a_timeout_of_the_client_itself_is_a_timeout() -> None:
    assert await reason(TimeoutError("read")) == (Fallback.SUMMARIZER_TIMED_OUT, WhyNoSummary.CLIENT_TIMEOUT)


async def test_one_that_cancels_itself_has_failed() -> None:
    assert await reason(asyncio.CancelledError()) == (Fallback.SUMMARIZER_FAILED, WhyNoSummary.RAISED)


async def test_whatever_summarizer_gives_it_is_looked_at() -> None:
    nothing = Fallback.SUMMARIZER_RETURNED_NOTHING
    assert await reason(Summary(text=" \n")) == (nothing, WhyNoSummary.EMPTY)
    assert await reason(Summary(text="word " * 4_000)) == (nothing, WhyNoSummary.OVER_LIMIT)
    assert await reason(Summary(text="word " * 200), request([user("hello")])) == (nothing, WhyNoSummary.NOT_SMALLER)


async def test_what_a_summarizer_says_itself_is_passed_on() -> None:
    said = NoSummary(fallback=Fallback.SUMMARIZER_FAILED, reason=WhyNoSummary.INPUT_TOO_LARGE)
    assert await summarize_within(Giving(said), ASKED, 5) is said


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
async def test_a_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(BadSetting):
        await summarize_within(Extractive(), ASKED, seconds)

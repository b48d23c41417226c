"""A conversation whose older part gives way to a summary, asked for while the turn waits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from unabridged import Conversation, Policy
from unabridged.engine import Overflow
from unabridged.entry import ReportEntry
from unabridged.errors import CannotFit
from unabridged.log import Log
from unabridged.plan import Verdict
from unabridged.report import Fallback, FitReason, Phase, Report, ResolvedBy
from unabridged.store.lines import decode_entry, encode_entry
from unabridged.summarizer import Answer, ModelSummarizer, Question, Summarizer, Summary, SummaryRequest
from unabridged.testing.notation import tokens

pytestmark = pytest.mark.anyio
SUMMARIZE = Policy(strategy="summarize", summarizer_timeout_s=0.5)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Scribe:
    """A summarizer that says what it was asked, or does as it is told."""

    error: Exception | None = None
    waits_s: float = 0.0
    asked: list[SummaryRequest] = field(default_factory=list)

    async def summarize(self, request: SummaryRequest) -> Summary:
        self.asked.append(request)
        await asyncio.sleep(self.waits_s)
        if self.error is not None:
            raise self.error
        return Summary(text=f"They spoke of rivers, {len(request.messages)} messages long. " * 6, model="small")


def long_talk(scribe: Summarizer | None, policy: Policy = SUMMARIZE, turns: int = 11) -> Conversation:
    talk = Conversation(model="m", window=8_000, policy=policy)
    talk.summarizer = scribe
    talk.user("The task: keep the rivers clean.")
    more(talk, turns)
    return talk


def more(talk: Conversation, turns: int) -> None:
    for _ in range(turns):
        number = len(talk.transcript.records)
        talk.add({"role": "assistant", "content": tokens(400, f"a{number}")})
        talk.user(tokens(200, f"q{number}"))


async def test_a_summarizer_is_asked_once_and_told_of_before() -> None:
    scribe, seen = Scribe(), list[Report]()
    talk = long_talk(scribe)
    fitted = await talk.fit_async(on_report=seen.append)
    assert [report.phase for report in seen] == [Phase.COMPACTING, Phase.DONE]
    assert seen[0].summarizer_timeout_s == 0.5
    assert seen[1].resolved_by is ResolvedBy.SUMMARIZE
    assert seen[1].compacted == len(scribe.asked[0].messages)
    assert "They spoke of rivers" in fitted.body().decode()
    assert fitted.tokens <= 6_400
    logged = [entry.payload.report for entry in talk.transcript.log.entries if isinstance(entry.payload, ReportEntry)]
    assert logged == seen


async def test_below_the_budget_nobody_is_asked() -> None:
    scribe = Scribe()
    talk = long_talk(scribe, turns=4)
    await talk.fit_async()
    assert scribe.asked == []


async def test_a_summarizer_that_is_too_slow_costs_its_time_and_no_turn() -> None:
    talk = long_talk(Scribe(waits_s=30))
    report = (await talk.fit_async()).report
    assert report is not None
    assert (report.resolved_by, report.fallback) == (ResolvedBy.TRIM, Fallback.SUMMARIZER_TIMED_OUT)
    assert report.summarizer_ms is not None
    assert 400 <= report.summarizer_ms < 5_000
    assert report.tokens_after <= report.budget


async def test_a_summarizer_that_failed_is_left_alone_for_a_fit_and_asked_again() -> None:
    scribe = Scribe(error=ConnectionError("refused"))
    talk = long_talk(scribe)
    causes = []
    for _ in range(3):
        fitted = await talk.fit_async()
        assert fitted.report is not None
        causes.append((fitted.report.fallback, len(scribe.asked)))
        more(talk, 8)
    assert causes[0] == (Fallback.SUMMARIZER_FAILED, 1)
    assert causes[1][1] == 1
    assert causes[2] == (Fallback.SUMMARIZER_FAILED, 2)


async def test_no_error_text_reaches_the_model() -> None:
    talk = long_talk(Scribe(error=RuntimeError("sk-secret: upstream broke")))
    assert b"upstream broke" not in (await talk.fit_async()).body()


async def test_a_turn_that_is_cancelled_while_it_waits_leaves_the_transcript_as_it_was() -> None:
    talk = long_talk(Scribe(waits_s=30))
    before = [record.message.id for record in talk.transcript.records]
    turn = asyncio.ensure_future(talk.fit_async())
    await asyncio.sleep(0.05)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert [record.message.id for record in talk.transcript.records] == before
    assert talk.fit().tokens <= 6_400


async def test_a_refused_request_is_summed_up_as_well() -> None:
    scribe = Scribe()
    talk = long_talk(scribe, turns=8)
    await talk.fit_async()
    report = (await talk.fit_async(overflow=Overflow(4_000))).report
    assert report is not None
    assert (report.reason, report.resolved_by) == (FitReason.PROVIDER_OVERFLOW, ResolvedBy.SUMMARIZE)
    assert len(scribe.asked) == 1


def test_without_a_summarizer_it_is_summed_up_by_rules() -> None:
    report = long_talk(None).fit().report
    assert report is not None
    assert report.resolved_by is ResolvedBy.SUMMARIZE


def test_a_preview_keeps_nothing() -> None:
    talk = long_talk(None)
    before = len(talk.transcript.log)
    preview = talk.preview(Policy())
    assert preview.report is not None
    assert preview.report.resolved_by is ResolvedBy.TRIM
    assert len(talk.transcript.log) == before
    assert talk.fit().report != preview.report


def test_an_undone_summary_is_planned_again_from_the_originals() -> None:
    talk = long_talk(None)
    talk.fit()
    undone = talk.undo(Policy())
    assert undone.checkpoint is not None
    assert Verdict.COMPACT not in {run.verdict for run in undone.checkpoint.plan.runs}
    assert talk.fit().body() == undone.body()


def test_undone_where_the_whole_fits_the_whole_is_shown() -> None:
    talk = long_talk(None)
    talk.fit()
    talk.window = 16_000
    assert len(talk.undo().texts) == len(talk.transcript.records)
    assert len(talk.fit().texts) == len(talk.transcript.records)


async def test_a_message_that_can_never_fit_is_taken_back_under_summarize_too() -> None:
    talk = long_talk(Scribe())
    await talk.fit_async()
    talk.add({"role": "assistant", "content": "done"})
    talk.user(tokens(20_000))
    with pytest.raises(CannotFit):
        await talk.fit_async()
    talk.user("Something smaller, then.")
    assert (await talk.fit_async()).tokens <= 6_400


def test_a_preview_swallows_nothing_that_a_report_has_to_say() -> None:
    talk = Conversation(model="m", window=8_000)
    talk.user("The task.")
    talk.add(
        {
            "role": "assistant",
            "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        }
    )
    preview = talk.preview()
    fitted = talk.fit()
    assert preview.report is not None
    assert fitted.report == preview.report


async def test_the_pauses_grow_while_a_summarizer_keeps_failing() -> None:
    scribe = Scribe(error=ConnectionError("refused"))
    talk = long_talk(scribe)
    asked: list[int] = []
    for _ in range(9):
        await talk.fit_async()
        asked.append(len(scribe.asked))
        more(talk, 8)
    assert asked == [1, 1, 2, 2, 2, 3, 3, 3, 3]


@pytest.mark.parametrize("policy", [SUMMARIZE, Policy(), Policy(strategy="none")])
async def test_somebody_may_ask_for_a_compaction_long_before_it_is_due(policy: Policy) -> None:
    scribe, seen = Scribe(), list[Report]()
    talk = long_talk(scribe, policy, turns=7)
    before = talk.fit()
    fitted = await talk.compact("the names of the rivers", on_report=seen.append)
    assert scribe.asked[0].focus == "the names of the rivers"
    assert [report.phase for report in seen] == [Phase.COMPACTING, Phase.DONE]
    assert (seen[1].reason, seen[1].resolved_by) == (FitReason.ASKED_FOR, ResolvedBy.SUMMARIZE)
    assert seen[1].budget == 6_400
    assert fitted.tokens < before.tokens * 0.7
    talk.user("And now?")
    assert "They spoke of rivers" in talk.fit().body().decode()  # it lasts
    assert talk.undo().tokens > before.tokens


async def test_a_compaction_with_nothing_to_sum_up_changes_nothing() -> None:
    talk = long_talk(Scribe(), turns=0)
    before = talk.fit()
    fitted = await talk.compact()
    assert fitted.body() == before.body()
    assert fitted.report is not None
    assert fitted.report.fallback is Fallback.NOTHING_EVICTABLE


async def test_a_focus_stands_in_the_question_and_a_model_is_asked_even_while_it_is_left_alone() -> None:
    questions: list[Question] = []

    async def ask(question: Question) -> Answer:
        questions.append(question)
        return Answer(
            text="## Completed goals\n\n" + "- The river was cleaned, bend by bend, with a net. " * 12, stop="stop"
        )

    talk = long_talk(Scribe(error=OSError("no line")), turns=11)
    await talk.fit_async()
    talk.summarizer = ModelSummarizer(ask, window=32_000)
    await talk.compact("the colour of the net")
    assert "the colour of the net" in questions[0].user


async def test_what_somebody_asked_for_outlives_a_larger_window() -> None:
    talk = long_talk(Scribe(), turns=7)
    small = (await talk.compact()).tokens
    talk.window = 9_000
    assert talk.fit().tokens == small
    more(talk, 12)
    assert talk.fit().report is not None  # fitted upon it
    talk.window = 200_000
    shown = talk.fit()
    assert shown.tokens < talk.transcript.total.text.tokens
    assert talk.undo().tokens > shown.tokens


async def test_a_summary_with_halves_of_characters_is_the_same_in_another_process() -> None:
    talk = long_talk(Halves())
    fitted = await talk.fit_async()
    read = [decode_entry(encode_entry(entry)) for entry in talk.transcript.log.entries]
    again = Conversation(model="m", window=8_000, policy=SUMMARIZE, log=Log.restore("s", read, media={}))
    assert again.preview().body() == fitted.body()
    assert again.transcript.checkpoints == talk.transcript.checkpoints


class Halves:
    async def summarize(self, request: SummaryRequest) -> Summary:
        return Summary(text="They spoke of rivers \ud83d\ude00 and lakes \ud83d. " * 20)


async def test_whoever_asks_for_a_summary_of_too_little_loses_nothing() -> None:
    for words in range(5, 120, 5):
        talk = Conversation(model="m", window=20_000)
        for nth in range(4):
            talk.user(f"Question {nth}: {'why ' * words}")
            talk.add({"role": "assistant", "content": f"Answer {nth}. {'So. ' * words}"})
        talk.user("And now?")
        before = talk.preview().texts
        fitted = await talk.compact()
        assert fitted.report is not None
        assert fitted.report.compacted or (list(fitted.texts) == list(before) and not fitted.report.dropped)

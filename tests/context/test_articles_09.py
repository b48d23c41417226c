"""Post 09, in both languages: every fragment of code and every number. `docs/articles.md` has the table."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from tests.context.talking import WINDOW, WROTE, AsyncLlm, Llm, Prompts, call, exchange, long_history, tokens
from unabridged import CannotFit
from unabridged.context import (
    CompactDecision,
    CompactStore,
    ContextBudgetPolicy,
    ContextCompactor,
    ContextConfig,
    ContextEngine,
    HistoryManager,
    ModelErrorKind,
    ProjectionBuilder,
    Round,
    RoundSegmenter,
    classify_model_error,
    create_summary_generator,
)
from unabridged.message import Role
from unabridged.tokens import default_counter
from unabridged.transcript import Transcript

SMALL = ContextConfig(context_window=WINDOW, summary_timeout=0.2)


def rounds_of(*lengths: int) -> HistoryManager:
    history = HistoryManager()
    for number, length in enumerate(lengths):
        history.append_user(f"question {number}")
        for _ in range(length - 1):
            history.append_assistant("step")
    return history


def run(history: HistoryManager, context: ContextEngine, llm: Llm) -> str:
    """One model call of the articles' loop, the reactive path included."""
    context.compact_if_needed(history_manager=history)
    messages = context.build_model_view(history_manager=history).messages
    while True:
        try:
            return llm.invoke_raw(messages, tools=[])["content"]
        except Exception as exc:  # as the loop has it: whatever the client raises is looked at
            if classify_model_error(exc).kind is not ModelErrorKind.PROMPT_TOO_LONG:
                raise
            compact_info = context.reactive_compact(history_manager=history)
            if not compact_info.get("compacted"):
                raise
            messages = context.build_model_view(history_manager=history).messages


def test_history_is_the_truth_and_the_model_view_is_a_bounded_subset_of_it() -> None:
    history = long_history()
    source, context = history.get_messages(), ContextEngine(Prompts(), config=SMALL)
    view = context.build_model_view(history_manager=history)
    assert len(view.messages) < len(source)
    assert history.get_messages() == source
    again = HistoryManager(Transcript(history.transcript.log))  # after a crash
    assert again.get_messages() == source


def test_a_step_checks_then_projects_then_sends() -> None:
    history, llm = long_history(), Llm("done", window=SMALL.context_window)
    assert run(history, ContextEngine(Prompts(), config=SMALL), llm) == "done"
    (sent,) = llm.asked
    assert [message["content"] for message in (sent[3], sent[-1])] == ["question 0", "the newest question"]


def test_before_a_compaction_the_projection_is_the_full_history() -> None:
    history = long_history(3)
    view = ContextEngine(config=SMALL).build_model_view(history_manager=history)
    assert (view.projection_mode, view.history_message_count) == ("full_history", len(history.get_messages()))


def test_128_000_by_0_8_is_a_threshold_of_102_400() -> None:
    decision = ContextBudgetPolicy(ContextConfig()).should_compact(messages=[], pending_input="", last_usage_tokens=0)
    assert (decision.threshold, decision.should_compact) == (102_400, False)


def test_reaching_the_threshold_gives_the_decision_with_its_reason() -> None:
    history = HistoryManager()
    exchange(history, 1)
    decision = ContextBudgetPolicy(ContextConfig()).should_compact(
        messages=history.get_messages(), pending_input="", last_usage_tokens=102_400
    )
    assert decision == CompactDecision(True, "threshold_exceeded", 102_400, 102_400, 4)


def test_the_estimate_is_in_tokens_and_not_a_third_of_the_characters() -> None:
    # docs/decisions/0001: a third of the characters is too much for English and too little for Chinese.
    policy, english, chinese = (
        ContextBudgetPolicy(ContextConfig()),
        "a word and another " * 300,
        "之前发生了什么，" * 300,
    )
    for text, too_much in ((english, True), (chinese, False)):
        history = HistoryManager()
        history.append_user(text)
        estimate, truth = policy.estimate_tokens(history.get_messages()), default_counter().count(text)
        assert truth <= estimate <= truth * 1.1 + 50
        assert (len(text) // 3 > truth) is too_much


def test_the_estimate_is_the_last_usage_plus_what_came_after_and_not_the_larger_of_two() -> None:
    # docs/decisions/0002: here both sources are below the threshold, and the request is far above it.
    history = HistoryManager()
    exchange(history, 1)
    history.append_user("read them")
    history.append_assistant(tool_calls=[call("c")])
    history.append_tool_result("c", tokens(60_000))
    decision = ContextBudgetPolicy(ContextConfig()).should_compact(
        messages=history.get_messages(), pending_input="", last_usage_tokens=60_000
    )
    assert decision.should_compact
    assert 119_000 < decision.estimated_tokens < 125_000


def test_the_settings_have_the_articles_variables_and_defaults() -> None:
    config = ContextConfig.from_env({})
    assert (config.context_window, config.compression_threshold, config.min_retain_rounds) == (128_000, 0.8, 10)
    assert config.summary_timeout == 120
    small = ContextConfig.from_env(
        {"CONTEXT_WINDOW": "32000", "COMPRESSION_THRESHOLD": "0.5", "MIN_RETAIN_ROUNDS": "3"}
    )
    assert (small.context_window, small.compression_threshold, small.min_retain_rounds) == (32_000, 0.5, 3)


def test_every_user_message_starts_a_round() -> None:
    assert RoundSegmenter().identify(rounds_of(6, 7, 6).get_messages()) == [Round(0, 5), Round(6, 12), Round(13, 18)]
    drawn = HistoryManager()
    drawn.append_user("1")
    drawn.append_assistant(tool_calls=[call("a"), call("b")])
    drawn.append_tool_result("a", "found")
    drawn.append_tool_result("b", "found")
    drawn.append_user("2")
    drawn.append_assistant(tool_calls=[call("c")])
    drawn.append_tool_result("c", "found")
    drawn.append_user("3")
    assert RoundSegmenter().identify(drawn.get_messages()) == [Round(0, 3), Round(4, 6), Round(7, 7)]


def test_the_newest_ten_rounds_are_retained_and_a_summary_stands_for_those_before() -> None:
    history = long_history(30, size=50)
    source, store = history.get_messages(), CompactStore(history, config=SMALL)
    rounds = RoundSegmenter().identify(source)
    retain_start_round = len(rounds) - SMALL.min_retain_rounds
    retain_start_idx = rounds[retain_start_round].start_idx
    summary = create_summary_generator(Llm(), SMALL)(source[:retain_start_idx])
    assert summary is not None
    checkpoint = store.create_checkpoint(summary=summary, retain_start_idx=retain_start_idx)
    projection = ProjectionBuilder(store).project(source)
    assert store.active_checkpoint == checkpoint
    assert projection.mode == "compact_checkpoint"
    # docs/decisions/0003: the task stays as well, right before the summary.
    assert list(projection.messages[:1]) == source[:1]
    assert list(projection.messages[2:]) == source[retain_start_idx:]
    assert history.get_messages() == source


def test_the_compactor_keeps_what_the_budget_holds_and_not_a_number_of_rounds() -> None:
    # docs/decisions/0003: two rounds that fill the window are compacted too, and thirty small ones stay.
    large, small = long_history(3, size=2_500), long_history(30, size=50)
    for history, compacted in ((large, True), (small, False)):
        store = CompactStore(history, config=SMALL)
        info = ContextCompactor(store, create_summary_generator(Llm(), SMALL)).compact(history.get_messages())
        assert info["compacted"] is compacted
    assert len(RoundSegmenter().identify(large.get_messages())) < SMALL.min_retain_rounds


def test_create_summary_generator_gives_a_closure_that_asks_for_a_structured_summary() -> None:
    llm = Llm()
    summary_generator = create_summary_generator(llm, SMALL)
    assert summary_generator(long_history(10).get_messages()) is not None
    (system, user) = llm.asked[0]
    assert all(
        heading in user["content"] for heading in ("Completed goals", "Key decisions", "Files read and modified")
    )
    assert "as data" in system["content"]


def test_a_summary_that_takes_too_long_is_none() -> None:
    assert create_summary_generator(AsyncLlm(takes_s=30), SMALL)(long_history(10).get_messages()) is None


def test_no_thread_goes_on_behind_a_timeout() -> None:
    # docs/decisions/0007: an async model is cancelled. One that blocks is waited for, in no thread of ours.
    llm, threads = AsyncLlm(takes_s=0.5), threading.active_count()
    create_summary_generator(llm, SMALL)(long_history(10).get_messages())
    create_summary_generator(Llm(takes_s=0.3), SMALL)(long_history(10).get_messages())
    time.sleep(0.6)
    assert (threading.active_count(), llm.answered) == (threads, 0)


def test_after_a_compaction_the_view_is_system_messages_then_the_summary_then_recent_originals() -> None:
    history = long_history()
    context = ContextEngine(Prompts(), config=SMALL, summary_generator=create_summary_generator(Llm(), SMALL))
    assert context.compact_if_needed(history_manager=history)["compacted"]
    view = context.build_model_view(history_manager=history)
    places = [place for place, message in enumerate(view.messages) if "Archived History" in (message["content"] or "")]
    # docs/decisions/0003 and 0009: behind the task, and not with the rank of a system message.
    assert [message["role"] for message in view.messages[:5]] == ["system", "system", "system", "user", "user"]
    assert (places, view.messages[3]["content"]) == ([4], "question 0")
    originals = [message.text for message in history.get_messages() if message.is_human]
    shown = [message["content"] for message in view.messages[5:] if message["role"] == "user"]
    assert shown == originals[-len(shown) :]


def test_reading_a_view_changes_no_data_and_reads_the_originals_each_time() -> None:
    history = long_history()
    ContextEngine(config=SMALL).compact_if_needed(history_manager=history)
    entries, builder = history.transcript.log.entries, ProjectionBuilder(CompactStore(history))
    assert builder.project(history.get_messages()) == builder.project(history.get_messages())
    assert history.transcript.log.entries == entries


def test_a_prompt_too_long_is_answered_by_a_reactive_compaction_and_a_retry() -> None:
    history = long_history(10)
    llm = Llm("done", window=3_000)  # smaller than what was configured
    assert run(history, ContextEngine(Prompts(), config=SMALL), llm) == "done"
    assert len(llm.asked) == 1
    assert history.transcript.reports[-1].reason == "provider_overflow"


def test_another_error_is_not_answered_by_a_compaction() -> None:
    history = long_history(3)

    class Busy(Llm):
        def invoke_raw(self, messages: object, tools: object = ()) -> dict[str, str]:
            raise RuntimeError("Request too large on tokens per min (TPM): Limit 30000, Requested 34239")

    with pytest.raises(RuntimeError, match="TPM"):
        run(history, ContextEngine(Prompts(), config=SMALL), Busy())
    assert CompactStore(history).active_checkpoint is None


def test_a_failed_summary_is_summary_unavailable_and_changes_nothing() -> None:
    history = long_history()
    store = CompactStore(history, config=SMALL)
    compactor = ContextCompactor(store, create_summary_generator(AsyncLlm(error=ConnectionError()), SMALL))
    info = compactor.compact(history.get_messages())
    assert {"compacted": info["compacted"], "reason": info["reason"]} == {
        "compacted": False,
        "reason": "summary_unavailable",
    }
    assert ProjectionBuilder(store).project(history.get_messages()).mode == "full_history"


def test_a_step_whose_summary_failed_is_trimmed_and_not_skipped() -> None:
    # docs/decisions/0004: the model never gets a request that is known to be too long.
    history = long_history()
    context = ContextEngine(config=SMALL, summary_generator=lambda _: None)
    info = context.compact_if_needed(history_manager=history)
    assert (info["compacted"], info["resolved_by"]) == (True, "trim")
    assert info["fallback"] == "summarizer_returned_nothing"
    assert context.build_model_view(history_manager=history).estimated_tokens < 6_400


def test_a_reactive_compaction_whose_summary_failed_does_not_end_the_run() -> None:
    # docs/decisions/0005: each refusal makes the request smaller, and no summary is needed for it.
    history, llm = long_history(10), Llm("done", window=2_500)
    context = ContextEngine(Prompts(), config=SMALL, summary_generator=lambda _: None)
    for _ in range(3):
        assert run(history, context, llm) == "done"
        history.append_assistant("done")
        for number in range(4):
            exchange(history, number, size=400)
        history.append_user("and now?")


def test_what_can_never_fit_is_an_error_before_any_call() -> None:
    history, llm = HistoryManager(), Llm()
    history.append_user(tokens(20_000))
    with pytest.raises(CannotFit):
        run(history, ContextEngine(config=SMALL), llm)
    assert llm.asked == []


def test_a_process_ends_at_once_after_a_summary_that_timed_out() -> None:
    # docs/decisions/0007: with a pool of threads it would wait for the model.
    script = (
        "import asyncio\n"
        "from unabridged.context import ContextConfig, HistoryManager, create_summary_generator\n"
        "async def llm(messages): await asyncio.sleep(60)\n"
        "history = HistoryManager()\n"
        "history.append_user('word ' * 2000)\n"
        "print(create_summary_generator(llm, ContextConfig(summary_timeout=0.1))(history.get_messages()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=30, env={**os.environ}, check=True
    )
    assert done.stdout == "None\n"


def test_a_summary_in_chinese_reads_as_one_in_english_does() -> None:
    history = HistoryManager()
    for number in range(12):
        history.append_user(f"第{number}步：请重构认证模块，" * 40)
        history.append_assistant("已完成，测试通过。" * 20)
    history.append_user("下一步？")
    context = ContextEngine(config=SMALL, summary_generator=lambda _: "之前发生了：用户要求重构认证模块，已完成。" * 12)
    assert context.compact_if_needed(history_manager=history)["resolved_by"] == "summarize"
    view = context.build_model_view(history_manager=history)
    assert "之前发生了" in view.messages[1]["content"]
    assert (view.messages[0]["content"][:3], view.messages[-1]["content"]) == ("第0步", "下一步？")


def test_the_components_are_those_of_the_summary_table() -> None:
    history = long_history()
    store = CompactStore(history, config=SMALL)
    assert ContextBudgetPolicy(SMALL).should_compact(messages=history.get_messages()).should_compact
    assert ContextCompactor(store, lambda _: WROTE, config=SMALL).compact(history.get_messages())["compacted"]
    assert Role.SUMMARY in [
        message.role for message in ProjectionBuilder(store).project(history.get_messages()).messages
    ]

"""The coordinator with a summary generator, and with what is known from other sessions."""

from __future__ import annotations

import asyncio
import json

import msgspec
import pytest

from tests.context.talking import WINDOW, AsyncLlm, Llm, Prompts, call, exchange, long_history, tokens
from unabridged import BadInput, CannotFit
from unabridged.context import CompactStore, ContextConfig, ContextEngine, HistoryManager, create_summary_generator
from unabridged.report import Phase
from unabridged.testing import violations

SMALL = ContextConfig(context_window=WINDOW, summary_timeout=0.2)


def engine(llm: Llm | AsyncLlm, config: ContextConfig = SMALL) -> ContextEngine:
    generator = create_summary_generator(llm, config, window=200_000)
    return ContextEngine(Prompts("Law"), config=config, summary_generator=generator)


def test_what_is_old_gives_way_to_a_summary_behind_the_task() -> None:
    history, llm = long_history(), Llm()
    context = engine(llm)
    info = context.compact_if_needed(history_manager=history)
    view = context.build_model_view(history_manager=history)
    assert (info["compacted"], info["resolved_by"], info["fallback"]) == (True, "summarize", None)
    assert [message["content"][:26] for message in view.messages[:3]] == [
        "Law",
        "question 0",
        "## Archived History Summar",
    ]
    assert view.messages[2]["role"] == "user"
    assert view.messages[-1]["content"] == "the newest question"
    assert view.estimated_tokens < 6_400
    assert len(llm.asked) == 1


def test_a_step_that_was_fitted_asks_nobody_again() -> None:
    history, llm = long_history(), Llm()
    context = engine(llm)
    first = context.compact_if_needed(history_manager=history)
    assert context.compact_if_needed(history_manager=history) == first
    context.build_model_view(history_manager=history)
    history.append_assistant("a short answer")
    history.append_user("a short question")
    assert context.compact_if_needed(history_manager=history)["reason"] == "below_threshold"
    assert len(llm.asked) == 1


def test_a_view_alone_asks_no_model_and_is_bounded_by_rules() -> None:
    history, llm = long_history(), Llm()
    view = engine(llm).build_model_view(history_manager=history)
    assert llm.asked == []
    assert view.estimated_tokens < 6_400
    assert view.report is not None
    assert view.report.resolved_by == "summarize"


def test_a_summary_is_made_in_the_middle_of_a_turn_too() -> None:
    history, llm = HistoryManager(), Llm()
    history.append_user("read every file")
    context = engine(llm)
    for step in range(40):
        context.compact_if_needed(history_manager=history)
        view = context.build_model_view(history_manager=history)
        assert view.estimated_tokens < 6_400
        assert violations("openai_chat", {"model": "m", "messages": view.messages}) == []
        history.append_assistant(tool_calls=[call(f"c{step}")])
        history.append_tool_result(f"c{step}", tokens(400))
    assert len(llm.asked) > 1
    assert "## Archived History Summary" in json.dumps(view.messages)


def test_a_summary_that_comes_too_late_costs_its_time_once_and_the_step_is_trimmed() -> None:
    history, llm = long_history(), AsyncLlm(takes_s=30)
    context = engine(llm)
    info = context.compact_if_needed(history_manager=history)
    assert (info["compacted"], info["resolved_by"], info["fallback"]) == (True, "trim", "summarizer_timed_out")
    assert context.build_model_view(history_manager=history).estimated_tokens < 6_400
    done = history.transcript.reports[-1]
    assert done.summarizer_ms is not None
    assert 200 <= done.summarizer_ms < 5_000
    assert done.summarizer_timeout_s == 0.2


def test_what_was_asked_for_stands_in_the_log_before_and_after() -> None:
    history = long_history()
    engine(Llm()).compact_if_needed(history_manager=history)
    assert [report.phase for report in history.transcript.reports] == [Phase.COMPACTING, Phase.DONE]


async def test_where_a_loop_runs_it_goes_on_while_a_summary_is_written() -> None:
    history, ticks = long_history(), 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.005)

    clock = asyncio.ensure_future(tick())
    context = engine(AsyncLlm(takes_s=0.1))
    info = await context.compact_if_needed_async(history_manager=history)
    clock.cancel()
    assert info["resolved_by"] == "summarize"
    assert ticks > 5


async def test_where_a_loop_runs_the_blocking_call_is_refused_only_where_a_summary_is_due() -> None:
    context, history = engine(AsyncLlm()), long_history(3)
    assert not context.compact_if_needed(history_manager=history)["compacted"]
    with pytest.raises(BadInput, match="`compact_if_needed_async`"):
        context.compact_if_needed(history_manager=long_history())
    with pytest.raises(BadInput, match="`reactive_compact_async`"):
        context.reactive_compact(history_manager=long_history())


async def test_a_step_that_is_cancelled_cancels_the_model_and_leaves_the_messages() -> None:
    history, llm = long_history(), AsyncLlm(takes_s=30)
    source, context = history.get_messages(), engine(llm, ContextConfig(context_window=WINDOW))
    step = asyncio.ensure_future(context.compact_if_needed_async(history_manager=history))
    await asyncio.sleep(0.05)
    step.cancel()
    with pytest.raises(asyncio.CancelledError):
        await step
    assert (llm.asked, llm.answered) == (1, 0)
    assert history.get_messages() == source


async def test_after_an_overflow_a_summary_may_be_asked_for_too() -> None:
    history, llm = long_history(12), AsyncLlm()
    context = engine(llm)
    assert context.build_model_view(history_manager=history).projection_mode == "full_history"
    info = await context.reactive_compact_async(history_manager=history, limit=3_000)
    assert (info["compacted"], info["reason"], info["resolved_by"]) == (True, "provider_overflow", "summarize")
    assert context.build_model_view(history_manager=history).estimated_tokens < 2_400


def test_a_limit_of_nought_is_no_limit() -> None:
    history, context = long_history(10), engine(Llm())
    context.build_model_view(history_manager=history)
    assert context.reactive_compact(history_manager=history, limit=0)["compacted"]
    assert context.window == WINDOW


def test_a_message_that_the_provider_finds_too_long_leaves_the_branch_although_a_request_carried_it() -> None:
    history, context = HistoryManager(), engine(Llm())
    exchange(history, 1)
    kept = history.get_messages()
    history.append_user(tokens(5_000))
    context.build_model_view(history_manager=history)
    with pytest.raises(CannotFit):
        context.reactive_compact(history_manager=history, limit=2_000)
    assert history.get_messages() == kept
    history.append_user("in short, then")
    assert context.build_model_view(history_manager=history).messages[-1]["content"] == "in short, then"


def test_the_rank_of_a_summary_is_the_operators_choice() -> None:
    history, context = long_history(), engine(Llm())
    context.policy = msgspec.structs.replace(context.policy, summary_role="system")
    context.compact_if_needed(history_manager=history)
    summary = context.build_model_view(history_manager=history).messages[2]
    assert (summary["role"], summary["content"].splitlines()[0]) == ("system", "## Archived History Summary")


def test_session_memory_stands_between_system_layers_and_history_and_counts() -> None:
    history = HistoryManager()
    history.append_user("hello")
    context = engine(Llm())
    without = context.build_model_view(history_manager=history)
    other = engine(Llm())
    other.session_memory = "Last week the parser was rewritten. " + tokens(200)
    view = other.build_model_view(history_manager=history)
    assert [message["content"][:5] for message in view.messages] == ["Law", "Last ", "hello"]
    assert [message["role"] for message in view.messages] == ["system", "system", "user"]
    assert (view.system_message_count, view.dynamic_message_count, view.history_message_count) == (1, 1, 1)
    assert view.estimated_tokens > without.estimated_tokens + 200
    assert without.dynamic_message_count == 0


def test_session_memory_is_rendered_anew_together_with_a_checkpoint() -> None:
    # Nothing volatile before the history: what changes there costs the provider's cache of all that follows.
    history, context = long_history(3), engine(Llm())
    context.session_memory = "first"
    memories = list[str]()
    for number in range(3, 40):
        context.compact_if_needed(history_manager=history)
        view = context.build_model_view(history_manager=history)
        memories.append(view.messages[1]["content"])
        if view.report is not None:
            break
        context.session_memory = f"as of step {number}"
        exchange(history, number)
    assert set(memories[:-1]) == {"first"}
    assert memories[-1].startswith("as of step")
    assert CompactStore(history).active_checkpoint is not None

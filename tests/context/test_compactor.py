"""Compaction as a step of its own, and checkpoints that somebody writes by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.context.talking import WINDOW, WROTE, AsyncLlm, Llm, call, exchange, long_history, tokens
from unabridged import BadInput
from unabridged.context import (
    CompactStore,
    ContextCompactor,
    ContextConfig,
    ContextEngine,
    HistoryManager,
    ProjectionBuilder,
    create_summary_generator,
)
from unabridged.message import Message, Role
from unabridged.plan import Verdict
from unabridged.report import Fallback, Phase
from unabridged.transcript import Transcript

SMALL = ContextConfig(context_window=WINDOW, summary_timeout=0.2)


def shown(store: CompactStore) -> list[str]:
    projection = ProjectionBuilder(store).project(store.history.get_messages())
    return [message.role.value for message in projection.messages]


def test_a_summary_of_the_old_part_is_kept_as_a_checkpoint_and_no_message_is_touched() -> None:
    history = long_history()
    source, store = history.get_messages(), CompactStore(history, config=SMALL)
    info = ContextCompactor(store, create_summary_generator(Llm(), SMALL)).compact(source)
    active = store.active_checkpoint
    assert active is not None
    assert active.summary is not None
    assert "Nothing was changed in `a.py`" in active.summary
    assert (info["compacted"], info["resolved_by"], info["checkpoint_id"]) == (True, "summarize", active.id)
    assert {run.verdict for run in active.plan.runs if run.verdict is not Verdict.KEEP} == {Verdict.COMPACT}
    assert shown(store)[:2] == ["user", "summary"]
    assert history.get_messages() == source


def test_below_the_budget_nobody_is_asked() -> None:
    history, llm = long_history(3), Llm()
    compactor = ContextCompactor(CompactStore(history, config=SMALL), create_summary_generator(llm, SMALL))
    info = compactor.compact(history.get_messages())
    assert (info["compacted"], info["reason"], info["threshold"], llm.asked) == (False, "below_threshold", 6_400, [])


def test_a_history_that_is_only_mended_is_below_the_budget() -> None:
    history = HistoryManager()
    history.append_user("read it")
    history.append_assistant(tool_calls=[call("c")])  # interrupted: nothing answers it
    history.append_user("go on")
    info = ContextCompactor(CompactStore(history, config=SMALL)).compact(history.get_messages())
    assert (info["compacted"], info["reason"]) == (False, "below_threshold")


def test_where_nothing_is_old_enough_nobody_is_asked() -> None:
    history, llm = HistoryManager(), Llm()
    history.append_user("read it")
    history.append_assistant(tool_calls=[call("c")])
    history.append_tool_result("c", tokens(9_000))
    store = CompactStore(history, config=SMALL)
    info = ContextCompactor(store, create_summary_generator(llm, SMALL)).compact(history.get_messages())
    assert (info["compacted"], info["reason"], llm.asked) == (False, "nothing_to_summarize", [])
    assert store.active_checkpoint is None


def test_without_a_generator_it_is_summed_up_by_rules() -> None:
    history = long_history()
    store = CompactStore(history, config=SMALL)
    assert ContextCompactor(store).compact(history.get_messages())["resolved_by"] == "summarize"
    assert store.active_checkpoint is not None
    assert "question 3" in (store.active_checkpoint.summary or "")


def test_a_summary_that_does_not_come_about_changes_nothing_but_the_log_says_so() -> None:
    history = long_history()
    store = CompactStore(history, config=SMALL)
    info = ContextCompactor(store, lambda _: None).compact(history.get_messages())
    assert (info["compacted"], info["reason"]) == (False, "summary_unavailable")
    assert info["fallback"] == "summarizer_returned_nothing"
    assert store.active_checkpoint is None
    assert [report.phase for report in history.transcript.reports] == [Phase.COMPACTING, Phase.DONE]
    assert history.transcript.reports[-1].fallback is Fallback.SUMMARIZER_RETURNED_NOTHING


def test_a_generator_that_failed_is_left_alone_at_the_next_attempt() -> None:
    history, asked = long_history(), list[int]()
    compactor = ContextCompactor(CompactStore(history, config=SMALL), lambda messages: asked.append(len(messages)))
    assert compactor.compact(history.get_messages())["reason"] == "summary_unavailable"
    assert compactor.compact(history.get_messages())["resolved_by"] == "summarize"
    assert len(asked) == 1


async def test_where_a_loop_runs_it_is_awaited() -> None:
    history = long_history()
    compactor = ContextCompactor(CompactStore(history, config=SMALL), create_summary_generator(AsyncLlm(), SMALL))
    with pytest.raises(BadInput, match="`compact_async`"):
        compactor.compact(history.get_messages())
    assert (await compactor.compact_async(history.get_messages()))["compacted"]


def test_a_generator_of_ones_own_gets_the_earlier_summary_as_a_message() -> None:
    history, asked = long_history(), list[list[Role]]()

    def generate(messages: Sequence[Message]) -> str:
        asked.append([message.role for message in messages])
        return WROTE

    compactor = ContextCompactor(CompactStore(history, config=SMALL), generate)
    for _ in range(2):
        assert compactor.compact(history.get_messages())["compacted"]
        for number in range(30, 50):
            exchange(history, number)
        history.append_user("another question")
    assert Role.SUMMARY not in asked[0]
    assert asked[1][0] is Role.SUMMARY


def test_a_hand_made_checkpoint_never_hides_the_task_nor_what_waits_for_an_answer() -> None:
    history = long_history(10)
    store = CompactStore(history, config=SMALL)
    store.create_checkpoint(summary="They read `a.py` ten times.", retain_start_idx=len(history.get_messages()))
    projection = ProjectionBuilder(store).project(history.get_messages())
    assert [message.text for message in projection.messages][::2] == ["question 0", "the newest question"]
    assert projection.messages[1].role is Role.SUMMARY


def test_a_hand_made_checkpoint_splits_no_call_from_its_results() -> None:
    history = long_history(10)
    store = CompactStore(history, config=SMALL)
    inside = 4 * 6 + 2  # between the call of the seventh round and its result
    assert history.get_messages()[inside].role is Role.TOOL
    store.create_checkpoint(summary="They read `a.py`.", retain_start_idx=inside)
    assert shown(store)[:4] == ["user", "summary", "assistant", "tool"]


def test_a_hand_made_checkpoint_stands_until_the_next_fit_is_due() -> None:
    history = long_history(10)
    store = CompactStore(history, config=SMALL)
    made = store.create_checkpoint(summary="They read `a.py`.", retain_start_idx=4 * 6)
    view = ContextEngine(config=SMALL).build_model_view(history_manager=history)
    assert store.active_checkpoint == made
    assert view.history_message_count == 1 + 1 + 4 * 4 + 1
    again = HistoryManager(Transcript(history.transcript.log))
    assert CompactStore(again, config=SMALL).active_checkpoint == made


def test_a_hand_made_checkpoint_shows_the_rest_as_it_is_whatever_the_budget() -> None:
    history = long_history()
    source, store = history.get_messages(), CompactStore(history, config=SMALL)
    store.create_checkpoint(summary="They read `a.py`.", retain_start_idx=4)
    assert list(ProjectionBuilder(store).project(source).messages[2:]) == source[4:]
    assert ContextEngine(config=SMALL).build_model_view(history_manager=history).estimated_tokens < 6_400


def test_a_second_hand_made_checkpoint_replaces_the_first() -> None:
    history = long_history(10)
    store = CompactStore(history, config=SMALL)
    store.create_checkpoint(summary="They read `a.py` eight times.", retain_start_idx=4 * 8)
    store.create_checkpoint(summary="They read `a.py` twice.", retain_start_idx=4 * 2)
    assert len(shown(store)) == 1 + 1 + 4 * 8 + 1


@pytest.mark.parametrize(("summary", "start"), [("short", 0), ("short", 1), (tokens(4_000), 20)])
def test_a_checkpoint_that_saves_nothing_is_refused(summary: str, start: int) -> None:
    history = long_history(10)
    store = CompactStore(history, config=SMALL)
    with pytest.raises(BadInput, match="saves nothing"):
        store.create_checkpoint(summary=summary, retain_start_idx=start)
    assert store.active_checkpoint is None


@pytest.mark.parametrize("start", [-1, 42])
def test_a_position_outside_of_the_history_is_refused(start: int) -> None:
    with pytest.raises(BadInput, match="there are 41 messages"):
        CompactStore(long_history(10), config=SMALL).create_checkpoint(summary="short", retain_start_idx=start)


def test_cleared_the_whole_history_is_shown() -> None:
    history = long_history(10)
    store = CompactStore(history, config=SMALL)
    store.clear()
    store.create_checkpoint(summary="They read `a.py`.", retain_start_idx=24)
    store.clear()
    projection = ProjectionBuilder(store).project(history.get_messages())
    assert (list(projection.messages), projection.mode) == (history.get_messages(), "full_history")

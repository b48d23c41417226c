"""Reading a history as the model sees it."""

from __future__ import annotations

import pytest

from tests.context.talking import WINDOW, call, exchange, long_history
from unabridged import BadInput
from unabridged.checkpoint import Checkpoint
from unabridged.context import (
    CompactStore,
    ContextConfig,
    ContextEngine,
    HistoryManager,
    MessageNormalizer,
    ProjectionBuilder,
)
from unabridged.entry import CheckpointEntry, UndoEntry
from unabridged.markers import is_marker
from unabridged.message import Message, Role, Text
from unabridged.plan import Plan, Reason, Run, Verdict


def of_200() -> HistoryManager:
    history = HistoryManager()
    for number in range(50):
        history.append_user(f"question {number}")
        history.append_assistant(tool_calls=[call(f"a{number}"), call(f"b{number}")])
        history.append_tool_result(f"a{number}", "found")
        history.append_tool_result(f"b{number}", "nothing")
    return history


def drop_first(history: HistoryManager, count: int) -> Checkpoint:
    """Keep a checkpoint that takes the first messages out of the view."""
    records = history.transcript.records
    run = Run(records[0].message.id, records[count - 1].message.id, count, Verdict.DROP, Reason.OLDEST_GROUP)
    last = records[-1]
    checkpoint = Checkpoint(
        id="checkpoint-1",
        reaches=last.message.id,
        digest=history.transcript.digest_of(last),
        plan=Plan(runs=(run,)),
        strategy="trim",
        budget=102_400,
    )
    history.transcript.record(CheckpointEntry(checkpoint))
    return checkpoint


def test_without_a_checkpoint_the_view_is_the_whole_history() -> None:
    history = of_200()
    projection = ProjectionBuilder(CompactStore(history)).project(history.get_messages())
    assert list(projection.messages) == history.get_messages()
    assert projection.projection_mode == "full_history"
    assert projection.source_message_count == 200


def test_with_a_checkpoint_the_view_is_one_message_for_the_old_ones_and_the_newest_as_they_are() -> None:
    history = of_200()
    source = history.get_messages()
    checkpoint = drop_first(history, 120)
    store = CompactStore(history)
    projection = ProjectionBuilder(store).project(source)
    assert store.active_checkpoint == checkpoint
    assert projection.projection_mode == "compact_checkpoint"
    assert (len(projection.messages), projection.source_message_count) == (81, 200)
    assert is_marker(projection.messages[0].text)
    assert "120 earlier messages" in projection.messages[0].text
    assert list(projection.messages[1:]) == source[120:]
    assert history.get_messages() == source


def test_a_checkpoint_that_is_undone_gives_the_whole_history_back() -> None:
    history = of_200()
    builder = ProjectionBuilder(CompactStore(history))
    checkpoint = drop_first(history, 120)
    assert len(builder.project(history.get_messages()).messages) == 81
    history.transcript.record(UndoEntry(checkpoint.id))
    projection = builder.project(history.get_messages())
    assert list(projection.messages) == history.get_messages()
    assert projection.projection_mode == "full_history"


def test_a_projection_follows_a_history_that_grows() -> None:
    history = of_200()
    builder = ProjectionBuilder(CompactStore(history))
    drop_first(history, 120)
    before = builder.project(history.get_messages())
    answer, question = history.append_assistant("now this"), history.append_user("and then?")
    after = builder.project(history.get_messages())
    assert after.messages == (*before.messages, answer, question)


def test_messages_of_another_history_are_refused() -> None:
    history, other = of_200(), of_200()
    builder = ProjectionBuilder(CompactStore(history))
    for foreign in (other.get_messages(), history.get_messages()[:-1], []):
        with pytest.raises(BadInput, match="get_messages"):
            builder.project(foreign)


def test_projected_and_normalized_a_history_is_what_the_engine_shows() -> None:
    history = long_history(size=800)
    context = ContextEngine(config=ContextConfig(context_window=WINDOW))
    view = context.build_model_view(history_manager=history)
    projection = ProjectionBuilder(CompactStore(history)).project(history.get_messages())
    assert projection.projection_mode == view.projection_mode == "compact_checkpoint"
    assert MessageNormalizer().normalize(projection.messages) == view.messages


def test_messages_are_normalized_to_openai_dicts() -> None:
    history = HistoryManager()
    exchange(history, 1, size=1)
    assert MessageNormalizer().normalize(history.get_messages()) == [
        {"role": "user", "content": "question 1"},
        {"role": "assistant", "content": None, "tool_calls": [call("call-1")]},
        {"role": "tool", "tool_call_id": "call-1", "content": "word "},
        {"role": "assistant", "content": "answer 1"},
    ]


def test_an_answer_goes_back_out_with_its_thoughts() -> None:
    history = HistoryManager()
    history.append_assistant("done", reasoning_content="it was the cache")
    assert MessageNormalizer().normalize(history.get_messages()) == [
        {"role": "assistant", "content": "done", "reasoning_content": "it was the cache"}
    ]


def test_a_summary_is_background_under_its_heading_and_never_has_the_rank_of_the_system() -> None:
    summary = Message(id="s", role=Role.SUMMARY, parts=(Text("The login was fixed."),))
    (shown,) = MessageNormalizer().normalize([summary])
    assert shown["role"] == "user"
    assert shown["content"].startswith("## Archived History Summary\n")
    assert "background" in shown["content"]
    assert shown["content"].endswith("The login was fixed.")

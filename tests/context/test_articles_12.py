"""Post 12: every fragment of code and every number. `docs/articles.md` has the table."""

from __future__ import annotations

import pytest

from tests.context.talking import WINDOW, AsyncLlm, Llm, Prompts, call, exchange, long_history, tokens
from unabridged.context import (
    CompactStore,
    ContextBudgetPolicy,
    ContextCompactor,
    ContextConfig,
    ContextEngine,
    HistoryManager,
    MessageNormalizer,
    ProjectionBuilder,
    RoundSegmenter,
    create_summary_generator,
)
from unabridged.message import Message, Role, Text
from unabridged.transcript import Transcript

SMALL = ContextConfig(context_window=WINDOW, summary_timeout=0.2)


def of_200() -> HistoryManager:
    """Fifty rounds of four messages each."""
    history = HistoryManager()
    for number in range(50):
        exchange(history, number, size=40)
    return history


def test_a_step_takes_the_messages_of_the_model_view() -> None:
    history = HistoryManager()
    history.append_user("hello")
    model_view = ContextEngine(Prompts("Law"), config=SMALL).build_model_view(
        history_manager=history, pending_input="hello"
    )
    assert model_view.messages == [{"role": "system", "content": "Law"}, {"role": "user", "content": "hello"}]


def test_history_is_appended_to_and_handed_out_as_a_copy() -> None:
    history = HistoryManager()
    asked = history.append_user("fix it")
    called = history.append_assistant("let me see", tool_calls=[call("c")])
    found = history.append_tool_result("c", "def f(): ...")
    history.get_messages().clear()
    assert history.get_messages() == [asked, called, found]
    with pytest.raises(AttributeError):
        asked.parts = ()  # type: ignore[misc]  # what is tested: the articles' messages could be changed in place


def test_history_is_built_again_from_its_transcript_whatever_was_compacted() -> None:
    history = long_history()
    source = history.get_messages()
    ContextEngine(config=SMALL).compact_if_needed(history_manager=history)
    again = HistoryManager(Transcript(history.transcript.log))
    assert again.get_messages() == source
    assert CompactStore(again).active_checkpoint == CompactStore(history).active_checkpoint


def test_below_the_threshold_is_a_decision_with_its_reason() -> None:
    decision = ContextBudgetPolicy(ContextConfig()).should_compact(
        messages=long_history(3).get_messages(), pending_input="go on", last_usage_tokens=None
    )
    assert (decision.should_compact, decision.reason, decision.threshold) == (False, "below_threshold", 102_400)
    assert decision.message_count == 13


def test_two_messages_are_enough() -> None:
    # docs/decisions/0008: there is no `messages_not_enough`. Two pasted documents fill a window.
    history = HistoryManager()
    history.append_user(tokens(4_000))
    history.append_assistant(tokens(4_000))
    decision = ContextBudgetPolicy(SMALL).should_compact(messages=history.get_messages())
    assert (decision.should_compact, decision.reason, decision.message_count) == (True, "threshold_exceeded", 2)


def test_calls_and_names_are_counted_with_the_messages() -> None:
    # docs/decisions/0001: they were the reason for taking the larger of two estimates.
    history, policy = HistoryManager(), ContextBudgetPolicy(SMALL)
    history.append_assistant("", tool_calls=[call("c", "write", '{"text": "' + tokens(3_000) + '"}')])
    assert policy.estimate_tokens(history.get_messages()) > 3_000


def test_compaction_takes_complete_rounds_where_a_border_is_near() -> None:
    history = long_history()
    store = CompactStore(history, config=SMALL)
    assert ContextCompactor(store, create_summary_generator(Llm(), SMALL)).compact(history.get_messages())["compacted"]
    first_retained = ProjectionBuilder(store).project(history.get_messages()).messages[2]
    starts = {history.get_messages()[item.start_idx].id for item in RoundSegmenter().identify(history.get_messages())}
    assert first_retained.id in starts


def test_compaction_cuts_inside_a_round_that_is_longer_than_the_window() -> None:
    # docs/decisions/0003: an agent works for hours on one user message.
    history = HistoryManager()
    history.append_user("read everything")
    for number in range(25):
        history.append_assistant(tool_calls=[call(f"c{number}")])
        history.append_tool_result(f"c{number}", tokens(300))
    history.append_assistant("halfway")
    store = CompactStore(history, config=SMALL)
    info = ContextCompactor(store, create_summary_generator(Llm(), SMALL)).compact(history.get_messages())
    projection = ProjectionBuilder(store).project(history.get_messages())
    assert (info["compacted"], len(RoundSegmenter().identify(history.get_messages()))) == (True, 1)
    assert [message.role for message in projection.messages[:3]] == [Role.USER, Role.SUMMARY, Role.ASSISTANT]


def test_without_a_checkpoint_the_projection_is_the_source() -> None:
    history = of_200()
    projection = ProjectionBuilder(CompactStore(history, config=SMALL)).project(history.get_messages())
    assert list(projection.messages) == history.get_messages()
    assert projection.projection_mode == "full_history"


def test_200_messages_split_at_120_are_seen_as_a_summary_and_80_verbatim() -> None:
    history = of_200()
    source, store = history.get_messages(), CompactStore(history, config=SMALL)
    store.create_checkpoint(summary="The first thirty questions were answered.", retain_start_idx=120)
    projection = ProjectionBuilder(store).project(source)
    task, summary, *recent = projection.messages
    assert projection.projection_mode == "compact_checkpoint"
    assert (summary.role, "thirty questions" in summary.text) == (Role.SUMMARY, True)
    assert recent == source[120:]
    assert len(recent) == 80
    # docs/decisions/0003: 81 in the article, and the task beside them, which is never evicted.
    assert (task, len(projection.messages)) == (source[0], 81 + 1)
    assert (projection.source_message_count, len(history.get_messages())) == (200, 200)


def test_a_checkpoint_names_messages_and_not_a_position() -> None:
    # docs/decisions/0006: on a branch that does not hold them it is passed over, so no view is ever empty.
    history = of_200()
    CompactStore(history, config=SMALL).create_checkpoint(summary="Thirty questions.", retain_start_idx=120)
    source = history.get_messages()
    rewound = HistoryManager(history.transcript.branch_from(source[6].id, why="rewind"))
    projection = ProjectionBuilder(CompactStore(rewound, config=SMALL)).project(rewound.get_messages())
    assert (list(projection.messages), projection.projection_mode) == (source[:7], "full_history")


def test_cleared_the_checkpoint_gives_the_full_history_back() -> None:
    history = of_200()
    store = CompactStore(history, config=SMALL)
    store.create_checkpoint(summary="Thirty questions.", retain_start_idx=120)
    store.clear()
    projection = ProjectionBuilder(store).project(history.get_messages())
    assert (len(projection.messages), projection.projection_mode) == (200, "full_history")


def test_each_role_is_normalized_to_its_openai_dict() -> None:
    history = HistoryManager()
    history.append_user("fix it")
    history.append_assistant("let me see", tool_calls=[call("c")])
    history.append_tool_result("c", "def f(): ...")
    assert MessageNormalizer().normalize(history.get_messages()) == [
        {"role": "user", "content": "fix it"},
        {"role": "assistant", "content": "let me see", "tool_calls": [call("c")]},
        {"role": "tool", "tool_call_id": "c", "content": "def f(): ..."},
    ]


def test_a_summary_is_normalized_under_the_articles_heading_with_the_rank_of_a_user() -> None:
    # docs/decisions/0009: it quotes what nobody vouches for. `summary_role="system"` gives the articles' form.
    summary = Message(id="s", role=Role.SUMMARY, parts=(Text("The login was fixed."),))
    (shown,) = MessageNormalizer().normalize([summary])
    assert shown["role"] == "user"
    assert shown["content"].splitlines()[0] == "## Archived History Summary"
    assert shown["content"].endswith("The login was fixed.")


def test_a_model_view_carries_its_messages_counts_and_mode() -> None:
    history = long_history()
    context = ContextEngine(Prompts(), config=SMALL, summary_generator=create_summary_generator(Llm(), SMALL))
    context.session_memory = "Last week: the parser."
    context.compact_if_needed(history_manager=history)
    view = context.build_model_view(history_manager=history)
    assert (view.system_message_count, view.dynamic_message_count, view.source_message_count) == (3, 1, 121)
    assert view.history_message_count == len(view.messages) - 4 < 121
    assert view.projection_mode == "compact_checkpoint"


def test_the_order_is_system_layers_then_session_memory_then_the_projected_history() -> None:
    history = long_history()
    context = ContextEngine(Prompts(), config=SMALL, summary_generator=create_summary_generator(Llm(), SMALL))
    context.session_memory = "Last week: the parser."
    context.compact_if_needed(history_manager=history)
    view = context.build_model_view(history_manager=history)
    assert [message["content"][:22] for message in view.messages[:6]] == [
        *("Constitution", "Tool Contracts", "Code Law", "Last week: the parser."),
        *("question 0", "## Archived History Su"),
    ]
    projection = ProjectionBuilder(CompactStore(history)).project(history.get_messages())
    assert MessageNormalizer().normalize(projection.messages) == view.messages[4:]


def test_the_proactive_path_compacts_before_the_view_of_the_same_step() -> None:
    history, llm = long_history(), Llm()
    context = ContextEngine(config=SMALL, summary_generator=create_summary_generator(llm, SMALL, window=200_000))
    assert context.compact_if_needed(history_manager=history)["reason"] == "threshold_exceeded"
    view = context.build_model_view(history_manager=history)
    assert view.estimated_tokens < 6_400
    assert len(llm.asked) == 1


def test_the_reactive_path_compacts_although_the_estimate_did_not_call_for_it() -> None:
    history = long_history(8)
    context = ContextEngine(config=SMALL, summary_generator=create_summary_generator(AsyncLlm(), SMALL))
    assert context.compact_if_needed(history_manager=history)["reason"] == "below_threshold"
    info = context.reactive_compact(history_manager=history)
    assert (info["compacted"], info["reason"]) == (True, "provider_overflow")
    assert context.build_model_view(history_manager=history).estimated_tokens < info["threshold"]


def test_there_is_no_limit_of_retries_since_each_is_smaller() -> None:
    # docs/decisions/0005: there is no MODEL_RECOVERY_FAILED after the first.
    history, context = long_history(10), ContextEngine(config=SMALL)
    sizes = [context.build_model_view(history_manager=history).estimated_tokens]
    for _ in range(3):
        assert context.reactive_compact(history_manager=history)["compacted"]
        sizes.append(context.build_model_view(history_manager=history).estimated_tokens)
    assert sizes == sorted(set(sizes), reverse=True)

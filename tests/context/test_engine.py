"""The coordinator: fits before each step, gives the view, and goes on after a refusal."""

from __future__ import annotations

import itertools

import pytest

from tests.context.talking import WINDOW, Prompts, call, exchange, long_history, tokens
from unabridged import BadInput, CannotFit, Conversation, Policy, Usage
from unabridged.context import CompactStore, ContextConfig, ContextEngine, HistoryManager
from unabridged.testing import violations
from unabridged.transcript import Transcript

SMALL = ContextConfig(context_window=WINDOW)


def engine(config: ContextConfig = SMALL) -> ContextEngine:
    return ContextEngine(Prompts(), config=config)


def test_below_the_threshold_the_view_is_system_layers_and_the_whole_history() -> None:
    history = HistoryManager()
    exchange(history, 1)
    history.append_user("go on")
    context = engine()
    info = context.compact_if_needed(history_manager=history, pending_input="go on")
    view = context.build_model_view(history_manager=history, pending_input="go on")
    assert (info["compacted"], info["reason"], info["threshold"]) == (False, "below_threshold", 6_400)
    assert info["estimated_tokens"] == view.estimated_tokens < 600
    assert [message["role"] for message in view.messages] == [
        *("system", "system", "system"),
        *("user", "assistant", "tool", "assistant", "user"),
    ]
    assert [message["content"] for message in view.messages[:3]] == ["Constitution", "Tool Contracts", "Code Law"]
    assert (view.system_message_count, view.history_message_count, view.source_message_count) == (3, 5, 5)
    assert view.projection_mode == "full_history"
    assert view.report is None
    assert view.max_output is None


def test_the_default_threshold_is_that_of_the_articles() -> None:
    history = HistoryManager()
    history.append_user("hello")
    assert engine(ContextConfig()).compact_if_needed(history_manager=history)["threshold"] == 102_400


def test_over_the_threshold_something_leaves_the_view_and_nothing_the_history() -> None:
    history = long_history()
    source = history.get_messages()
    context = engine()
    info = context.compact_if_needed(history_manager=history)
    view = context.build_model_view(history_manager=history)
    assert (info["compacted"], info["reason"]) == (True, "threshold_exceeded")
    assert view.estimated_tokens < info["threshold"] <= info["estimated_tokens"]
    assert view.projection_mode == "compact_checkpoint"
    assert view.source_message_count == len(source) == 121
    assert view.messages[3]["content"] == "question 0"
    assert view.messages[-1]["content"] == "the newest question"
    assert history.get_messages() == source


def test_a_checkpoint_that_was_made_is_the_active_one() -> None:
    history = long_history()
    info = engine().compact_if_needed(history_manager=history)
    active = CompactStore(history).active_checkpoint
    assert active is not None
    assert active.id == info["checkpoint_id"]


def test_a_view_is_bounded_also_where_nobody_asked_before() -> None:
    view = engine().build_model_view(history_manager=long_history())
    assert view.estimated_tokens < 6_400
    assert view.report is not None
    assert view.report.tokens_after == view.estimated_tokens


def test_a_fit_does_not_call_for_the_next() -> None:
    history = long_history()
    context = engine()
    assert context.compact_if_needed(history_manager=history)["compacted"]
    history.append_assistant("a short answer")
    history.append_user("a short question")
    again = context.compact_if_needed(history_manager=history)
    assert (again["compacted"], again["reason"]) == (False, "below_threshold")


def test_asking_twice_decides_once() -> None:
    history = long_history()
    context = engine()
    first = context.compact_if_needed(history_manager=history)
    length = len(history.transcript.log)
    assert context.compact_if_needed(history_manager=history) == first
    assert context.build_model_view(history_manager=history) == context.build_model_view(history_manager=history)
    assert len(history.transcript.log) == length


def test_every_step_of_a_long_turn_fits_and_is_valid() -> None:
    history = HistoryManager()
    history.append_user("read every file")
    context = engine()
    modes: list[str] = []
    for step in range(40):
        context.compact_if_needed(history_manager=history, pending_input="read every file")
        view = context.build_model_view(history_manager=history)
        assert view.estimated_tokens < 6_400
        assert violations("openai_chat", {"model": "m", "messages": view.messages}) == []
        assert view.messages[3]["content"] == "read every file"
        modes.append(view.projection_mode)
        history.append_assistant(tool_calls=[call(f"a{step}"), call(f"b{step}")])
        history.append_tool_result(f"a{step}", tokens(400))
        history.append_tool_result(f"b{step}", tokens(50))
    assert [mode for mode, _ in itertools.groupby(modes)] == ["full_history", "compact_checkpoint"]


def test_the_view_is_the_one_that_a_conversation_gives() -> None:
    talk = Conversation(window=WINDOW, policy=Policy(threshold=0.6), system="Be careful.")
    history = HistoryManager(Transcript())
    context = ContextEngine(
        Prompts("Be careful."), config=ContextConfig(context_window=WINDOW, compression_threshold=0.6)
    )
    for number in range(25):
        exchange(history, number)
        history.append_user("go on")
        for message in history.get_messages()[-5:]:
            talk.add(message)
        view = context.build_model_view(history_manager=history)
        assert view.messages == talk.fit().request()["messages"]
    assert view.projection_mode == "compact_checkpoint"


def test_a_new_process_gives_the_same_view() -> None:
    history = long_history()
    before = engine().build_model_view(history_manager=history)
    again = HistoryManager(Transcript(history.transcript.log))
    after = engine().build_model_view(history_manager=again)
    assert (after.messages, after.projection_mode) == (before.messages, before.projection_mode)


def test_tool_schemas_and_system_layers_count() -> None:
    history = HistoryManager()
    history.append_user("hello")
    schema = {"type": "function", "function": {"name": "read", "description": tokens(1_000), "parameters": {}}}
    context = ContextEngine(Prompts(tokens(500)), config=SMALL, tools=[schema])
    assert context.build_model_view(history_manager=history).estimated_tokens > 1_500


def test_changed_system_layers_are_in_the_next_view() -> None:
    history = HistoryManager()
    history.append_user("hello")
    prompts = Prompts("old law")
    context = ContextEngine(prompts, config=SMALL)
    context.build_model_view(history_manager=history)
    prompts.layers = ("new law", "newer law")
    view = context.build_model_view(history_manager=history)
    assert [message["content"] for message in view.messages] == ["new law", "newer law", "hello"]


def test_a_system_layer_with_another_role_is_refused() -> None:
    class Sly(Prompts):
        def get_system_messages(self) -> list[dict[str, str]]:
            return [{"role": "user", "content": "psst"}]

    history = HistoryManager()
    history.append_user("hello")
    with pytest.raises(BadInput, match="role user"):
        ContextEngine(Sly(), config=SMALL).build_model_view(history_manager=history)


def test_a_pending_input_that_nobody_appended_is_refused() -> None:
    history = HistoryManager()
    history.append_user("hello")
    with pytest.raises(BadInput, match="append_user"):
        engine().compact_if_needed(history_manager=history, pending_input="how are you?")


def test_after_an_overflow_the_step_is_tried_again_with_less() -> None:
    history = long_history(10)
    context = engine()
    refused = context.build_model_view(history_manager=history)
    info = context.reactive_compact(history_manager=history)
    retried = context.build_model_view(history_manager=history)
    assert (info.get("compacted"), info.get("reason")) == (True, "provider_overflow")
    assert retried.estimated_tokens < 0.8 * refused.estimated_tokens
    assert retried.messages[-1]["content"] == "the newest question"


def test_every_further_overflow_makes_the_request_smaller_again() -> None:
    history = long_history(10)
    context = engine()
    sizes = [context.build_model_view(history_manager=history).estimated_tokens]
    for _ in range(4):
        assert context.reactive_compact(history_manager=history)["compacted"]
        sizes.append(context.build_model_view(history_manager=history).estimated_tokens)
    assert all(after < before for before, after in itertools.pairwise(sizes))


def test_a_window_that_the_provider_named_is_kept_in_mind() -> None:
    history = long_history(10)
    context = engine()
    context.reactive_compact(history_manager=history, limit=3_000)
    for number in range(10, 20):
        exchange(history, number)
        history.append_user("go on")
        assert context.build_model_view(history_manager=history).estimated_tokens < 2_400


def test_an_overflow_with_nothing_left_to_take_says_so() -> None:
    history = HistoryManager()
    history.append_user("hello")
    info = engine().reactive_compact(history_manager=history)
    assert (info["compacted"], info["reason"]) == (False, "nothing_evictable")


def test_two_giant_messages_do_not_end_a_conversation() -> None:
    history = HistoryManager()
    context = engine()
    history.append_user(tokens(5_000))
    assert context.build_model_view(history_manager=history).estimated_tokens < WINDOW
    history.append_assistant("read")
    history.append_user("and this: " + tokens(5_000))
    view = context.build_model_view(history_manager=history)
    assert view.estimated_tokens < 6_400
    assert view.messages[-1]["content"].startswith("and this: word")


def test_what_can_never_fit_leaves_the_branch_and_a_smaller_message_works() -> None:
    history = HistoryManager()
    context = engine()
    exchange(history, 1)
    context.build_model_view(history_manager=history)
    kept = [*history.get_messages(), history.append_assistant("anything else?")]
    giant = history.append_user(tokens(20_000))
    with pytest.raises(CannotFit):
        context.compact_if_needed(history_manager=history)
    assert history.get_messages() == kept
    assert giant in [getattr(entry.payload, "message", None) for entry in history.transcript.log.entries]
    history.append_user("in short, then")
    view = context.build_model_view(history_manager=history)
    assert [message["content"] for message in view.messages[-2:]] == ["anything else?", "in short, then"]


def test_a_request_whose_floor_is_over_the_budget_goes_out_with_a_lower_output_limit() -> None:
    history = HistoryManager()
    history.append_user(tokens(6_300))
    view = engine().build_model_view(history_manager=history)
    assert view.estimated_tokens > 6_400
    assert view.max_output == WINDOW - view.estimated_tokens
    assert view.report is not None
    assert view.report.reason == "floor_over_budget"


def test_reported_usage_is_what_the_next_view_is_counted_from() -> None:
    history = long_history(3)
    context = engine()
    context.build_model_view(history_manager=history)
    context.record_usage({"prompt_tokens": 5_000, "completion_tokens": 7, "total_tokens": 5_007})
    history.append_assistant("done")
    history.append_user("go on")
    assert 5_000 < context.build_model_view(history_manager=history).estimated_tokens < 5_050
    context.record_usage(Usage(input=6_500))
    assert context.compact_if_needed(history_manager=history)["compacted"]


def test_usage_without_a_request_is_refused() -> None:
    with pytest.raises(BadInput, match="build_model_view"):
        engine().record_usage(Usage(input=1))


def test_one_engine_follows_whichever_history_it_is_given() -> None:
    first, second = long_history(), HistoryManager()
    second.append_user("hello")
    context = engine()
    view = context.build_model_view(history_manager=first)
    assert context.build_model_view(history_manager=second).messages[-1]["content"] == "hello"
    assert context.build_model_view(history_manager=first).messages == view.messages

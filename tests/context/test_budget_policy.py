"""Whether messages have reached the budget."""

from __future__ import annotations

from tests.context.talking import WINDOW, call, exchange, tokens
from unabridged.context import ContextBudgetPolicy, ContextConfig, HistoryManager

DEFAULT = ContextBudgetPolicy(ContextConfig())
SMALL = ContextBudgetPolicy(ContextConfig(context_window=WINDOW))


def one_question(size: int) -> HistoryManager:
    history = HistoryManager()
    history.append_user(tokens(size))
    return history


def answered() -> HistoryManager:
    history = HistoryManager()
    exchange(history, 1, size=100)
    return history


def test_the_threshold_is_four_fifths_of_the_window() -> None:
    decision = DEFAULT.should_compact(messages=[], pending_input="", last_usage_tokens=None)
    assert decision.threshold == DEFAULT.threshold == int(128_000 * 0.8) == 102_400


def test_messages_below_it_stay_as_they_are() -> None:
    decision = DEFAULT.should_compact(messages=answered().get_messages(), pending_input="go on", last_usage_tokens=0)
    assert (decision.should_compact, decision.reason) == (False, "below_threshold")
    assert decision.message_count == 4
    assert 100 < decision.estimated_tokens < 300


def test_reaching_it_is_enough() -> None:
    usage = SMALL.threshold
    at = SMALL.should_compact(messages=answered().get_messages(), last_usage_tokens=usage)
    below = SMALL.should_compact(messages=answered().get_messages(), last_usage_tokens=usage - 1)
    assert (at.should_compact, at.reason, at.estimated_tokens) == (True, "threshold_exceeded", usage)
    assert (below.should_compact, below.reason) == (False, "below_threshold")


def test_one_giant_message_is_enough() -> None:
    assert SMALL.should_compact(messages=one_question(9_000).get_messages()).reason == "threshold_exceeded"


def test_an_input_that_is_not_among_the_messages_yet_counts() -> None:
    history = one_question(4_000)
    assert not SMALL.should_compact(messages=history.get_messages()).should_compact
    assert SMALL.should_compact(messages=history.get_messages(), pending_input=tokens(4_000)).should_compact


def test_what_came_after_the_last_report_is_added_to_it() -> None:
    # Twelve files read at once: neither the report (60k) nor the messages alone (some 60k) reach 102,400.
    history = answered()
    history.append_user("read them all")
    history.append_assistant(tool_calls=[call(f"f{number}") for number in range(12)])
    for number in range(12):
        history.append_tool_result(f"f{number}", tokens(5_000))
    messages = history.get_messages()
    assert not DEFAULT.should_compact(messages=messages).should_compact
    decision = DEFAULT.should_compact(messages=messages, last_usage_tokens=60_000)
    assert (decision.should_compact, decision.reason) == (True, "threshold_exceeded")
    assert 120_000 < decision.estimated_tokens < 130_000


def test_a_report_is_believed_where_it_is_lower_than_the_estimate() -> None:
    history = one_question(7_000)
    history.append_assistant("done")
    assert SMALL.should_compact(messages=history.get_messages()).should_compact
    assert not SMALL.should_compact(messages=history.get_messages(), last_usage_tokens=5_000).should_compact


def test_text_is_counted_in_tokens_and_not_in_characters() -> None:
    # 4,500 characters: a third of them would be 1,500.
    chinese = HistoryManager()
    chinese.append_user("请把修改过的文件都列出来，并说明每一处修改的原因。" * 180)
    assert DEFAULT.estimate_tokens(chinese.get_messages()) > 2_500
    # 45,000 characters of one word: a third of them would be 15,000.
    english = one_question(9_000)
    assert DEFAULT.estimate_tokens(english.get_messages()) < 10_000


def test_calls_and_thoughts_count_too() -> None:
    history = HistoryManager()
    history.append_assistant(
        tool_calls=[call("c", "write", '{"text": "' + tokens(500) + '"}')], reasoning_content=tokens(700)
    )
    assert DEFAULT.estimate_tokens(history.get_messages()) > 1_200

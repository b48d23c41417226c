"""One line holds one content block: what becomes one message, in which order, and which usage counts."""

from __future__ import annotations

import json

from tests.importers.sessions import Session, call, result, shown, text
from unabridged.importers import RecordedCall
from unabridged.report import Usage
from unabridged.wire import wire


def test_lines_of_one_message_id_are_one_assistant_message() -> None:
    session = Session().user("Go").assistant("m1", text("I look.")).assistant("m1", call("c1")).results("c1")

    assert shown(session.read_one()) == ["human: Go", "assistant: I look. + call c1", "tool_feedback: c1 = done"]


def test_results_between_the_blocks_of_a_message_follow_it() -> None:
    session = Session().user("Go").assistant("m1", call("c1")).results("c1").assistant("m1", call("c2")).results("c2")

    assert shown(session.read_one()) == [
        "human: Go",
        "assistant: call c1 + call c2",
        "tool_feedback: c1 = done + c2 = done",
    ]


def test_results_of_one_message_are_one_user_message_in_file_order() -> None:
    session = Session().user("Go").assistant("m1", call("c1"), call("c2"), call("c3"))
    session.results("c3").results("c1", "c2")

    assert shown(session.read_one())[2:] == ["tool_feedback: c3 = done + c1 = done + c2 = done"]


def test_results_of_two_messages_stay_two_messages() -> None:
    session = Session().user("Go").assistant("m1", call("c1")).results("c1").assistant("m2", call("c2")).results("c2")

    assert shown(session.read_one())[1:] == [
        "assistant: call c1",
        "tool_feedback: c1 = done",
        "assistant: call c2",
        "tool_feedback: c2 = done",
    ]


def test_a_message_stands_where_its_first_line_stands() -> None:
    session = Session().user("Go").assistant("m1", text("one")).assistant("m2", text("two")).assistant("m1", text("3"))

    assert shown(session.read_one())[1:] == ["assistant: one + 3", "assistant: two"]


def test_a_text_line_stays_its_own_message_and_later_results_join_the_earlier_ones() -> None:
    session = Session().user("Go").assistant("m1", call("c1"), call("c2"))
    session.results("c1").user("Faster, please").results("c2")

    assert shown(session.read_one())[2:] == ["tool_feedback: c1 = done + c2 = done", "human: Faster, please"]


def test_results_stand_before_words_that_were_typed_with_them() -> None:
    session = Session().user("Go").assistant("m1", call("c1"), call("c2"))
    session.user([result("c1"), text("and test it")]).results("c2")

    assert shown(session.read_one())[2:] == ["human: c1 = done + c2 = done + and test it"]


def test_a_result_that_comes_after_the_next_answer_stays_there() -> None:
    session = Session().user("Go").assistant("m1", call("c1")).assistant("m2", text("Wait.")).results("c1")

    assert shown(session.read_one())[1:] == ["assistant: call c1", "assistant: Wait.", "tool_feedback: c1 = done"]


def test_a_result_without_its_call_is_kept() -> None:
    session = Session().results("gone").assistant("m1", text("Fine."))

    assert shown(session.read_one()) == ["tool_feedback: gone = done", "assistant: Fine."]


def test_a_line_that_is_there_twice_counts_once() -> None:
    session = Session().user("Go").assistant("m1", text("Yes.")).user("Go on")
    session.lines += session.lines

    assert shown(session.read_one()) == ["human: Go", "assistant: Yes.", "human: Go on"]


def test_siblings_of_one_parent_are_all_kept() -> None:
    session = Session().user("Go", uuid="a")
    session.assistant("m1", call("c1"), uuid="b", parentUuid="a").assistant("m1", call("c2"), uuid="c", parentUuid="b")
    session.results("c1", uuid="d", parentUuid="b").results("c2", uuid="e", parentUuid="c")
    session.assistant("m2", text("Both read."), uuid="f", parentUuid="e")

    assert shown(session.read_one())[1:] == [
        "assistant: call c1 + call c2",
        "tool_feedback: c1 = done + c2 = done",
        "assistant: Both read.",
    ]


def test_the_usage_of_the_last_line_counts() -> None:
    early = {"input_tokens": 3, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 7, "output_tokens": 1}
    session = Session().user("Go")
    session.assistant("m1", text("Well"), usage=early).assistant("m1", call("c1"), usage=early | {"output_tokens": 42})

    expected = Usage(input=110, cached=100, cache_write=7, output=42)
    assert session.read_one().calls == (RecordedCall(answer=1, usage=expected, model="claude-x"),)


def test_an_answer_without_usage_is_a_call_all_the_same() -> None:
    session = Session().user("Go").assistant("m1", text("Yes.")).user("And?").assistant("m2", text("No."))

    assert [(each.answer, each.usage) for each in session.read_one().calls] == [(1, None), (3, None)]


def test_blocks_go_back_out_as_the_characters_that_they_came_in() -> None:
    block = '{ "type" : "thinking", "thinking":"caf\\u00e9 \\/ é", "signature" : "c2ln" }'
    other = json.dumps(text("So."))
    session = Session().user("Go")
    for uuid, written in (("u8", block), ("u9", other)):
        message = '{"id":"m1", "content": [' + written + '], "role":"assistant"}'
        session.lines.append('{"type":"assistant","uuid":"' + uuid + '","message":' + message + "}")
    conversation = session.read_one()

    goes_out = wire("anthropic").write_message(conversation.messages[1], conversation.media)
    assert goes_out == '{"role":"assistant","content":[' + block + "," + other + "]}"


def test_a_block_of_an_unknown_kind_is_kept() -> None:
    session = (
        Session().user("Go").assistant("m1", {"type": "fallback", "to": {"model": "y"}}).assistant("m1", text("A"))
    )

    assert shown(session.read_one())[1:] == ["assistant: <fallback> + A"]


def test_content_may_be_a_plain_text_on_either_side() -> None:
    session = Session().user("Go").assistant("m1", message={"id": "m1", "content": "Yes."})

    assert shown(session.read_one()) == ["human: Go", "assistant: Yes."]


def test_a_message_has_the_time_of_its_first_line() -> None:
    session = Session().user("Go").assistant("m1", text("a")).assistant("m1", text("b"))

    assert [message.time for message in session.read_one().messages] == ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z"]

"""Codex rollouts: which items are one answer, whose words a user's item holds, what a compaction leaves."""

from __future__ import annotations

import json

from tests.importers.samples import function_call, item, output, rollout, spoken, typed, used
from tests.importers.sessions import shown
from unabridged.importers import Imported, read_bytes
from unabridged.message import Opaque, Origin, Reasoning
from unabridged.report import Usage
from unabridged.wire import wire

THOUGHT = item("reasoning", summary=[{"type": "summary_text", "text": "hm"}], encrypted_content="c2VjcmV0")


def read(*records: object) -> Imported:
    (conversation,) = read_bytes(rollout(("session_meta", {"id": "s"}), *records), "rollout.jsonl")  # type: ignore[arg-type]  # pairs
    return conversation


def test_thoughts_words_and_calls_of_one_model_call_are_one_message() -> None:
    conversation = read(spoken("user", "Go"), THOUGHT, spoken("assistant", "I look."), function_call("c1"))

    assert shown(conversation) == ["human: Go", "assistant: (hm) + I look. + call c1"]
    assert conversation.messages[1].parts[0] == Reasoning("hm", "c2VjcmV0")


def test_parallel_calls_are_one_message_and_each_result_is_one() -> None:
    conversation = read(spoken("user", "Go"), function_call("c1"), function_call("c2"), output("c2"), output("c1"))

    assert shown(conversation)[1:] == [
        "assistant: call c1 + call c2",
        "tool_feedback: c2 = 1 failed, 3 passed",
        "tool_feedback: c1 = 1 failed, 3 passed",
    ]


def test_a_call_behind_the_result_of_another_open_one_belongs_to_the_answer_before() -> None:
    conversation = read(
        spoken("user", "Go"), function_call("c1"), function_call("c2"), output("c1"), function_call("c3"), output("c2")
    )

    assert shown(conversation)[1] == "assistant: call c1 + call c2 + call c3"


def test_a_call_after_a_report_is_another_answer() -> None:
    conversation = read(spoken("user", "Go"), spoken("assistant", "one"), used(9, 9), spoken("assistant", "two"))

    assert shown(conversation)[1:] == ["assistant: one", "assistant: two"]


def test_what_a_call_reported_is_the_usage_of_its_answer_and_a_repeated_report_is_none() -> None:
    conversation = read(
        ("turn_context", {"model": "gpt-x"}),
        spoken("user", "Go"),
        function_call("c1"),
        output("c1"),
        used(100, 100, output=7),
        used(100, 0),
        spoken("assistant", "Done."),
        used(250, 150),
    )

    assert [(call.answer, call.usage) for call in conversation.calls] == [
        (1, Usage(input=100, cached=1, output=7)),
        (3, Usage(input=150, cached=1, output=5)),
    ]
    assert {call.model for call in conversation.calls} == {"gpt-x"}


def test_a_call_that_was_interrupted_has_no_usage() -> None:
    conversation = read(spoken("user", "Go"), spoken("assistant", "Hm"), spoken("user", "Stop"), used(9, 9))

    assert [call.usage for call in conversation.calls] == [None]


def test_only_what_an_event_says_was_typed_is_a_persons() -> None:
    conversation = read(
        spoken("user", "<environment_context>cwd</environment_context>"),
        spoken("user", "Go"),
        typed("Go"),
        spoken("user", "# a note of the client"),
    )

    assert [message.origin for message in conversation.messages] == [Origin.INJECTED, Origin.HUMAN, Origin.INJECTED]


def test_without_events_the_tags_of_the_client_tell() -> None:
    words = ["# AGENTS.md instructions for /", "<turn_aborted>\nx</turn_aborted>", "Go", "<b>bold</b> is missing"]
    conversation = read(*(spoken("user", each) for each in words))

    origins = [Origin.INJECTED, Origin.INJECTED, Origin.HUMAN, Origin.HUMAN]
    assert [message.origin for message in conversation.messages] == origins


def test_leading_developer_messages_and_base_instructions_are_the_frames() -> None:
    data = rollout(
        ("session_meta", {"base_instructions": {"text": "Be careful."}}),
        ("turn_context", {"model": "gpt-x"}),
        spoken("developer", "Sandbox: none"),
        spoken("user", "Go"),
        spoken("developer", "Sandbox: full"),
    )
    (conversation,) = read_bytes(data, "rollout.jsonl")

    assert dict(conversation.frame.fields) == {"model": '"gpt-x"', "instructions": '"Be careful."'}
    assert [message.text for message in conversation.frame.system] == ["Sandbox: none"]
    assert shown(conversation) == ["human: Go", "injected: Sandbox: full"]


def test_a_local_compaction_is_a_client_summary_behind_what_was_said() -> None:
    conversation = read(
        spoken("user", "Go"),
        spoken("assistant", "Done."),
        ("compacted", {"message": "The tests pass."}),
        spoken("user", "On"),
    )

    assert shown(conversation) == [
        "human: Go",
        "assistant: Done.",
        "client_summary: The tests pass.",
        "human: On",
    ]


def test_of_a_replacement_history_only_what_is_new_is_added() -> None:
    summary = "Another language model started to solve this problem and produced a summary of it: all is well"
    history = [
        spoken("user", "Go")[1],
        spoken("developer", "Sandbox: full")[1],
        spoken("user", summary)[1],
        {"type": "compaction", "encrypted_content": "c2VjcmV0"},
    ]
    conversation = read(
        spoken("user", "Go"), typed("Go"), ("compacted", {"message": "", "replacement_history": history})
    )

    assert shown(conversation) == [
        "human: Go",
        "injected: Sandbox: full",
        f"client_summary: {summary}",
        "assistant: <compaction>",
    ]
    assert conversation.messages[-1].origin is Origin.CLIENT_SUMMARY


def test_a_compaction_whose_summary_is_not_in_the_file_is_marked_and_named() -> None:
    record = {"message": "", "replacement_history": [spoken("user", "Go")[1]], "window_id": 7}
    conversation = read(spoken("user", "Go"), ("compacted", record))

    assert conversation.messages[1].parts == (Opaque("compacted", '{"window_id":7}'),)
    assert conversation.messages[1].origin is Origin.CLIENT_SUMMARY
    assert conversation.problems == ("line 3: the client compacted here, and its summary is not in the file",)


def test_an_item_that_cannot_be_read_is_named_and_costs_no_other() -> None:
    conversation = read(spoken("user", "Go"), item("message", role="ghost", content=[]), spoken("assistant", "Done."))

    assert shown(conversation) == ["human: Go", "assistant: Done."]
    assert conversation.problems[0].startswith("line 3: ")
    assert "ghost" in conversation.problems[0]


def test_server_side_tools_are_kept_inside_the_answer() -> None:
    conversation = read(spoken("user", "Go"), item("web_search_call", status="completed"), spoken("assistant", "So."))

    assert shown(conversation)[1:] == ["assistant: <web_search_call> + So."]


def test_snapshots_and_unknown_records_are_passed_over() -> None:
    conversation = read(spoken("user", "Go"), item("ghost_snapshot", ghost_commit={}), ("world_state", {"a": 1}))

    assert shown(conversation) == ["human: Go"]
    assert conversation.problems == ()


def test_items_go_out_on_their_wire_as_the_characters_that_they_came_in() -> None:
    written = (
        '{ "type":"message", "role": "user","content":[{"type":"input_text","text":"caf\\u00e9 \\/"}], "extra" : 1.0 }'
    )
    line = '{"timestamp":"t","type":"response_item","payload":' + written + "}"
    (conversation,) = read_bytes(line.encode(), "rollout.jsonl")

    assert wire("openai_responses").write_message(conversation.messages[0], {}) == written
    assert json.loads(written)["content"][0]["text"] == conversation.messages[0].text

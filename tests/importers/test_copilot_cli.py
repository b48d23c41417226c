"""Copilot CLI: what a person wrote and what the client added, sub-agents, rewinds, compactions."""

from __future__ import annotations

import base64

from tests.importers.samples import copilot_call, events
from tests.importers.sessions import Json, shown
from unabridged.importers import Imported, read_bytes
from unabridged.message import Reasoning, ToolResult
from unabridged.report import Usage

START = ("session.start", {"sessionId": "s", "selectedModel": "gpt-x"})
GO = ("user.message", {"content": "Go"})


def said(words: str, **more: object) -> tuple[str, Json]:
    return "assistant.message", {"content": words, "toolRequests": [], **more}


def done(id: str, **more: object) -> tuple[str, Json]:
    return "tool.execution_complete", {"toolCallId": id, "success": True, "result": {"content": "done"}, **more}


def read(*pairs: tuple[str, Json]) -> Imported:
    return read_all(events(START, *pairs))[0]


def read_all(data: bytes) -> list[Imported]:
    return read_bytes(data, "events.jsonl")


def test_what_the_client_puts_around_a_persons_words_is_injected() -> None:
    sent = "<current_datetime>now</current_datetime>\n\nGo\n\n<reminder>be brief</reminder>"
    conversation = read(("user.message", {"content": "Go", "transformedContent": sent}))

    assert shown(conversation) == [
        "injected: <current_datetime>now</current_datetime>",
        "human: Go",
        "injected: <reminder>be brief</reminder>",
    ]


def test_a_message_that_a_skill_sent_is_injected() -> None:
    conversation = read(GO, ("user.message", {"content": "How to test", "source": "skill-test"}))

    assert shown(conversation) == ["human: Go", "injected: How to test"]


def test_system_text_is_the_frames_and_the_last_one_counts() -> None:
    conversation = read(("system.message", {"content": "Old"}), GO, ("system.message", {"content": "New"}))

    assert [message.text for message in conversation.frame.system] == ["New"]
    assert shown(conversation) == ["human: Go"]


def test_thoughts_words_and_parallel_calls_are_one_message() -> None:
    calls = [copilot_call("c1"), copilot_call("c2")]
    conversation = read(
        GO, said("I look.", toolRequests=calls, reasoningText="hm", reasoningOpaque="c2ln"), done("c2"), done("c1")
    )

    assert shown(conversation)[1:] == [
        "assistant: (hm) + I look. + call c1 + call c2",
        "tool_feedback: c2 = done",
        "tool_feedback: c1 = done",
    ]
    assert conversation.messages[1].parts[0] == Reasoning("hm", "c2ln")


def test_a_failed_call_is_an_error_with_its_message() -> None:
    failed = ("tool.execution_complete", {"toolCallId": "c1", "success": False, "error": {"message": "no such file"}})
    conversation = read(GO, said("", toolRequests=[copilot_call("c1")]), failed)

    (result,) = conversation.messages[-1].results
    assert (result.is_error, shown(conversation)[-1]) == (True, "tool_feedback: c1 = no such file")


def test_a_command_that_a_person_ran_is_no_result_of_the_models() -> None:
    conversation = read(("tool.user_requested", {"toolCallId": "u1"}), done("u1"), GO)

    assert shown(conversation) == ["injected: done", "human: Go"]


def test_sub_agents_are_conversations_of_their_own() -> None:
    lines = events(START, GO) + events(said("Found."), agentId="a1") + events(said("Done."))
    assert {each.name: shown(each) for each in read_all(lines)} == {
        "events.jsonl": ["human: Go", "assistant: Done."],
        "events.jsonl#a1": ["assistant: Found."],
    }


def test_a_summary_of_the_clients_is_kept_behind_what_it_sums_up() -> None:
    compaction = ("session.compaction_complete", {"success": True, "summaryContent": "All is well."})
    failed = ("session.compaction_complete", {"success": False, "error": "no"})

    assert shown(read(GO, failed, compaction)) == ["human: Go", "client_summary: All is well."]


def test_what_was_rewound_is_a_conversation_of_its_own() -> None:
    rewind = ("session.snapshot_rewind", {"upToEventId": "e2", "eventsRemoved": 1})
    assert {each.name: shown(each) for each in read_all(events(START, GO, said("No."), rewind, said("Yes.")))} == {
        "events.jsonl": ["human: Go", "assistant: Yes."],
        "events.jsonl#rewound-1": ["human: Go", "assistant: No."],
    }


def test_notifications_and_skills_are_injected() -> None:
    conversation = read(
        GO, ("system.notification", {"content": "task 1 done"}), ("skill.invoked", {"content": "Do so"})
    )

    assert shown(conversation)[1:] == ["injected: task 1 done", "injected: Do so"]


def test_usage_events_are_the_usage_of_the_answer_before() -> None:
    figures = {"inputTokens": 90, "cacheReadTokens": 40, "cacheWriteTokens": 5, "outputTokens": 7}
    conversation = read(GO, said("Hi", model="gpt-y"), ("assistant.usage", figures))

    assert conversation.calls[0].usage == Usage(input=90, cached=40, cache_write=5, output=7)
    assert conversation.calls[0].model == "gpt-y"


def test_a_picture_that_was_attached_is_kept_once() -> None:
    data = base64.b64encode(bytes(600)).decode()
    blob = {"type": "blob", "data": data, "mimeType": "image/png"}
    conversation = read(("user.message", {"content": "Look", "attachments": [blob]}))

    assert shown(conversation) == ["human: Look + <image>"]
    assert list(conversation.media.values()) == [bytes(600)]
    assert conversation.messages[0].raw is not None
    assert data not in conversation.messages[0].raw.body


def test_an_event_without_data_is_named() -> None:
    line = b'{"type":"user.message","data":"oops","id":"x","parentId":null}\n'
    conversation = read_all(events(START, GO) + line)[0]

    assert conversation.problems == ("line 3: an event of the type `user.message` without data",)
    assert not any(isinstance(part, ToolResult) for message in conversation.messages for part in message.parts)

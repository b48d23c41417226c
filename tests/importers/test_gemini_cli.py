"""Gemini CLI: sessions as documents and as lines, what its rewritten histories mean, checkpoints."""

from __future__ import annotations

from typing import Any

from tests.importers.samples import GEMINI_RECORDS, document, lines
from tests.importers.sessions import Json, shown
from unabridged.importers import Imported, read_bytes
from unabridged.message import Origin
from unabridged.report import Usage

HEAD = {"sessionId": "s", "projectHash": "h", "startTime": "t", "lastUpdated": "t"}
SPOKEN = ["human: Which tests fail?", "assistant: call c1", "tool_feedback: c1 = 1 failed, 3 passed"]
GO: Json = {"id": "u1", "type": "user", "content": [{"text": "Go"}]}
DONE: Json = {"id": "g1", "type": "gemini", "content": "Done.", "model": "m"}


def read_lines(*records: Any) -> list[Imported]:
    return read_bytes(lines(HEAD, *records), "session.jsonl")


def read(*messages: Json) -> Imported:
    (conversation,) = read_bytes(document(HEAD | {"messages": list(messages)}), "session.json")
    return conversation


def test_a_session_of_lines_gives_the_same_as_a_document() -> None:
    (from_lines,) = read_lines(*GEMINI_RECORDS)
    assert shown(from_lines) == shown(read(*GEMINI_RECORDS)) == [*SPOKEN, "assistant: One test fails."]


def test_a_record_that_is_written_again_counts_as_it_is_last() -> None:
    started = GEMINI_RECORDS[1] | {"toolCalls": []}
    assert shown(read_lines(GEMINI_RECORDS[0], started, {"$set": {"lastUpdated": "t"}}, GEMINI_RECORDS[1])[0]) == SPOKEN


def test_what_was_rewound_is_a_conversation_of_its_own() -> None:
    again = {"id": "u2", "type": "user", "content": "Go slowly"}
    assert {each.name: shown(each) for each in read_lines(GO, DONE, {"$rewindTo": "g1"}, again)} == {
        "session.jsonl": ["human: Go", "human: Go slowly"],
        "session.jsonl#rewound-1": ["human: Go", "assistant: Done."],
    }


def test_a_rewritten_history_takes_nothing_away_and_adds_the_clients_summary() -> None:
    snapshot = {"id": "x1", "type": "user", "content": [{"text": "<state_snapshot>all well</state_snapshot>"}]}
    thanks = {"id": "x2", "type": "gemini", "content": [{"text": "Got it."}]}
    (conversation,) = read_lines(GO, DONE, {"$set": {"messages": [snapshot, thanks, DONE]}}, GO | {"id": "u2"})

    assert shown(conversation) == [
        "human: Go",
        "assistant: Done.",
        "client_summary: <state_snapshot>all well</state_snapshot>",
        "assistant: Got it.",
        "human: Go",
    ]
    assert conversation.messages[3].origin is Origin.INJECTED
    assert [call.answer for call in conversation.calls] == [1]


def test_a_result_that_a_rewritten_history_repeats_counts_once() -> None:
    answered = {"id": "u9", "type": "user", "content": GEMINI_RECORDS[1]["toolCalls"][0]["result"]}
    assert shown(read(*GEMINI_RECORDS[:2], answered)) == SPOKEN


def test_thoughts_and_usage_belong_to_the_answer() -> None:
    thought = {"subject": "Tests", "description": "They fail.", "timestamp": "t"}
    conversation = read(GO, GEMINI_RECORDS[1] | {"thoughts": [thought]})

    assert shown(conversation)[1] == "assistant: (Tests\nThey fail.) + call c1"
    assert conversation.calls[0].usage == Usage(input=10, cached=2, output=7, reasoning=4)


def test_a_call_that_failed_is_an_error_and_one_that_was_cancelled_stays_open() -> None:
    call = GEMINI_RECORDS[1]["toolCalls"][0]
    failed = call | {"status": "error"}
    cancelled = {"id": "c2", "name": "run", "args": {}, "status": "cancelled"}
    conversation = read(GO, GEMINI_RECORDS[1] | {"toolCalls": [failed, cancelled]})

    assert [call.id for call in conversation.messages[1].calls] == ["c1", "c2"]
    assert [(result.call_id, result.is_error) for result in conversation.messages[2].results] == [("c1", True)]


def test_what_the_client_writes_for_a_person_is_injected() -> None:
    texts = ["This is the Gemini CLI. We are setting up the context for our chat.", "System: Please continue.", "Go"]
    conversation = read(*({"id": str(at), "type": "user", "content": each} for at, each in enumerate(texts)))

    assert [message.origin for message in conversation.messages] == [Origin.INJECTED, Origin.INJECTED, Origin.HUMAN]


def test_notices_to_the_person_are_no_messages_and_unknown_ones_are_named() -> None:
    conversation = read(
        GO, {"id": "i", "type": "info", "content": "Update!"}, {"id": "n", "type": "new", "content": ""}
    )

    assert shown(conversation) == ["human: Go"]
    assert conversation.problems == ("line 3: a message of the unknown type 'new'",)


def test_a_checkpoint_is_read_as_the_contents_that_it_holds() -> None:
    contents = [
        {"role": "user", "parts": [{"text": "Go"}]},
        {"role": "model", "parts": [{"functionCall": {"name": "run", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "run", "response": {"output": "ok"}}}]},
        {"role": "model", "parts": [{"text": "Done."}]},
    ]
    for saved in (contents, {"history": contents, "authType": "key"}):
        (conversation,) = read_bytes(document(saved), "checkpoint.json")
        assert shown(conversation) == [
            "human: Go",
            "assistant: call run",
            "tool_feedback: run = ok",
            "assistant: Done.",
        ]
        assert conversation.dialect == "gemini"


def test_a_checkpoint_names_what_it_cannot_read() -> None:
    contents = [{"role": "user", "parts": [{"text": "Go"}]}, {"role": "ghost", "parts": [{"text": "boo"}]}]
    (conversation,) = read_bytes(document(contents), "checkpoint.json")

    assert shown(conversation) == ["human: Go"]
    assert len(conversation.problems) == 1


def test_what_a_tool_gave_may_be_text_and_pictures_beside_its_response() -> None:
    given = [{"functionResponse": {"id": "c1", "name": "read", "response": {"output": "ok"}}}, {"text": "more"}]
    given += [{"inlineData": {"mimeType": "image/png", "data": "cG5n"}}]
    asked = DONE | {"toolCalls": [{"id": "c1", "name": "read", "args": {}, "result": given, "status": "success"}]}
    conversation = read(GO, asked)

    assert shown(conversation)[2:] == ["tool_feedback: c1 = ok + more + <image>"]
    assert list(conversation.media.values()) == [b"png"]

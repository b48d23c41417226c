"""Recorded messages and requests, in every shape that people keep them in."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from tests.importers.sessions import Json, shown
from unabridged.errors import BadInput
from unabridged.importers import Imported, RecordedCall, read_bytes
from unabridged.report import Usage
from unabridged.wire import wire

HI: Json = {"role": "user", "content": "Hi"}
HELLO: Json = {"role": "assistant", "content": "Hello"}
SYSTEM: Json = {"role": "system", "content": "Be brief."}
CALLS: Json = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}],
}
DONE: Json = {"role": "tool", "tool_call_id": "c1", "content": "done"}
REQUEST: Json = {"model": "m", "messages": [HI, HELLO], "temperature": 0.5}


def read(*records: Any) -> list[Imported]:
    """One record is a document, several are lines."""
    return read_bytes("\n".join(map(json.dumps, records)).encode(), "log.json")


def all_shown(conversations: list[Imported]) -> list[list[str]]:
    return [shown(conversation) for conversation in conversations]


SPOKEN = ["human: Hi", "assistant: Hello"]


@pytest.mark.parametrize(
    "record",
    [
        [HI, HELLO],
        {"messages": [HI, HELLO]},
        REQUEST,
        [REQUEST],
        {"body": REQUEST},
        {"source": "a test", "body": REQUEST},
        {"request": REQUEST},
        {"request": {"url": "/v1/chat/completions", "body": REQUEST}},
        {"body": json.dumps(REQUEST)},
        [{"task_id": 1, "traj": [HI, HELLO]}],
        [[HI, HELLO]],
    ],
)
def test_one_conversation_is_found_in_every_shape(record: Any) -> None:
    (conversation,) = read(record)

    assert (conversation.name, shown(conversation), conversation.problems) == ("log.json", SPOKEN, ())


@pytest.mark.parametrize(
    "record", [REQUEST, {"body": REQUEST}, {"request": REQUEST}, [HI, HELLO], {"traj": [HI, HELLO]}]
)
def test_a_record_a_line_is_a_conversation_each(record: Any) -> None:
    conversations = read(record, record)

    assert all_shown(conversations) == [SPOKEN, SPOKEN]
    assert [conversation.name for conversation in conversations] == ["log.json#1", "log.json#2"]


def test_a_list_of_requests_is_a_conversation_each() -> None:
    assert all_shown(read([REQUEST, {"body": REQUEST}])) == [SPOKEN, SPOKEN]


def test_a_message_a_line_is_one_conversation() -> None:
    assert all_shown(read(SYSTEM, HI, CALLS, DONE, HELLO)) == [
        ["human: Hi", "assistant: call c1", "tool_feedback: c1 = done", "assistant: Hello"]
    ]


def test_leading_system_messages_and_every_field_are_in_the_frame() -> None:
    (conversation,) = read({"model": "m", "messages": [SYSTEM, HI], "temperature": 0.5})

    assert [message.text for message in conversation.frame.system] == ["Be brief."]
    assert conversation.frame.fields == (("model", '"m"'), ("temperature", "0.5"))
    assert shown(conversation) == ["human: Hi"]


def test_a_request_goes_out_again_as_the_bytes_that_came_in() -> None:
    messages = b'[{"role": "user", "content": "caf\\u00e9"},{"role":"user","content":"a"}]'
    body = b'{ "model": "m",\n  "messages": ' + messages + b', "n":1}'
    (conversation,) = read_bytes(body, "log.json")

    openai = wire("openai_chat")
    written = openai.write_messages(conversation.messages, conversation.media)
    assert openai.write_request(conversation.frame, written) == body


def test_every_assistant_message_is_a_call() -> None:
    (conversation,) = read({"model": "m", "messages": [SYSTEM, HI, CALLS, DONE, HELLO]})

    assert conversation.calls == (RecordedCall(answer=1, model="m"), RecordedCall(answer=3, model="m"))


def test_an_openai_response_beside_its_request_is_the_last_message_and_brings_the_usage() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 5}}
    response = {"model": "m-2", "choices": [{"index": 0, "message": HELLO}], "usage": usage}
    (conversation,) = read({"request": {"model": "m", "messages": [SYSTEM, HI]}, "response": response})

    assert shown(conversation) == SPOKEN
    expected = RecordedCall(answer=1, usage=Usage(input=9, cached=5, output=4), model="m-2")
    assert conversation.calls == (expected,)


def test_an_anthropic_response_beside_its_request_is_the_last_message_and_brings_the_usage() -> None:
    usage = {"input_tokens": 2, "cache_read_input_tokens": 7, "output_tokens": 4}
    content = [{"type": "text", "text": "Hello"}]
    response = {"type": "message", "role": "assistant", "model": "c-2", "content": content, "usage": usage}
    (conversation,) = read({"body": {"model": "c", "max_tokens": 9, "messages": [HI]}, "response": {"body": response}})

    assert (conversation.dialect, shown(conversation)) == ("anthropic", SPOKEN)
    assert conversation.calls == (RecordedCall(answer=1, usage=Usage(input=9, cached=7, output=4), model="c-2"),)


def test_a_clients_notes_beside_request_and_response_are_no_part_of_the_request() -> None:
    response = {"choices": [{"message": HELLO}]}
    (conversation,) = read({"messages": [HI], "tools": [], "response": response, "cost": 0.1, "latency_sec": 3})

    assert [name for name, _ in conversation.frame.fields] == ["tools"]
    assert shown(conversation) == SPOKEN


def test_a_response_that_is_an_error_adds_nothing() -> None:
    (conversation,) = read({"request": REQUEST, "response": {"error": {"message": "overloaded"}}})

    assert shown(conversation) == SPOKEN


def test_ids_are_unique_and_made_of_the_bytes_the_conversation_and_the_position() -> None:
    record = {"request": {"messages": [SYSTEM, HI]}, "response": {"choices": [{"message": HELLO}]}}
    data = "\n".join(map(json.dumps, [record, REQUEST])).encode()
    digest = hashlib.sha256(data).hexdigest()[:12]

    assert [[message.id for message in conversation.messages] for conversation in read_bytes(data, "log.jsonl")] == [
        [f"{digest}-1-000001", f"{digest}-1-000002"],
        [f"{digest}-2-000000", f"{digest}-2-000001"],
    ]


def test_a_line_that_is_no_request_is_named_and_the_others_are_read() -> None:
    conversations = read(REQUEST, {"pong": True}, {"messages": [{"role": "ghost", "content": "Boo"}]}, REQUEST)

    assert all_shown(conversations) == [SPOKEN, SPOKEN]
    first, second = conversations[0].problems
    assert first == "line 2: neither a message nor a request"
    assert second.startswith("line 3: ")
    assert "ghost" in second
    assert conversations[1].problems == ()


def test_a_message_that_cannot_be_read_does_not_spoil_those_around_it() -> None:
    ghost = {"role": "ghost", "content": "Boo"}
    for conversations in (read(HI, ghost, HELLO), read([HI, ghost, HELLO])):
        assert all_shown(conversations) == [SPOKEN]
        (problem,) = conversations[0].problems
        assert "2: " in problem
        assert "ghost" in problem


def test_a_document_with_lone_surrogates_and_raw_control_characters_is_mended_and_says_so() -> None:
    (conversation,) = read_bytes(b'[{"role":"user","content":"\\ud800 a\tb"}]', "log.json")

    assert shown(conversation) == ["human: \ufffd a\tb"]
    assert conversation.problems[0].startswith("the file: raw control characters became escapes")


@pytest.mark.parametrize("record", [{"messages": []}, {"messages": "none"}, {"messages": [{"text": "Hi"}]}])
def test_a_request_without_messages_is_refused_with_the_files_name(record: Any) -> None:
    with pytest.raises(BadInput, match=r"^log\.json: none of its messages can be read: "):
        read(record)


def test_a_bedrock_request_is_kept_as_it_is_and_said_to_be_not_understood() -> None:
    block = {"text": "Hi"}
    (conversation,) = read({"messages": [{"role": "user", "content": [block]}], "inferenceConfig": {}})

    assert conversation.dialect == "anthropic"
    assert conversation.problems == (
        "a request to Bedrock's Converse: its content is kept as it is and not understood",
    )
    assert json.loads(wire("anthropic").write_message(conversation.messages[0], {}))["content"] == [block]


ITEMS: list[Json] = [
    {"role": "user", "content": "Hi"},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "done"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hello"}]},
]
ANSWERED = ["human: Hi", "assistant: call c1", "tool_feedback: c1 = done", "assistant: Hello"]


@pytest.mark.parametrize(
    "records",
    [[ITEMS], [{"input": ITEMS}], [{"model": "m", "input": ITEMS}], [{"body": {"model": "m", "input": ITEMS}}], ITEMS],
)
def test_items_of_openai_responses_are_read_in_every_shape(records: list[Any]) -> None:
    (conversation,) = read(*records)

    assert (conversation.dialect, shown(conversation)) == ("openai_responses", ANSWERED)


def test_a_responses_request_of_one_string_and_its_answer_are_one_conversation() -> None:
    usage = {"input_tokens": 9, "output_tokens": 4, "input_tokens_details": {"cached_tokens": 5}}
    output = [{"type": "reasoning", "summary": []}, *ITEMS[1:2], {"type": "reasoning", "summary": []}, ITEMS[3]]
    response = {"model": "m-2", "output": output, "usage": usage}
    (conversation,) = read({"request": {"model": "m", "input": "Hi"}, "response": response})

    assert shown(conversation) == ["human: Hi", "assistant: () + call c1", "assistant: () + Hello"]
    expected = RecordedCall(answer=1, usage=Usage(input=9, cached=5, output=4), model="m-2")
    assert conversation.calls == (expected,)


def test_a_responses_request_that_leans_on_the_provider_is_named() -> None:
    leaning = {"model": "m", "input": "And?", "previous_response_id": "r1"}
    (conversation,) = read({"model": "m", "input": "Hi"}, leaning)

    assert shown(conversation) == ["human: Hi"]
    assert conversation.problems[0].startswith("line 2: `previous_response_id` stands for messages that only")


@pytest.mark.parametrize("record", [{"instruction": "Sum up", "input": "Text", "output": "T"}, {"input": [1, 2]}])
def test_an_input_that_is_no_request_is_none(record: Any) -> None:
    with pytest.raises(BadInput, match=r"^log\.json: JSON of an unknown shape"):
        read([record])


def test_gemini_requests_are_read_with_their_answer() -> None:
    contents = [{"role": "user", "parts": [{"text": "Hi"}]}]
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 4, "thoughtsTokenCount": 3}
    answer = {"content": {"role": "model", "parts": [{"text": "Hello"}]}}
    response = {"candidates": [answer], "usageMetadata": usage, "modelVersion": "gemini-x"}
    request = {"contents": contents, "systemInstruction": {"parts": [{"text": "Be brief."}]}}
    (conversation,) = read({"body": request, "response": response})

    assert (conversation.dialect, shown(conversation)) == ("gemini", SPOKEN)
    expected = RecordedCall(answer=1, usage=Usage(input=9, output=7, reasoning=3), model="gemini-x")
    assert conversation.calls == (expected,)
    assert [name for name, _ in conversation.frame.fields] == ["systemInstruction"]

"""LangGraph threads, Inspect logs and ShareGPT files."""

from __future__ import annotations

import base64
import io
import json
import zipfile
from typing import Any

import pytest

from tests.importers.samples import INSPECT, INSPECT_LOG, document
from tests.importers.sessions import Json, shown
from unabridged.errors import BadInput
from unabridged.importers import Imported, read_bytes
from unabridged.message import Origin, Reasoning
from unabridged.report import Usage

HI: Json = {"type": "human", "content": "Hi"}


def thread(*messages: Json, **more: Any) -> Json:
    return {"values": {"messages": list(messages)}, **more}


def read(value: Any) -> Imported:
    (conversation,) = read_bytes(document(value), "a.json")
    return conversation


def test_langchain_messages_are_read_as_written_and_as_dumped() -> None:
    dumped = {"lc": 1, "type": "constructor", "id": ["HumanMessage"], "kwargs": HI}

    assert shown(read(thread(HI, dumped, {"type": "AIMessageChunk", "content": "Hello"}))) == [
        "human: Hi",
        "human: Hi",
        "assistant: Hello",
    ]


def test_langchain_calls_thoughts_and_usage_belong_to_the_answer() -> None:
    answer = {
        "type": "ai",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {"type": "text", "text": "So."},
            {"type": "tool_use", "id": "c1", "name": "run", "input": {}},
        ],
        "tool_calls": [{"id": "c1", "name": "run", "args": {}}],
        "invalid_tool_calls": [{"id": "c2", "name": "run", "args": "{oops"}],
        "usage_metadata": {
            "input_tokens": 9,
            "output_tokens": 4,
            "input_token_details": {"cache_read": 2, "cache_creation": 1},
            "output_token_details": {"reasoning": 3},
        },
    }
    conversation = read(thread(HI, answer, {"type": "tool", "tool_call_id": "c1", "content": "no", "status": "error"}))

    assert shown(conversation)[1:] == ["assistant: (hm) + So. + call c1 + call c2", "tool_feedback: c1 = no"]
    assert conversation.messages[1].calls[1].arguments == "{oops"
    assert conversation.messages[2].results[0].is_error
    assert conversation.calls[0].usage == Usage(input=9, cached=2, cache_write=1, output=4, reasoning=3)


def test_a_summary_of_the_middleware_is_the_clients() -> None:
    summary = {"type": "human", "content": "Here is a summary of the conversation to date:\n\nAll is well."}
    marked = {"type": "human", "content": "All is well.", "additional_kwargs": {"lc_source": "summarization"}}
    hidden = {"type": "human", "content": "note", "additional_kwargs": {"hide_from_ui": True}}

    origins = [message.origin for message in read(thread(summary, marked, hidden, HI)).messages]
    assert origins == [Origin.CLIENT_SUMMARY, Origin.CLIENT_SUMMARY, Origin.INJECTED, Origin.HUMAN]


def test_of_a_threads_history_the_newest_state_counts() -> None:
    states = [thread(HI, HI, metadata={"thread_id": "t"}), thread(HI, metadata={"thread_id": "t"})]

    assert shown(read(states)) == ["human: Hi", "human: Hi"]


def test_a_langchain_message_of_an_unknown_type_is_named() -> None:
    assert read(thread(HI, {"type": "remove", "content": ""})).problems == ("message 2: of the unknown type 'remove'",)


def test_inspect_samples_are_conversations_named_by_id_and_epoch() -> None:
    log = json.loads(INSPECT)
    log["samples"] = [log["samples"][0], log["samples"][0] | {"epoch": 2}]

    assert [each.name for each in read_bytes(document(log), "log.json")] == ["log.json#1/1", "log.json#1/2"]


def sample(*messages: Json, **more: Any) -> Imported:
    log = INSPECT_LOG | {"samples": [{"id": 1, "epoch": 1, "messages": list(messages), **more}]}
    return read(log)


def test_inspect_messages_of_solvers_and_scorers_are_injected() -> None:
    conversation = sample(
        {"role": "system", "content": "Play."},
        {"role": "user", "content": "Find it", "source": "input"},
        {"role": "user", "content": "Please proceed."},
    )

    assert shown(conversation) == ["human: Find it", "injected: Please proceed."]
    assert [message.text for message in conversation.frame.system] == ["Play."]


def test_inspect_attachments_stand_where_they_belong() -> None:
    picture = "data:image/png;base64," + base64.b64encode(b"png").decode()
    content = [{"type": "image", "image": "attachment://a1"}, {"type": "text", "text": "Look"}]
    conversation = sample({"role": "user", "content": content}, attachments={"a1": picture})

    assert shown(conversation) == ["human: <image> + Look"]
    assert list(conversation.media.values()) == [b"png"]


def test_an_inspect_tool_error_is_told() -> None:
    error = {"type": "timeout", "message": "took too long"}
    conversation = sample({"role": "tool", "tool_call_id": "c1", "content": "", "error": error})

    assert shown(conversation) == ["tool_feedback: c1 = took too long"]
    assert conversation.messages[0].results[0].is_error


@pytest.mark.parametrize(("total", "whole"), [(19, 15), (14, 10)])
def test_inspect_usage_comes_from_the_event_of_the_answer(total: int, whole: int) -> None:
    usage = {"input_tokens": 10, "output_tokens": 4, "total_tokens": total, "input_tokens_cache_read": 5}
    output = {"choices": [{"message": {"id": "m1", "role": "assistant", "content": "Hi"}}], "usage": usage}
    answer = {"id": "m1", "role": "assistant", "content": [{"type": "reasoning", "reasoning": "hm", "signature": "s"}]}
    conversation = sample(answer, events=[{"event": "model", "output": output}, {"event": "score"}])

    assert conversation.calls[0].usage == Usage(input=whole, cached=5, output=4)
    assert conversation.messages[0].parts == (Reasoning("hm", "s"),)


def archive(**files: Any) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, value in files.items():
            packed.writestr(name, json.dumps(value))
    return stream.getvalue()


def test_an_inspect_archive_gives_the_same_as_its_json() -> None:
    (sample,) = INSPECT_LOG["samples"]
    packed = archive(**{"header.json": {}, "samples/1_epoch_1.json": sample, "summaries.json": []})

    assert [shown(each) for each in read_bytes(packed, "log.eval")] == [shown(read(INSPECT_LOG))]


def test_an_inspect_archive_that_is_torn_is_refused_in_one_line() -> None:
    packed = archive(**{"header.json": {}, "samples/1.json": {"messages": []}})
    at = packed.index(b"samples/1.json") + 20
    torn = packed[:at] + b"\xff\xff" + packed[at + 2 :]

    with pytest.raises(BadInput, match=r"^log\.eval: (this Inspect archive cannot be unpacked|no message can be read)"):
        read_bytes(torn, "log.eval")


def turns(*pairs: tuple[str, str], **more: Any) -> Json:
    return {"conversations": [{"from": speaker, "value": value} for speaker, value in pairs], **more}


def call(name: str = "run") -> str:
    return json.dumps({"name": name, "arguments": {"a": 1}})


def test_sharegpt_observations_answer_the_open_calls_in_order() -> None:
    conversation = read(
        [turns(("human", "Go"), ("function_call", f"[{call()}, {call()}]"), ("observation", "1"), ("tool", "2"))]
    )

    assert shown(conversation) == [
        "human: Go",
        "assistant: call call-1 + call call-2",
        "tool_feedback: call-1 = 1",
        "tool_feedback: call-2 = 2",
    ]


def test_sharegpt_calls_right_behind_a_text_are_of_the_same_answer() -> None:
    conversation = read([turns(("user", "Go"), ("gpt", "I look."), ("function_call", call()))])

    assert shown(conversation) == ["human: Go", "assistant: I look. + call call-1"]
    assert len(conversation.calls) == 1


def test_sharegpt_calls_inside_a_text_are_calls() -> None:
    said = f"I look.\n<tool_call>\n{call('a')}\n</tool_call>\n<tool_call>{call('b')}</tool_call>"
    gave = "<tool_response>\n1\n</tool_response>\n<tool_response>2</tool_response>"
    conversation = read([turns(("human", "Go"), ("gpt", said), ("tool", gave))])

    assert shown(conversation)[1:] == [
        "assistant: I look. + call call-1 + call call-2",
        "tool_feedback: call-1 = 1 + call-2 = 2",
    ]


def test_sharegpt_text_that_only_looks_like_a_call_stays_text() -> None:
    said = "<tool_call>{oops}</tool_call>"
    conversation = read([turns(("human", "Go"), ("gpt", said), ("human", "Hm"), ("function_call", "oops"))])

    assert shown(conversation)[1::2] == [f"assistant: {said}", "assistant: oops"]


def test_sharegpt_system_text_and_tools_are_the_frames() -> None:
    tools = json.dumps([{"name": "run", "description": "Runs.", "parameters": {}}])
    conversation = read([turns(("system", "Be brief."), ("human", "Go"), system="Be kind.", tools=tools)])

    assert [message.text for message in conversation.frame.system] == ["Be kind.", "Be brief."]
    (tool,) = json.loads(dict(conversation.frame.fields)["tools"])
    assert (tool["type"], tool["function"]["name"]) == ("function", "run")


def test_sharegpt_turns_from_nobody_known_are_named() -> None:
    assert read([turns(("human", "Go"), ("ghost", "Boo"))]).problems == ("turn 2: from the unknown 'ghost'",)


def test_langgraph_states_may_be_lines() -> None:
    lines = [thread(HI, metadata={"thread_id": each}) for each in ("one", "two")]
    found = read_bytes(b"\n".join(json.dumps(each).encode() for each in lines), "a.jsonl")

    assert [shown(each) for each in found] == [["human: Hi"], ["human: Hi"]]


def test_langchain_blocks_of_every_kind_are_read() -> None:
    data = base64.b64encode(b"png").decode()
    blocks: list[Json] = [
        {"type": "image", "base64": data, "mime_type": "image/png"},
        {"type": "image", "source_type": "base64", "data": data, "mime_type": "image/png"},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
    ]
    thought = {"type": "ai", "content": [{"type": "reasoning", "reasoning": "hm"}]}
    system = {"type": "system", "content": "Be careful."}
    function = {"type": "function", "name": "run", "content": "ok"}

    conversation = read(thread({"type": "human", "content": blocks}, system, thought, function))
    assert shown(conversation) == [
        "human: <image> + <image> + <image>",
        "injected: Be careful.",
        "assistant: (hm)",
        "tool_feedback: run = ok",
    ]
    assert list(conversation.media.values()) == [b"png"]


def test_inspect_messages_of_every_kind_are_read_and_unknown_ones_named() -> None:
    secret = {"type": "reasoning", "reasoning": "c2VjcmV0", "redacted": True, "summary": "in short"}
    conversation = sample(
        HI | {"role": "user"},
        {"role": "system", "content": "Later."},
        {
            "role": "assistant",
            "reasoning": "hm",
            "content": [secret, {"type": "audio", "audio": "UklGRg==", "format": "wav"}],
        },
        {"role": "ghost", "content": "boo"},
    )

    assert shown(conversation) == ["human: Hi", "injected: Later.", "assistant: (hm) + (in short) + <audio>"]
    assert conversation.messages[2].parts[1] == Reasoning("in short", "c2VjcmV0", redacted=True)
    assert conversation.problems == ("message 4: the unknown role 'ghost'",)

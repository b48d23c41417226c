"""Messages of Anthropic's: blocks of every kind survive the stream."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.models.dialects import ANTHROPIC, completed, gathered, items
from tests.models.servers import answers, server, streams
from unabridged import Conversation
from unabridged.models.model import CallDelta, CallStarted, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.report import Usage

pytestmark = pytest.mark.anyio
START: dict[str, Any] = {
    "type": "message_start",
    "message": {"role": "assistant", "model": "m-1", "content": [], "usage": {"input_tokens": 5, "output_tokens": 1}},
}
END: list[dict[str, Any]] = [
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]


def block(index: int, content: dict[str, Any], *deltas: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": each} for each in deltas),
        {"type": "content_block_stop", "index": index},
    ]


async def heard(*chunks: dict[str, Any]) -> list[Event]:
    with server(streams([START, *chunks, *END], named=True)) as (_, url):
        return await gathered(ANTHROPIC.model(url), ANTHROPIC.body)


async def test_thoughts_keep_their_signature_and_their_order() -> None:
    found = await heard(
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Hm"},
            {"type": "thinking_delta", "thinking": "m."},
            {"type": "signature_delta", "signature": "abc=="},
        ),
        *block(1, {"type": "redacted_thinking", "data": "xyz=="}),
        *block(2, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Yes."}),
    )
    assert items(found) == [
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Hmm.", "signature": "abc=="},
                {"type": "redacted_thinking", "data": "xyz=="},
                {"type": "text", "text": "Yes."},
            ],
        }
    ]
    assert [event for event in found if isinstance(event, ReasoningDelta | TextDelta)] == [
        ReasoningDelta("Hm"),
        ReasoningDelta("m."),
        TextDelta("Yes."),
    ]


async def test_the_providers_own_tools_are_told_and_kept() -> None:
    result = {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"url": "u", "encrypted_content": "e"}],
    }
    citation = {"type": "web_search_result_location", "url": "u", "encrypted_index": "i"}
    found = await heard(
        *block(
            0,
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"query"'},
            {"type": "input_json_delta", "partial_json": ':"x"}'},
        ),
        *block(1, result),
        *block(
            2,
            {"type": "text", "text": "", "citations": []},
            {"type": "text_delta", "text": "Yes."},
            {"type": "citations_delta", "citation": citation},
            {"type": "citations_delta", "citation": {**citation, "url": "v"}},
        ),
        *block(3, {"type": "mcp_tool_use", "id": "m1", "name": "look", "server_name": "x", "input": {}}),
    )
    assert [event.name for event in found if isinstance(event, ToolRan)] == ["web_search", "look"]
    assert not [event for event in found if isinstance(event, CallStarted | CallDelta)]
    assert items(found)[0]["content"][:3] == [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}},
        result,
        {"type": "text", "text": "Yes.", "citations": [citation, {**citation, "url": "v"}]},
    ]


async def test_calls_are_counted_by_themselves() -> None:
    found = await heard(
        *block(0, {"type": "text", "text": "I look."}),
        *block(
            1,
            {"type": "tool_use", "id": "t1", "name": "read", "input": {}, "caller": {"type": "direct"}},
            {"type": "input_json_delta", "partial_json": ""},
            {"type": "input_json_delta", "partial_json": '{"a": 1.50}'},
        ),
        *block(2, {"type": "tool_use", "id": "t2", "name": "list", "input": {}}),
        *block(3, {"type": "tool_use", "id": "t3", "name": "whole", "input": {"b": 2}}),
    )
    assert [event for event in found if isinstance(event, CallStarted | CallDelta)] == [
        CallStarted(0, "t1", "read"),
        CallDelta(0, '{"a": 1.50}'),
        CallStarted(1, "t2", "list"),
        CallStarted(2, "t3", "whole"),
        CallDelta(2, '{"b":2}'),
    ]
    assert [part.get("input") for part in items(found)[0]["content"]] == [None, {"a": 1.5}, {}, {"b": 2}]
    assert items(found)[0]["content"][1]["caller"] == {"type": "direct"}


async def test_arguments_that_were_cut_off_are_kept_as_text() -> None:
    cut = {"type": "input_json_delta", "partial_json": '{"path": "a'}
    found = await heard(*block(0, {"type": "tool_use", "id": "t1", "name": "read", "input": {}}, cut))
    assert items(found)[0]["content"][0]["input"] == {"input": '{"path": "a'}


async def test_a_text_without_its_beginning_is_kept() -> None:
    found = await heard(*block(0, {}, {"type": "text_delta", "text": "Y"}, {"type": "text_delta", "text": "es."})[1:])
    assert items(found) == [{"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}]


async def test_blocks_that_share_an_index_are_all_kept() -> None:
    found = await heard(
        *block(0, {"type": "text", "text": ""}, {"type": "text_delta", "text": "I look."}),
        *block(0, {"type": "tool_use", "id": "c1", "name": "ls", "input": {}}),
    )
    assert [each["type"] for each in items(found)[0]["content"]] == ["text", "tool_use"]


async def test_deltas_and_blocks_that_nobody_knows_are_kept() -> None:
    found = await heard(
        *block(
            0,
            {"type": "compaction", "content": None, "keep": 1},
            {"type": "compaction_delta", "content": "Long "},
            {"type": "compaction_delta", "content": "ago.", "seal": "s"},
        )
    )
    assert items(found)[0]["content"] == [{"type": "compaction", "content": "Long ago.", "keep": 1, "seal": "s"}]


async def test_usage_of_the_beginning_and_of_the_end_is_one() -> None:
    late = {"input_tokens": 6, "cache_read_input_tokens": 2, "cache_creation_input_tokens": None, "output_tokens": 9}
    found = await heard(*block(0, {"type": "text", "text": "Yes."}))
    assert completed(found).usage == Usage(input=5, output=9)
    found = await heard({"type": "message_delta", "delta": {"stop_reason": "pause_turn"}, "usage": late})
    assert completed(found).usage == Usage(input=8, cached=2, output=9)


async def test_a_message_that_was_not_streamed_tells_of_everything_too() -> None:
    whole = {
        "type": "message",
        "role": "assistant",
        "model": "m-1",
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "output_tokens": 2},
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "abc=="},
            {"type": "tool_use", "id": "t1", "name": "read", "input": {"a": 1}},
        ],
    }
    with server(answers(whole)) as (_, url):
        found = await gathered(ANTHROPIC.model(url), ANTHROPIC.body)
    assert found[:-1] == [ReasoningDelta("Hm."), CallStarted(0, "t1", "read"), CallDelta(0, '{"a":1}')]
    assert items(found)[0]["content"] == whole["content"]
    assert completed(found).stop == "tool_use"


async def test_the_provider_is_asked_for_a_count_of_what_it_counts() -> None:
    with server(answers({"input_tokens": 1_234})) as (seen, url):
        model = ANTHROPIC.model(url)
        body = b'{"model":"m","max_tokens":5,"system":"s","temperature":1,"messages":[{"role":"user","content":"x"}]}'
        assert await model.count(body) == 1_234
        await model.close()
    assert seen.paths == ["/v1/messages/count_tokens"]
    assert seen.bodies == [b'{"model":"m","system":"s","messages":[{"role":"user","content":"x"}]}']


async def test_a_conversation_takes_signed_thoughts_back_unchanged() -> None:
    found = await heard(
        *block(0, {"type": "thinking", "thinking": "Hm.", "signature": "abc=="}),
        *block(1, {"type": "text", "text": "Yes."}),
    )
    talk = Conversation(dialect="anthropic", model="m", max_tokens=9)
    talk.user("Go.")
    talk.add_all(completed(found).dicts())
    talk.user("On.")
    sent = json.loads(talk.fit().body())["messages"][1]
    assert sent == items(found)[0]

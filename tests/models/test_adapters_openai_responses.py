"""OpenAI's Responses: the items are the provider's, to the character."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.dialects import RESPONSES, completed, failed, gathered
from tests.models.servers import Says, answers, events, server, streams
from unabridged.models.model import CallDelta, CallStarted, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.models.overflow import ErrorKind

pytestmark = pytest.mark.anyio
HEAD: dict[str, Any] = {"id": "r", "object": "response", "model": "m-1", "error": None, "incomplete_details": None}


def ended(output: list[Any], status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"type": f"response.{status}", "response": {**HEAD, "status": status, "output": output, **more}}


def added(place: int, item: dict[str, Any], done: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    finished = [] if done is None else [{"type": "response.output_item.done", "output_index": place, "item": done}]
    return [{"type": "response.output_item.added", "output_index": place, "item": item}, *finished]


def grown(kind: str, place: int, text: str, **more: Any) -> dict[str, Any]:
    return {"type": f"response.{kind}.delta", "output_index": place, "item_id": "i", "delta": text, **more}


async def heard(*chunks: dict[str, Any]) -> list[Event]:
    with server(streams(chunks, named=True)) as (_, url):
        return await gathered(RESPONSES.model(url), RESPONSES.body)


async def test_items_are_given_to_the_character() -> None:
    item = '{ "type":"reasoning", "id":"rs", "summary":[],  "encrypted_content":"gA\\u00e9==", "odd": 1.50 }'
    message = '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes \\ud83d."}]}'
    final = f'{{"type":"response.completed","response":{{"status":"completed","output":[{item}, {message}]}}}}'
    with server(Says(pieces=(f"data: {final}\n\n".encode(),))) as (_, url):
        found = await gathered(RESPONSES.model(url), RESPONSES.body)
    assert completed(found).items == (item, message)


async def test_calls_stream_by_their_place() -> None:
    one = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "read", "arguments": ""}
    two = {"type": "custom_tool_call", "id": "f2", "call_id": "c2", "name": "patch", "input": ""}
    found = await heard(
        *added(0, one),
        *added(1, two),
        grown("custom_tool_call_input", 1, "*** Be"),
        grown("function_call_arguments", 0, '{"a"'),
        grown("function_call_arguments", 0, ":1}"),
        grown("custom_tool_call_input", 1, "gin"),
        ended([{**one, "arguments": '{"a":1}'}, {**two, "input": "*** Begin"}]),
    )
    assert found[:-1] == [
        CallStarted(0, "c1", "read"),
        CallStarted(1, "c2", "patch"),
        CallDelta(1, "*** Be"),
        CallDelta(0, '{"a"'),
        CallDelta(0, ":1}"),
        CallDelta(1, "gin"),
    ]


async def test_thoughts_come_as_a_summary_or_as_they_are() -> None:
    item = {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "Hm."}]}
    found = await heard(
        *added(0, {**item, "summary": []}),
        {"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 0, "part": {}},
        grown("reasoning_summary_text", 0, "Hm.", summary_index=0),
        {"type": "response.reasoning_summary_part.added", "output_index": 0, "summary_index": 1, "part": {}},
        grown("reasoning_summary_text", 0, "Well.", summary_index=1),
        grown("reasoning_text", 0, " Yes.", content_index=0),
        ended([item]),
    )
    assert "".join(event.text for event in found if isinstance(event, ReasoningDelta)) == "Hm.\n\nWell. Yes."


@pytest.mark.parametrize(
    ("item", "name"),
    [
        ("web_search_call", "web_search"),
        ("code_interpreter_call", "code_interpreter"),
        ("image_generation_call", "image_generation"),
        ("mcp_call", "mcp"),
        ("tool_of_tomorrow_call", "tool_of_tomorrow"),
        ("shell_call_output", "shell"),
    ],
)
async def test_the_providers_own_tools_are_told_once(item: str, name: str) -> None:
    one = {"type": item, "id": "w", "status": "in_progress"}
    found = await heard(*added(0, one, {**one, "status": "completed"}), ended([{**one, "status": "completed"}]))
    assert found[:-1] == [ToolRan(name)]


@pytest.mark.parametrize("kind", ["computer_call", "local_shell_call", "shell_call", "apply_patch_call", "reasoning"])
async def test_what_the_caller_carries_out_did_not_run(kind: str) -> None:
    found = await heard(ended([{"type": kind, "id": "w"}]))
    assert not [event for event in found if isinstance(event, ToolRan)]


async def test_items_that_were_done_stand_in_where_the_end_has_none() -> None:
    def said(text: str) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}

    two = [*added(1, said(""), said("B")), *added(0, said(""), said("A"))]
    found = await heard(*two, ended([]))
    assert [item["content"][0]["text"] for item in completed(found).dicts()] == ["A", "B"]


async def test_an_answer_that_was_cut_off_says_why_and_is_an_answer() -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Ye"}]}
    found = await heard(ended([item], "incomplete", incomplete_details={"reason": "max_output_tokens"}))
    assert completed(found).stop == "max_output_tokens"
    assert len(completed(found).items) == 1
    assert found[0] == TextDelta("Ye")


@pytest.mark.parametrize("named", [True, False], ids=["failed", "an error event"])
async def test_a_failure_in_the_stream_is_an_error(named: bool) -> None:
    says = {"code": "context_length_exceeded", "message": "Your input exceeds the context window of this model."}
    failure = (
        {"type": "response.failed", "response": {**HEAD, "status": "failed", "error": says, "output": []}}
        if named
        else {"type": "error", **says, "param": None}
    )
    with server(streams([failure], named=True)) as (seen, url):
        _, error = await failed(RESPONSES.model(url), RESPONSES.body)
    assert error.meaning.kind is ErrorKind.OVERFLOW
    assert len(seen.bodies) == 1


async def test_a_server_error_in_the_stream_is_asked_again() -> None:
    says = {"code": "server_error", "message": "The server had an error while processing your request."}
    failure = {"type": "response.failed", "response": {**HEAD, "status": "failed", "error": says, "output": []}}
    with server(streams([failure], named=True), RESPONSES.hello()) as (seen, url):
        await gathered(RESPONSES.model(url), RESPONSES.body)
    assert len(seen.bodies) == 2


async def test_a_refusal_is_something_said() -> None:
    item = {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "I won't."}]}
    found = await heard(*added(0, item), grown("refusal", 0, "I won't."), ended([item]))
    assert found[:-1] == [TextDelta("I won't.")]
    assert len(completed(found).items) == 1


async def test_events_need_no_names() -> None:
    with server(Says(pieces=(events([*RESPONSES.chunks, "[DONE]"]),))) as (_, url):
        assert "Hello" in completed(await gathered(RESPONSES.model(url), RESPONSES.body)).items[0]


async def test_the_provider_is_asked_for_a_count_of_what_it_counts() -> None:
    with server(answers({"object": "response.input_tokens", "input_tokens": 77})) as (seen, url):
        model = RESPONSES.model(url)
        assert await model.count(b'{"model":"m","store":false,"input":"x","max_output_tokens":5,"tools":[]}') == 77
        await model.close()
    assert seen.paths == ["/v1/responses/input_tokens"]
    assert seen.bodies == [b'{"model":"m","input":"x","tools":[]}']

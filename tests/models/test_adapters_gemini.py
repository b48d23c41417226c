"""Gemini's turns: parts are the provider's, and signatures stay where they are."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.models.dialects import GEMINI, completed, failed, gathered, items
from tests.models.servers import Says, answers, server, streams
from unabridged import Conversation
from unabridged.models.model import CallDelta, CallStarted, Event, ReasoningDelta, TextDelta, ToolRan
from unabridged.models.overflow import ErrorKind
from unabridged.report import Usage

pytestmark = pytest.mark.anyio
END: dict[str, Any] = {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}


def chunk(*parts: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, "index": 0, **more}]}


async def heard(*chunks: dict[str, Any]) -> list[Event]:
    with server(streams([*chunks, END])) as (_, url):
        return await gathered(GEMINI.model(url), GEMINI.body)


async def test_texts_of_one_kind_are_joined_and_signatures_stay_where_they_came() -> None:
    found = await heard(
        chunk({"text": "Hm", "thought": True}),
        chunk({"text": "m.", "thought": True}),
        chunk({"text": "Ye"}),
        chunk({"text": "s."}),
        chunk({"text": "", "thoughtSignature": "s1=="}),
        chunk({"text": "More"}, {"text": " of it"}),
    )
    assert items(found) == [
        {
            "role": "model",
            "parts": [
                {"text": "Hmm.", "thought": True},
                {"text": "Yes."},
                {"text": "", "thoughtSignature": "s1=="},
                {"text": "More of it"},
            ],
        }
    ]
    assert [type(event) for event in found[:4]] == [ReasoningDelta, ReasoningDelta, TextDelta, TextDelta]


async def test_parts_are_given_to_the_character() -> None:
    part = (
        '{ "functionCall": {"name":"read", "args":{"a": 1.50, "b":"\\u00e9"}},  "thoughtSignature":"s==", "new":[1] }'
    )
    text = f'data: {{"candidates":[{{"content":{{"parts":[{part}]}},"finishReason":"STOP"}}]}}\n\n'
    with server(Says(pieces=(text.encode(),))) as (_, url):
        found = await gathered(GEMINI.model(url), GEMINI.body)
    assert completed(found).items == (f'{{"role":"model","parts":[{part}]}}',)
    assert found[:-1] == [CallStarted(0, "read", "read"), CallDelta(0, '{"a": 1.50, "b":"\\u00e9"}')]


async def test_several_calls_have_a_place_each() -> None:
    calls: list[dict[str, Any]] = [
        {"functionCall": {"id": "c1", "name": "read", "args": {}}, "thoughtSignature": "s=="},
        {"functionCall": {"name": "now"}},
    ]
    found = await heard(chunk(*calls))
    assert found[:-1] == [CallStarted(0, "c1", "read"), CallDelta(0, "{}"), CallStarted(1, "now", "now")]
    assert items(found)[0]["parts"] == calls


async def test_the_providers_own_tools_are_told_and_kept() -> None:
    parts: list[dict[str, Any]] = [
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}},
    ]
    found = await heard(
        chunk(*parts, groundingMetadata={"webSearchQueries": ["x"]}),
        chunk({"text": "Yes."}, groundingMetadata={"webSearchQueries": ["x"]}),
    )
    assert [event.name for event in found if isinstance(event, ToolRan)] == ["code_execution", "google_search"]
    assert items(found)[0]["parts"] == [*parts, {"text": "Yes."}]


async def test_a_prompt_that_was_blocked_is_an_error_at_once() -> None:
    blocked = {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "usageMetadata": {"promptTokenCount": 5}}
    with server(streams([blocked])) as (seen, url):
        _, error = await failed(GEMINI.model(url), GEMINI.body)
    assert error.meaning.kind is ErrorKind.CONTENT_FILTER
    assert len(seen.bodies) == 1


async def test_a_reason_to_stop_without_a_word_is_an_answer_without_items() -> None:
    stopped = {"candidates": [{"finishReason": "SAFETY"}], "usageMetadata": {"promptTokenCount": 5}}
    with server(streams([stopped])) as (_, url):
        found = await gathered(GEMINI.model(url), GEMINI.body)
    assert (completed(found).items, completed(found).stop) == ((), "SAFETY")
    assert completed(found).usage == Usage(input=5)


async def test_a_list_of_chunks_is_understood() -> None:
    with server(answers([chunk({"text": "Ye"}), chunk({"text": "s."}), END])) as (_, url):
        found = await gathered(GEMINI.model(url), GEMINI.body)
    assert items(found)[0]["parts"] == [{"text": "Yes."}]


async def test_the_model_goes_into_the_address_and_nowhere_else() -> None:
    with server(GEMINI.hello()) as (seen, url):
        model = GEMINI.model(url)
        async for _ in model.stream(b'{"model":"other", "contents":[]}'):
            pass
        await gathered(model, b'{"contents":[], "generationConfig":{}}')
    asked = [path.rpartition("/models/")[2] for path in seen.paths]
    assert asked == ["other:streamGenerateContent", "m:streamGenerateContent"]
    assert seen.bodies == [b'{"contents":[]}', b'{"contents":[], "generationConfig":{}}']


async def test_a_request_in_the_sdks_form_goes_out_in_the_wires() -> None:
    signed = '{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"s==","new":1.50}]}'
    body = f'{{"model":"m","contents":[{signed}],"config":{{"max_output_tokens":9,"system_instruction":"Be kind."}}}}'
    with server(GEMINI.hello()) as (seen, url):
        await gathered(GEMINI.model(url, headers={"x-team": "a"}), body.encode())
    assert f'"contents": [{signed}]'.encode() in seen.bodies[0]
    assert seen.decoded[0]["generationConfig"] == {"maxOutputTokens": 9}
    assert seen.decoded[0]["systemInstruction"]["parts"] == [{"text": "Be kind."}]
    assert seen.headers[0]["x-team"] == "a"


async def test_two_answers_at_once_do_not_mix() -> None:
    with server(GEMINI.hello(pause_s=0.05)) as (seen, url):
        model = GEMINI.model(url)

        async def ask(number: int) -> str:
            body = json.dumps({"contents": [{"role": "user", "parts": [{"text": str(number)}]}]}).encode()
            found = [event async for event in model.stream(body)]
            return items(found)[0]["parts"][0]["text"]

        said = await asyncio.gather(*(ask(number) for number in range(8)))
        await model.close()
    assert said == ["Hello"] * 8
    assert sorted(body["contents"][0]["parts"][0]["text"] for body in seen.decoded) == [str(n) for n in range(8)]


async def test_the_provider_is_asked_for_a_count_of_the_whole_request() -> None:
    with server(answers({"totalTokens": 55})) as (seen, url):
        model = GEMINI.model(url)
        body = b'{"model":"m","contents":[{"parts":[{"text":"x"}]}],"systemInstruction":{"parts":[]}, "odd": 1.50}'
        assert await model.count(body) == 55
        await model.close()
    assert seen.paths[0].endswith("/models/m:countTokens")
    inner = body.replace(b'"model":"m",', b"")[:-1] + b',"model":"models/m"}'
    assert seen.bodies == [b'{"generateContentRequest":' + inner + b"}"]


async def test_a_conversation_takes_signed_parts_back_unchanged() -> None:
    part = {"functionCall": {"id": "c1", "name": "read", "args": {}}, "thoughtSignature": "s=="}
    found = await heard(chunk({"text": "Hm.", "thought": True}), chunk(part))
    talk = Conversation(dialect="gemini", model="m")
    talk.user("Go.")
    talk.add_all(completed(found).dicts())
    talk.result("c1", "ok")
    assert json.loads(talk.fit().body())["contents"][1]["parts"][-1] == part

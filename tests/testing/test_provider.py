"""The fake provider: the official SDKs are its clients, over real HTTP, in every dialect, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from google.genai import errors as gemini_errors

from unabridged.testing import Call, Failure, FakeProvider, Reply, Scripted, Working, serving

CALL = Call("read", '{"path": "a.py"}', "call_1")
TALKS = Reply(text="It is a river, and it is long.", thinking="What is it?")
ACTS = Reply(text="Let me see.", calls=(CALL, Call("read", '{"path": "b.py"}', "call_2")), thinking="I need both.")
QUESTION = "What is in the files?"


@contextmanager
def served(*lines: Reply | Failure | str, **settings: Any) -> Iterator[tuple[FakeProvider, str]]:
    provider = FakeProvider(Scripted(lines), **settings)
    with serving(provider) as url:
        yield provider, url


def openai_at(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)


def anthropic_at(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)


def gemini_at(url: str) -> genai.Client:
    return genai.Client(api_key="none", http_options={"base_url": url})


def test_a_chat_completion_is_one_that_the_sdk_reads() -> None:
    with served(ACTS, TALKS) as (provider, url), openai_at(url) as client:
        first = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": QUESTION}])
    message = first.choices[0].message
    assert (message.content, first.choices[0].finish_reason) == ("Let me see.", "tool_calls")
    calls = [call for call in message.tool_calls or () if call.type == "function"]
    assert [(call.id, json.loads(call.function.arguments)) for call in calls] == [
        ("call_1", {"path": "a.py"}),
        ("call_2", {"path": "b.py"}),
    ]
    assert first.usage is not None
    assert first.usage.prompt_tokens == provider.served[0].tokens


def test_a_streamed_chat_completion_says_the_same() -> None:
    asked: Any = {"model": "gpt-5", "messages": [{"role": "user", "content": QUESTION}]}
    with (
        served(ACTS) as (_, url),
        openai_at(url) as client,
        client.chat.completions.stream(**asked, stream_options={"include_usage": True}) as stream,
    ):
        final = stream.get_final_completion()
    message = final.choices[0].message
    assert message.content == "Let me see."
    assert [call.function.arguments for call in message.tool_calls or ()] == ['{"path": "a.py"}', '{"path": "b.py"}']
    assert final.usage is not None
    assert final.usage.prompt_tokens > 0


@pytest.mark.parametrize("streams", [False, True])
def test_a_response_is_one_that_the_sdk_reads(streams: bool) -> None:
    with served(ACTS) as (_, url), openai_at(url) as client:
        if streams:
            with client.responses.stream(model="gpt-5", input=QUESTION) as stream:
                made = stream.get_final_response()
        else:
            made = client.responses.create(model="gpt-5", input=QUESTION)
    assert [item.type for item in made.output] == ["reasoning", "message", "function_call", "function_call"]
    assert made.output_text == "Let me see."
    assert made.usage is not None
    assert made.usage.input_tokens > 0


@pytest.mark.parametrize("streams", [False, True])
def test_a_message_is_one_that_the_sdk_reads(streams: bool) -> None:
    with served(ACTS) as (_, url), anthropic_at(url) as client:
        if streams:
            with client.messages.stream(
                model="claude-opus-5", max_tokens=500, messages=[{"role": "user", "content": QUESTION}]
            ) as stream:
                made = stream.get_final_message()
        else:
            made = client.messages.create(
                model="claude-opus-5", max_tokens=500, messages=[{"role": "user", "content": QUESTION}]
            )
    assert [block.type for block in made.content] == ["thinking", "text", "tool_use", "tool_use"]
    assert [block.input for block in made.content if block.type == "tool_use"] == [{"path": "a.py"}, {"path": "b.py"}]
    assert made.stop_reason == "tool_use"
    assert made.usage.input_tokens > 0


@pytest.mark.parametrize("streams", [False, True])
def test_a_gemini_answer_is_one_that_the_sdk_reads(streams: bool) -> None:
    with served(ACTS) as (_, url):
        client = gemini_at(url)
        models = client.models
        if streams:
            chunks = list(models.generate_content_stream(model="gemini-3-pro", contents=QUESTION))
            parts = [part for chunk in chunks for part in (chunk.candidates or [])[0].content.parts or ()]  # type: ignore[union-attr]  # the SDK's own types say that all may be missing
        else:
            whole = models.generate_content(model="gemini-3-pro", contents=QUESTION)
            parts = list((whole.candidates or [])[0].content.parts or ())  # type: ignore[union-attr]  # as above
    assert "".join(part.text or "" for part in parts if not part.thought) == "Let me see."
    calls = [part.function_call for part in parts if part.function_call]
    assert [call.args for call in calls] == [{"path": "a.py"}, {"path": "b.py"}]


LONG = "river " * 3_000


def test_every_dialect_refuses_what_is_too_long_in_its_own_words() -> None:
    with served(window=2_000) as (provider, url):
        with openai_at(url) as client, pytest.raises(openai.BadRequestError) as chat:
            client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": LONG}])
        with openai_at(url) as client, pytest.raises(openai.BadRequestError) as responses:
            client.responses.create(model="gpt-5", input=LONG)
        with anthropic_at(url) as client, pytest.raises(anthropic.BadRequestError) as message:
            client.messages.create(model="claude-opus-5", max_tokens=9, messages=[{"role": "user", "content": LONG}])
        google = gemini_at(url)  # it closes itself when nobody holds it
        with pytest.raises(gemini_errors.ClientError) as content:
            google.models.generate_content(model="gemini-3-pro", contents=LONG)
    assert chat.value.code == responses.value.code == "context_length_exceeded"
    assert "This model's maximum context length is 2000 tokens." in str(chat.value)
    assert "exceeds the context window" in str(responses.value)
    assert "prompt is too long: 30" in str(message.value)
    assert "exceeds the maximum number of tokens allowed (2000)" in str(content.value)
    assert [refused.dialect for refused in provider.refused] == [
        "openai_chat",
        "openai_responses",
        "anthropic",
        "gemini",
    ]


def test_the_answer_counts_against_the_window_where_the_provider_says_so() -> None:
    says = "input length and `max_tokens` exceed context limit"
    asked: Any = {"model": "claude-opus-5", "max_tokens": 1_999, "messages": [{"role": "user", "content": "Hi"}]}
    with (
        served(window=2_000) as (_, url),
        anthropic_at(url) as client,
        pytest.raises(anthropic.BadRequestError, match=says),
    ):
        client.messages.create(**asked)


def test_a_result_without_its_call_is_refused() -> None:
    orphan: Any = [{"role": "tool", "tool_call_id": "c1", "content": "a.py"}]
    with served() as (_, url), openai_at(url) as client, pytest.raises(openai.BadRequestError, match="tool_calls"):
        client.chat.completions.create(model="gpt-5", messages=orphan)


def test_an_edited_thought_is_found_out() -> None:
    with served(TALKS, "On.") as (_, url), anthropic_at(url) as client:
        asked: Any = [{"role": "user", "content": QUESTION}]
        made = client.messages.create(model="claude-opus-5", max_tokens=500, messages=asked)
        content = [block.model_dump(exclude_none=True) for block in made.content]
        more = [*asked, {"role": "assistant", "content": content}, {"role": "user", "content": "Go on."}]
        client.messages.create(model="claude-opus-5", max_tokens=500, messages=more)
        content[0]["thinking"] += " Or is it?"
        with pytest.raises(anthropic.BadRequestError, match="Invalid `signature` in `thinking` block"):
            client.messages.create(model="claude-opus-5", max_tokens=500, messages=more)


def test_what_was_sent_before_comes_from_the_cache() -> None:
    with served("One.", "Two.") as (_, url), openai_at(url) as client:
        asked: Any = [{"role": "user", "content": LONG}]
        client.chat.completions.create(model="gpt-5", messages=asked)
        more = [*asked, {"role": "assistant", "content": "One."}, {"role": "user", "content": "And?"}]
        second = client.chat.completions.create(model="gpt-5", messages=more)
    assert second.usage is not None
    assert second.usage.prompt_tokens_details is not None
    assert 3_000 <= (second.usage.prompt_tokens_details.cached_tokens or 0) < second.usage.prompt_tokens


def test_a_provider_may_count_otherwise_and_hide_a_prompt() -> None:
    messages: Any = [{"role": "user", "content": LONG}]
    plain = FakeProvider(Scripted([])).tokens_of("openai_chat", {"messages": messages})
    other = FakeProvider(Scripted([]), ratio=1.5, overhead=400).tokens_of("openai_chat", {"messages": messages})
    assert other == 400 + round(1.5 * plain)


def test_a_failure_has_its_status_and_its_pause() -> None:
    busy = Failure(status=429, says="Rate limit reached", kind="rate_limit_error", retry_after_s=7)
    with served(busy) as (_, url), openai_at(url) as client, pytest.raises(openai.RateLimitError) as raised:
        client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "Hi"}])
    assert raised.value.response.headers["retry-after"] == "7"


def test_a_stream_can_break_in_the_middle() -> None:
    broken = Reply(text="It is a river, and it is very long.", breaks_after=2)
    with served(broken) as (_, url), openai_at(url) as client:
        stream = client.chat.completions.create(
            model="gpt-5", messages=[{"role": "user", "content": "Hi"}], stream=True
        )
        chunks = list(stream)
    assert len(chunks) == 2
    assert chunks[-1].choices[0].finish_reason is None


def test_what_is_no_json_or_no_path_is_refused_by_name() -> None:
    import urllib.error
    import urllib.request

    with served() as (_, url):
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(f"{url}/v1/chat/completions", data=b"{")
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"{url}/v1/else", data=b"{}")


def test_an_agents_steady_work_makes_calls_step_by_step() -> None:
    model = Working(2, 1)
    made = [model.reply(asked(number)) for number in range(6)]
    assert [len(reply.calls) for reply in made] == [2, 1, 0, 2, 1, 0]


def asked(number: int) -> Any:
    from unabridged.testing import Asked

    return Asked(number=number, dialect="openai_chat", body={}, tokens=0)

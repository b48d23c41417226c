"""What every adapter does alike, looked at from both ends of a real connection."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import pytest

from tests.models.dialects import ALL, Dialect, attempts, completed, failed, gathered, items
from tests.models.servers import Says, answers, server, streams
from unabridged import Conversation
from unabridged.errors import BadInput
from unabridged.models.connect import connect
from unabridged.models.model import (
    CallDelta,
    CallStarted,
    Completed,
    ModelError,
    Patience,
    ReasoningDelta,
    Restarted,
    TextDelta,
    ToolRan,
)
from unabridged.models.overflow import ErrorKind
from unabridged.report import Usage
from unabridged.testing import Call, Failure, FakeProvider, Reply, Scripted, serving, violations

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)]


def talk_in(dialect: Dialect) -> Conversation:
    more: dict[str, Any] = {"max_tokens": 500} if dialect.name == "anthropic" else {}
    return Conversation(dialect=dialect.name, model="m", **more)


async def test_the_request_goes_out_with_every_character_that_was_given(dialect: Dialect) -> None:
    with server(dialect.hello()) as (seen, url):
        await gathered(dialect.model(url), dialect.body)
    sent = seen.bodies[0]
    assert sent.startswith(dialect.body.rstrip(b" }"))
    added = {"openai_chat": {"stream", "stream_options"}, "gemini": set[str]()}.get(dialect.name, {"stream"})
    assert json.loads(sent).keys() - json.loads(dialect.body).keys() == added
    assert seen.headers[0]["content-type"] == "application/json"


async def test_an_answer_comes_in_pieces_and_then_as_a_whole(dialect: Dialect) -> None:
    with server(dialect.hello()) as (_, url):
        events = await gathered(dialect.model(url), dialect.body)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["Hel", "lo"]
    whole = completed(events)
    assert (whole.model, whole.stop) == (
        "m-1",
        {"openai_chat": "stop", "openai_responses": "completed", "anthropic": "end_turn", "gemini": "STOP"}[
            dialect.name
        ],
    )
    cached = 4 if dialect.name == "anthropic" else 0
    assert whole.usage == Usage(input=7, cached=cached, output=2)
    assert len(whole.items) == 1
    assert "Hello" in whole.items[0]


async def test_an_agent_works_on_what_the_adapter_gives(dialect: Dialect) -> None:
    calls = (Call("read", '{"path": "a"}'), Call("bash", '{"command": "ls"}'))
    provider = FakeProvider(Scripted([Reply(text="I look.", thinking="Hm.", calls=calls), Reply(text="Done.")]))
    with serving(provider) as url:
        model, talk = dialect.model(url), talk_in(dialect)
        talk.user("Fix it.")
        events = [event async for event in model.stream(talk.fit().body())]
        for message in talk.add_all(completed(events).dicts()):
            for call in message.calls:
                talk.result(call.id, "ok")
        events += await gathered(model, talk.fit().body())
    assert provider.refused == []
    assert violations(dialect.name, provider.served[1].body) == []
    begun = [(event.index, event.name) for event in events if isinstance(event, CallStarted)]
    assert begun == [(0, "read"), (1, "bash")]
    written = {0: "", 1: ""}
    for event in events:
        if isinstance(event, CallDelta):
            written[event.index] += event.text
    assert [json.loads(text) for text in written.values()] == [{"path": "a"}, {"command": "ls"}]
    if dialect.name != "openai_chat":  # which does not show thoughts
        assert "".join(event.text for event in events if isinstance(event, ReasoningDelta)) == "Hm."
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["I look.", "Done."]


async def test_a_call_that_the_caller_is_to_run_is_no_tool_that_ran(dialect: Dialect) -> None:
    provider = FakeProvider(Scripted([Reply(calls=(Call("read"),))]))
    talk = talk_in(dialect)
    talk.user("Go.")
    with serving(provider) as url:
        events = await gathered(dialect.model(url), talk.fit().body())
    assert not [event for event in events if isinstance(event, ToolRan)]


async def test_nothing_at_all_is_no_item(dialect: Dialect) -> None:
    talk = talk_in(dialect)
    talk.user("Go.")
    with serving(FakeProvider(Scripted([Reply()]))) as url:
        events = await gathered(dialect.model(url), talk.fit().body())
    assert completed(events).items == ()
    assert completed(events).usage is not None


async def test_a_server_that_does_not_stream_is_understood(dialect: Dialect) -> None:
    calls = (Call("read", '{"path": "a"}'),)
    whole = FakeProvider(Scripted([Reply(text="I look.", calls=calls)])).answer(
        dialect.name, json.loads(talk_body(dialect))
    )
    with server(answers(whole)) as (_, url):
        events = await gathered(dialect.model(url), dialect.body)
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("I look.")]
    assert [event.name for event in events if isinstance(event, CallStarted)] == ["read"]
    assert len([event for event in events if isinstance(event, CallDelta)]) == 1
    assert completed(events).usage is not None
    assert "I look." in "".join(completed(events).items)


def talk_body(dialect: Dialect) -> bytes:
    talk = talk_in(dialect)
    talk.user("Go.")
    return talk.fit().body()


async def test_an_overflow_is_raised_at_once_with_its_numbers(dialect: Dialect) -> None:
    talk = talk_in(dialect)
    talk.user("word " * 5_000)
    provider = FakeProvider(Scripted([]), window=2_000)
    with serving(provider) as url, pytest.raises(ModelError) as raised:
        await gathered(dialect.model(url), talk.fit().body())
    assert raised.value.meaning.kind is ErrorKind.OVERFLOW
    assert raised.value.meaning.limit == (None if dialect.name == "openai_responses" else 2_000)
    assert len(provider.refused) == 1


async def test_a_rate_limit_is_waited_out_as_long_as_the_provider_asks(dialect: Dialect) -> None:
    slow = Says(pieces=(b'{"error":{"message":"Rate limit reached"}}',), status=429, headers=(("retry-after", "1"),))
    with server(slow, dialect.hello()) as (seen, url):
        events = await gathered(dialect.model(url), dialect.body)
    assert isinstance(events[0], Restarted)
    assert (events[0].wait_s, events[0].why.kind) == (1.0, ErrorKind.RATE_LIMIT)
    assert seen.bodies[0] == seen.bodies[1]
    assert len(seen.bodies) == 2


async def test_a_longer_wait_than_there_is_patience_is_not_begun(dialect: Dialect) -> None:
    slow = Says(pieces=(b'{"error":{"message":"Rate limit reached"}}',), status=429, headers=(("retry-after", "60"),))
    started = asyncio.get_running_loop().time()
    with server(slow) as (seen, url), pytest.raises(ModelError) as raised:
        await gathered(dialect.model(url), dialect.body)
    assert raised.value.meaning.retry_after_s == 60
    assert len(seen.bodies) == 1
    assert asyncio.get_running_loop().time() - started < 3


@pytest.mark.parametrize("end", ["close", "break"])
async def test_a_stream_that_breaks_is_asked_for_again(dialect: Dialect, end: Any) -> None:
    with server(dialect.part(dialect.broken, then=end), dialect.hello()) as (_, url):
        events = await gathered(dialect.model(url), dialect.body)
    at = next(place for place, event in enumerate(events) if isinstance(event, Restarted))
    texts = [
        "".join(event.text for event in some if isinstance(event, TextDelta)) for some in (events[:at], events[at:])
    ]
    assert texts == ["Hello", "Hello"]
    assert [type(event) for event in events].count(Completed) == 1
    assert "HelloHello" not in completed(events).items[0]


async def test_it_gives_up_after_so_many_attempts(dialect: Dialect) -> None:
    with server(Says(pieces=(b"upstream is down",), status=503)) as (seen, url), pytest.raises(ModelError) as raised:
        await gathered(dialect.model(url), dialect.body)
    assert len(seen.bodies) == 3
    assert raised.value.meaning.status == 503


async def test_what_a_provider_ran_is_never_run_twice(dialect: Dialect) -> None:
    ran = streams([*dialect.chunks[: dialect.broken], dialect.tool], named=dialect.named)
    with server(ran, dialect.hello()) as (seen, url):
        events, error = await failed(dialect.model(url), dialect.body)
    assert error.ran
    assert isinstance(events[-1], ToolRan)
    assert events[-1].name
    assert len(seen.bodies) == 1


async def test_a_wrong_key_is_no_reason_to_ask_again(dialect: Dialect) -> None:
    refused = answers({"error": {"message": "Incorrect API key provided: sk-abcdef0123456789abcdef"}}, status=401)
    with server(refused) as (seen, url), pytest.raises(ModelError) as raised:
        await gathered(dialect.model(url), dialect.body)
    assert len(seen.bodies) == 1
    assert "sk-abcdef" not in str(raised.value)


async def test_an_error_in_a_body_of_status_200_is_an_error(dialect: Dialect) -> None:
    with server(answers({"error": {"message": "no such model: m"}})) as (_, url), pytest.raises(ModelError) as raised:
        await gathered(dialect.model(url), dialect.body)
    assert raised.value.meaning.quote == "no such model: m"


async def test_an_overload_inside_the_stream_is_waited_out(dialect: Dialect) -> None:
    error = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    overloaded = streams([*dialect.chunks[: dialect.broken], error], named=dialect.named)
    with server(overloaded, dialect.hello()) as (_, url):
        events = await gathered(dialect.model(url), dialect.body)
    assert [event.why.kind for event in events if isinstance(event, Restarted)] == [ErrorKind.RATE_LIMIT]


async def test_an_overflow_inside_the_stream_is_one(dialect: Dialect) -> None:
    error = {"type": "error", "error": {"message": "prompt is too long: 200027 tokens > 200000 maximum"}}
    with server(streams([error], named=True)) as (seen, url), pytest.raises(ModelError) as raised:
        await gathered(dialect.model(url), dialect.body)
    assert (raised.value.meaning.kind, raised.value.meaning.limit) == (ErrorKind.OVERFLOW, 200_000)
    assert len(seen.bodies) == 1


async def test_a_silent_stream_is_given_up_and_asked_for_again(dialect: Dialect) -> None:
    with server(dialect.part(dialect.broken, then="silence"), dialect.hello()) as (seen, url):
        patience = Patience(total_s=20, idle_s=0.4, attempts=2)
        events = await gathered(dialect.model(url, patience=patience), dialect.body)
        assert seen.left.wait(5)
    assert attempts(events) == 2


async def test_a_slow_stream_that_goes_on_is_not_given_up(dialect: Dialect) -> None:
    with server(dialect.hello(pause_s=0.25)) as (_, url):
        patience = Patience(total_s=20, idle_s=0.6, attempts=1)
        events = await gathered(dialect.model(url, patience=patience), dialect.body)
    assert attempts(events) == 1


async def test_no_answer_takes_longer_than_all_the_patience(dialect: Dialect) -> None:
    started = asyncio.get_running_loop().time()
    with server(dialect.part(dialect.broken, then="silence")) as (_, url), pytest.raises(ModelError):
        await gathered(dialect.model(url, patience=Patience(total_s=1.0, idle_s=10)), dialect.body)
    assert asyncio.get_running_loop().time() - started < 3


async def test_a_server_that_is_not_there_is_an_error_of_ours(dialect: Dialect) -> None:
    model = dialect.model("http://127.0.0.1:9", patience=Patience(total_s=60, attempts=2))
    events, error = await failed(model, dialect.body)
    assert error.meaning.kind is ErrorKind.OTHER
    assert attempts(events) == 2


async def test_closing_the_iterator_ends_the_request_at_the_server(dialect: Dialect) -> None:
    with server(dialect.part(dialect.broken, then="silence")) as (seen, url):
        model = dialect.model(url)
        stream: Any = model.stream(dialect.body)
        assert isinstance(await anext(stream), TextDelta)
        await stream.aclose()
        assert seen.left.wait(3)
        await model.close()
    assert len(seen.bodies) == 1


@pytest.mark.parametrize("chunks", [0, None], ids=["before the first event", "in the middle"])
async def test_cancelling_the_task_ends_the_request_at_the_server(dialect: Dialect, chunks: int | None) -> None:
    with server(dialect.part(dialect.broken if chunks is None else chunks, then="silence")) as (seen, url):
        model = dialect.model(url)
        task = asyncio.ensure_future(gathered(model, dialect.body))
        while not seen.bodies:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert seen.left.wait(3)


async def test_connections_are_used_again(dialect: Dialect) -> None:
    with server(dialect.hello(then="close late")) as (seen, url):
        model = dialect.model(url)
        for _ in range(3):
            async for _event in model.stream(dialect.body):
                pass
        await gathered(model, dialect.body)
    assert len(seen.bodies) == 4
    assert len(set(seen.clients)) == 1


async def test_a_request_that_is_none_is_bad_input(dialect: Dialect) -> None:
    with server(dialect.hello()) as (seen, url), pytest.raises(BadInput):
        await gathered(dialect.model(url), b"[1]")
    assert seen.bodies == []


async def test_a_count_that_a_server_does_not_have_is_none(dialect: Dialect) -> None:
    with serving(FakeProvider(Scripted([]))) as url:
        model = dialect.model(url)
        assert await model.count(talk_body(dialect)) is None
        await model.close()


async def test_headers_and_the_key_go_out(dialect: Dialect) -> None:
    with server(dialect.hello()) as (seen, url):
        await gathered(dialect.model(url, api_key="k-1", headers={"x-team": "a"}), dialect.body)
    assert seen.headers[0]["x-team"] == "a"
    keys = [text for text in seen.headers[0].values() if text.removeprefix("Bearer ") == "k-1"]
    assert len(keys) == 1
    assert not [name for name in seen.headers[0] if "unabridged" in name]


async def test_a_failure_of_a_fake_provider_reads_like_one_of_the_real(dialect: Dialect) -> None:
    class Once:
        def __init__(self) -> None:
            self.asked = 0

        def reply(self, asked: Any) -> Reply | Failure:
            self.asked += 1
            return Failure(status=529, says="Overloaded") if self.asked == 1 else Reply(text="Here.")

    with serving(FakeProvider(Once())) as url:
        events = await gathered(dialect.model(url), talk_body(dialect))
    assert attempts(events) == 2
    assert "Here." in completed(events).items[0]


async def test_the_properties_say_what_it_was_made_with(dialect: Dialect) -> None:
    provider = "openai" if dialect.name == "openai_responses" else dialect.name
    address = "http://user:secret@localhost:1/v1?key=secret"
    model = connect("m", provider=provider, base_url=address, window=9_000)
    assert (model.name, model.dialect, model.window) == ("m", dialect.name, 9_000)
    assert model.endpoint == "http://localhost:1/v1"
    await model.close()


async def test_no_sdk_is_imported_with_the_module(dialect: Dialect) -> None:
    module = type(dialect.adapter).__module__ if not isinstance(dialect.adapter, type) else dialect.adapter.__module__
    code = f"import sys, {module}; print([m for m in ('openai', 'anthropic', 'google', 'httpx2') if m in sys.modules])"
    run = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


async def test_items_are_json_that_reads_back(dialect: Dialect) -> None:
    talk = talk_in(dialect)
    talk.user("Go.")
    odd = 'Half \ud83d, "quotes", \\ and \n lines, 😀'
    with serving(FakeProvider(Scripted([Reply(text=odd)]))) as url:
        events = await gathered(dialect.model(url), talk.fit().body())
    assert odd in json.dumps(items(events), ensure_ascii=False).encode("utf-8", "surrogatepass").decode(
        "utf-8", "surrogatepass"
    ).replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\").replace("\\ud83d", "\ud83d")


async def test_event_loops_share_a_model_but_no_connection(dialect: Dialect) -> None:
    loop = asyncio.new_event_loop()

    async def ask(model: Any) -> int:
        return attempts([event async for event in model.stream(dialect.body)])

    with server(dialect.hello()) as (seen, url):
        model = dialect.model(url)
        sent = [await asyncio.to_thread(loop.run_until_complete, ask(model)), await ask(model)]
        sent += [await asyncio.to_thread(loop.run_until_complete, ask(model)), await ask(model)]
        await asyncio.to_thread(loop.run_until_complete, model.close())
        await model.close()
        sent.append(await ask(model))  # and after it was closed
        await model.close()
    loop.close()
    assert sent == [1] * 5
    assert len(set(seen.clients)) == 3

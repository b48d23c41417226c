"""A model that is asked one question, in every dialect."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from tests.models.dialects import ALL, CHAT, Dialect
from tests.models.servers import answers, server, streams
from unabridged.message import Media, MediaKind
from unabridged.models.asker import Asker
from unabridged.models.connect import connect
from unabridged.models.model import Completed, Event, ModelError
from unabridged.report import Usage
from unabridged.summarizer import ModelSummarizer
from unabridged.summarizer.asking import Question
from unabridged.testing import FakeProvider, Reply, Scripted, serving
from unabridged.testing.pictures import png

pytestmark = pytest.mark.anyio
QUESTION = Question(system="Be short.", user="Sum it up.", max_output=300)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
async def test_a_question_is_answered(dialect: Dialect) -> None:
    provider = FakeProvider(Scripted([Reply(text="All is well.", thinking="Hm.")]))
    with serving(provider) as url:
        model = dialect.model(url)
        answer = await Asker(model)(QUESTION)
        await model.close()
    assert (answer.text, answer.model, answer.tool_calls) == ("All is well.", "m", 0)
    assert answer.reasoning == ("" if dialect.name == "openai_chat" else "Hm.")
    assert answer.usage is not None
    assert answer.stop.lower() in ("stop", "completed", "end_turn")
    body = provider.served[0].body
    text = json.dumps(body)
    assert "Be short." in text
    assert "Sum it up." in text
    limit = body.get("generationConfig", body)
    names = {"max_tokens", "max_output_tokens", "maxOutputTokens"} & limit.keys()
    assert [limit[name] for name in names] == [300]
    assert not {"tools", "reasoning", "thinking", "temperature"} & body.keys()
    assert body.get("stream", True)


@pytest.mark.parametrize("dialect", ALL, ids=lambda dialect: dialect.name)
async def test_pictures_go_with_it(dialect: Dialect) -> None:
    data = png(8, 8)
    media = Media(kind=MediaKind.IMAGE, mime="image/png", digest="a" * 64, size=len(data), width=8, height=8)
    provider = FakeProvider(Scripted(["Seen."]))
    with serving(provider) as url:
        model = dialect.model(url)
        answer = await Asker(model)(Question(system="", user="What?", max_output=300, media=((media, data),)))
        await model.close()
    assert answer.text == "Seen."
    assert "iVBOR" in json.dumps(provider.served[0].body)


async def test_calls_are_counted_and_the_void_is_left_out() -> None:
    begun = {"choices": [{"index": 0, "delta": {"content": "Void. ", "tool_calls": [{"function": {"name": "a"}}]}}]}
    with server(streams([begun]), CHAT.hello()) as (_, url):
        model = CHAT.model(url)
        answer = await Asker(model)(QUESTION)
        await model.close()
    assert (answer.text, answer.tool_calls, answer.usage) == ("Hello", 0, Usage(input=7, output=2))


@pytest.mark.parametrize(
    ("field", "expected"),
    [(None, {"max_tokens"}), ("max_completion_tokens", {"max_completion_tokens"}), ("limit", {"limit"})],
)
async def test_the_field_of_the_limit_may_be_named(field: str | None, expected: set[str]) -> None:
    with server(CHAT.hello()) as (seen, url):
        model = CHAT.model(url)
        await Asker(model, max_output_field=field)(QUESTION)
        await model.close()
    assert seen.decoded[0].keys() & {"max_tokens", "max_completion_tokens", "limit"} == expected


async def test_a_failure_is_the_models() -> None:
    with server(answers({"error": {"message": "no"}}, status=404)) as (_, url):
        model = CHAT.model(url)
        with pytest.raises(ModelError):
            await Asker(model)(QUESTION)
        await model.close()


async def test_a_summarizer_takes_it() -> None:
    model: Any = connect("m", base_url="http://localhost:1/v1")
    assert ModelSummarizer(Asker(model), window=8_000).window == 8_000
    await model.close()


class AtTheMaker:
    """A model at its maker's own address, that says nothing and keeps what it was asked."""

    name, dialect, endpoint, window, counts_at_once = "m", "openai_chat", "", None, False

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    async def stream(self, body: bytes) -> AsyncGenerator[Event]:
        self.bodies.append(body)
        yield Completed(items=())

    async def count(self, body: bytes) -> int | None:
        return None

    async def close(self) -> None:
        return None


async def test_openai_itself_is_asked_in_its_newer_words() -> None:
    model = AtTheMaker()
    answer = await Asker(model)(QUESTION)
    assert json.loads(model.bodies[0])["max_completion_tokens"] == 300
    assert "max_tokens" not in json.loads(model.bodies[0])
    assert (answer.text, answer.usage) == ("", None)

"""One answer, whatever its provider refuses on the way."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator
from itertools import pairwise
from typing import Any

import msgspec
import pytest

from tests.models.direct import Body, Direct
from unabridged import CannotFit, Conversation, Policy
from unabridged.conversation import new_id
from unabridged.entry import RefusedEntry
from unabridged.errors import BadInput, BadSetting
from unabridged.message import Message, Role, Text
from unabridged.models.answering import Answered, Answering
from unabridged.models.model import Completed, Event, ModelError
from unabridged.models.overflow import ErrorKind
from unabridged.models.truncation import CutReason, SilentCut
from unabridged.report import FitReason
from unabridged.testing import Failure, FakeProvider, Reply, Scripted

pytestmark = pytest.mark.anyio
WORDS = "The quick brown fox jumps over the lazy dog. "
DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
LONG = {
    "error": {"message": "This model's maximum context length is 4000 tokens. However, your messages resulted in 9000"}
}


def talking(turns: int = 0, *, words: int = 40, dialect: str = "openai_chat", **given: Any) -> Conversation:
    limit = {"max_tokens": 500} if dialect == "anthropic" else {}
    talk = Conversation(model="fake", dialect=dialect, **{**limit, **given})
    for turn in range(turns):
        talk.user(f"{turn}: {WORDS * words}")
        talk.add(Message(id=new_id(), role=Role.ASSISTANT, parts=(Text(f"Answer {turn}. {WORDS * words}"),)))
    talk.user("And now?")
    return talk


def sizes(model: Direct) -> list[int]:
    return [model.provider.tokens_of(model.dialect, json.loads(body)) for body in model.sent]


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_an_answer_is_appended_and_learned_from(dialect: str) -> None:
    talk = talking(1, dialect=dialect, window=50_000)
    model = Direct(FakeProvider(Scripted(["Fine."]), window=50_000, overhead=300), dialect=dialect)
    answered = await Answering(talk, model).answer()
    assert [message.text for message in answered.messages] == ["Fine."]
    assert talk.transcript.records[-1].message.text == "Fine."
    usage = answered.completed.usage
    assert usage is not None
    assert talk.transcript.learned.calibration("fake", "fake").reports == 1


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_window_that_nobody_knew_is_learned_and_the_turn_goes_on(dialect: str) -> None:
    talk = talking(30, dialect=dialect)
    windows: list[int] = []
    model = Direct(FakeProvider(Scripted(["Fine."]), window=8_000), dialect=dialect)
    answered = await Answering(talk, model, on_window=windows.append).answer()
    assert [message.text for message in answered.messages] == ["Fine."]
    assert {meaning.kind for meaning in answered.refused} == {ErrorKind.OVERFLOW}
    assert answered.fitted.report is not None
    assert answered.fitted.report.reason is FitReason.PROVIDER_OVERFLOW
    if dialect != "openai_responses":  # which names no number
        assert windows == [8_000]
    assert sizes(model)[-1] <= 8_000
    assert len(set(model.sent)) == len(model.sent)


async def test_each_retry_is_strictly_smaller_and_there_are_two() -> None:
    talk = talking(60)
    before = len(talk.transcript.records)
    model = Direct(FakeProvider(Scripted([])), refuse=lambda body: {"error": {"message": "prompt is too long"}})
    with pytest.raises(ModelError) as raised:
        await Answering(talk, model).answer()
    assert raised.value.meaning.kind is ErrorKind.OVERFLOW
    assert len(model.sent) == 3
    assert all(later < earlier for earlier, later in pairwise(sizes(model)))
    assert len(talk.transcript.records) == before - 1
    assert isinstance(talk.transcript.log.entries[-1].payload, RefusedEntry)


async def test_a_refused_turn_leaves_the_next_request_no_larger() -> None:
    talk = talking(20, window=60_000)
    model = Direct(FakeProvider(Scripted(["Fine."])))
    await Answering(talk, model).answer()
    talk.user("This offends somebody.")
    filtered = {"error": {"message": "blocked by content filter", "code": "content_filter"}}
    offended = Direct(FakeProvider(Scripted([])), refuse=lambda body: filtered)
    with pytest.raises(ModelError):
        await Answering(talk, offended).answer()
    assert len(offended.sent) == 1
    talk.user("Sorry.")
    await Answering(talk, model).answer()
    assert b"offends" not in model.sent[-1]
    assert "offends" in str(talk.transcript.log.entries)


async def test_what_waiting_may_change_takes_nothing_back() -> None:
    talk = talking(1)
    model = Direct(FakeProvider(Scripted([Failure(status=500, says="internal error")])))
    with pytest.raises(ModelError):
        await Answering(talk, model).answer()
    answered = await Answering(talk, Direct(FakeProvider(Scripted(["Fine."])))).answer()
    assert answered.messages[0].text == "Fine."
    assert b"And now?" in answered.fitted.body()


def cap(most: int) -> Any:
    says = f"max_tokens is too large: 9000. This model supports at most {most} completion tokens"

    def refuse(body: Body) -> object:
        return {"error": {"message": says}} if body["max_tokens"] > most else None

    return refuse


async def test_less_output_is_asked_for_before_the_history_is_touched() -> None:
    talk = talking(10, window=100_000, max_tokens=9_000)
    model = Direct(FakeProvider(Scripted(["Fine."])), refuse=cap(4_096))
    answering = Answering(talk, model)
    answered = await answering.answer()
    first, second = (json.loads(body) for body in model.sent)
    assert first["messages"] == second["messages"]
    assert (first["max_tokens"], second["max_tokens"]) == (9_000, 4_096)
    assert [meaning.kind for meaning in answered.refused] == [ErrorKind.OUTPUT_LIMIT]
    talk.user("More.")
    await answering.answer()
    assert len(model.sent) == 3  # the model's own limit is known now


async def test_nothing_goes_out_again_once_the_provider_ran_tools() -> None:
    talk = talking(30)
    model = Direct(FakeProvider(Scripted([])), refuse=lambda body: LONG, runs_tools=True)
    with pytest.raises(ModelError):
        await Answering(talk, model).answer()
    assert len(model.sent) == 1


async def test_a_window_that_the_refused_request_does_not_reach_is_not_believed() -> None:
    said = {"error": {"message": "This model's maximum context length is 90000000 tokens. You requested more."}}
    talk = talking(40)
    model = Direct(FakeProvider(Scripted(["Fine."])), refuse=lambda body: said if len(body["messages"]) > 60 else None)
    answered = await Answering(talk, model).answer()
    assert [meaning.kind for meaning in answered.refused] == [ErrorKind.OVERFLOW]
    assert talk.window is None
    assert sizes(model)[1] < sizes(model)[0]


async def test_a_window_that_output_alone_would_fill_is_believed() -> None:
    talk = talking(1, max_tokens=200_000)
    said = {
        "error": {
            "message": "This model's maximum context length is 32768 tokens. However, you requested 64900 tokens "
            "(900 in the messages, 64000 in the completion)."
        }
    }
    model = Direct(FakeProvider(Scripted(["Fine."])), refuse=lambda body: said if body["max_tokens"] > 31_000 else None)
    await Answering(talk, model).answer()
    assert talk.window == 32_768


async def test_a_refusal_without_a_reason_is_tried_smaller_once() -> None:
    talk = talking(27, window=32_000)
    model = Direct(FakeProvider(Scripted(["Fine."])), window=30_000, refuse=lambda body: {"error": "Bad Request"})
    with pytest.raises(ModelError):
        await Answering(talk, model).answer()
    first, second = sizes(model)
    assert second < first


async def test_another_dialect_is_refused_before_any_call() -> None:
    model = Direct(FakeProvider(Scripted(["Fine."])), dialect="anthropic")
    with pytest.raises(BadInput, match="dialect='anthropic'"):
        Answering(talking(), model)
    assert not model.sent


async def test_what_can_never_fit_is_refused_before_any_call() -> None:
    talk = talking(0, window=2_000, system=WORDS * 400)
    model = Direct(FakeProvider(Scripted([]), window=2_000))
    with pytest.raises(CannotFit):
        await Answering(talk, model).answer()
    assert model.sent == []


async def test_a_smaller_model_gets_a_smaller_request_from_the_first_call_on() -> None:
    talk = talking(40, window=60_000)
    await Answering(talk, Direct(FakeProvider(Scripted(["Fine."]), window=60_000))).answer()
    smaller = Conversation(model="small", log=talk.transcript.log, window=8_000)
    smaller.user("And now?")
    model = Direct(FakeProvider(Scripted(["Fine."]), window=8_000))
    answered = await Answering(smaller, model).answer()
    assert answered.refused == ()
    assert sizes(model)[0] <= 8_000


async def test_a_server_that_cuts_and_says_nothing_is_noticed_and_its_window_learned() -> None:
    talk = talking(20)
    model = Direct(FakeProvider(Scripted(["Fine."] * 9)))
    cuts: list[SilentCut | None] = []
    answering = Answering(talk, Cutting(model))
    for _ in range(3):
        cuts.append((await answering.answer()).cut)
        talk.user(f"More. {WORDS * 60}")
    assert [cut.reason if cut else None for cut in cuts] == [
        CutReason.FILLED,
        CutReason.STANDS_STILL,
        None,
    ]
    assert talk.window == 4_096


class Cutting:
    """Reads 4,096 tokens of each request, as Ollama does, and reports so."""

    def __init__(self, model: Direct) -> None:
        self._model = model
        self.name, self.dialect, self.endpoint = model.name, model.dialect, model.endpoint
        self.window: int | None = None
        self.counts_at_once = False

    async def stream(self, body: bytes) -> AsyncGenerator[Event, None]:
        async for event in self._model.stream(body):
            if isinstance(event, Completed) and event.usage is not None:
                usage = msgspec.structs.replace(event.usage, input=min(4_096, event.usage.input))
                yield msgspec.structs.replace(event, usage=usage)
            else:
                yield event

    async def count(self, body: bytes) -> int | None:
        return None

    async def close(self) -> None:
        return None


async def test_a_summary_may_be_what_makes_it_smaller() -> None:
    talk = talking(60, policy=Policy(strategy="summarize"))
    model = Direct(FakeProvider(Scripted(["Fine.", Reply(text="Fine.")]), window=8_000))
    answered = await Answering(talk, model).answer()
    assert answered.fitted.report is not None
    assert answered.fitted.report.compacted > 0


async def test_a_window_too_small_for_any_conversation_is_said_before_any_call() -> None:
    talk = talking(0)
    model = Direct(FakeProvider(Scripted([])), window=512)
    with pytest.raises(BadSetting, match="512"):
        await Answering(talk, model).answer()
    assert model.sent == []


async def test_one_conversation_is_answered_once_at_a_time() -> None:
    talk = talking(1)
    answering = Answering(talk, Direct(FakeProvider(Scripted(["Fine."]))))
    both = await asyncio.gather(answering.answer(), answering.answer(), return_exceptions=True)
    assert [type(each) for each in both] == [Answered, BadInput]
    talk.user("And now?")
    assert (await answering.answer()).messages

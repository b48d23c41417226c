"""A provider that counts is asked where its count is free or decides, and is then never surprised, nor are we."""

from __future__ import annotations

from typing import Any

import pytest

from tests.models.direct import Direct
from unabridged import Conversation, Policy
from unabridged.entry import ReportEntry, UsageEntry
from unabridged.models.answering import Answered, Answering
from unabridged.testing import FakeProvider, Scripted
from unabridged.testing.passages import passage

pytestmark = pytest.mark.anyio
DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")
KINDS = ("words", "base64", "json", "cjk")


async def worked(model: Direct, *, turns: int, size: int = 1_500, policy: Policy | None = None) -> list[Answered]:
    """Hold a conversation in a window of 8,000 with somebody who pastes texts of every kind."""
    limit: dict[str, Any] = {"max_tokens": 500} if model.dialect == "anthropic" else {}
    talk = Conversation(model="fake", dialect=model.dialect, window=8_000, policy=policy, **limit)
    answering, answers = Answering(talk, model), list[Answered]()
    for turn in range(turns):
        talk.user(f"{turn}: {passage(KINDS[turn % len(KINDS)], size, turn)}")
        answers.append(await answering.answer())
    return answers


def fake(dialect: str, *, counts_at_once: bool, ratio: float = 1.6, overhead: int = 500) -> Direct:
    provider = FakeProvider(Scripted(["Fine."] * 200), window=8_000, ratio=ratio, overhead=overhead)
    return Direct(provider, dialect=dialect, counts_at_once=counts_at_once)


@pytest.mark.parametrize("strategy", ["trim", "summarize"])
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_where_a_count_is_free_every_count_is_the_providers_from_the_first_request_on(
    dialect: str, strategy: str
) -> None:
    model = fake(dialect, counts_at_once=True)
    answers = await worked(model, turns=30, policy=Policy(strategy=strategy))
    for answered in answers:
        usage = answered.completed.usage
        assert usage is not None
        assert answered.fitted.tokens == pytest.approx(usage.input, rel=0.015)
        assert not answered.refused
    reports = [answered.fitted.report for answered in answers if answered.fitted.report is not None]
    assert reports
    assert len(model.sent) == len(answers)


async def test_what_a_fit_is_said_to_have_come_to_is_what_the_provider_counts() -> None:
    model = fake("openai_chat", counts_at_once=True)
    answers = await worked(model, turns=30)
    told = [(each.fitted.report, each.completed.usage) for each in answers if each.fitted.report is not None]
    assert told
    for report, usage in told:
        assert usage is not None
        assert report.tokens_after == pytest.approx(usage.input, rel=0.015)


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_elsewhere_it_is_asked_only_where_its_count_decides(dialect: str) -> None:
    model = fake(dialect, counts_at_once=False, ratio=1.0, overhead=0)
    few = await worked(model, turns=3, size=500)
    assert model.asked_to_count == 0
    assert len(few) == len(model.sent)
    many = await worked(model, turns=40, size=500)
    assert 0 < model.asked_to_count < len(many) / 2


async def test_a_first_request_that_is_denser_than_it_looks_is_not_refused() -> None:
    model = fake("anthropic", counts_at_once=False, ratio=1.5, overhead=800)
    talk = Conversation(model="fake", dialect="anthropic", window=8_000, max_tokens=500)
    for number in range(14):
        talk.add({"role": "user", "content": passage("words", 390, number)})
        talk.add({"role": "assistant", "content": "I see."})
    talk.user("And now?")
    answered = await Answering(talk, model).answer()
    assert model.asked_to_count
    assert not answered.refused
    assert len(model.sent) == 1


async def test_a_provider_that_does_not_count_is_asked_once() -> None:
    class Silent(Direct):
        async def count(self, body: bytes) -> int | None:
            await super().count(body)
            return None

    provider = FakeProvider(Scripted(["Fine."] * 9), window=8_000)
    model = Silent(provider, counts_at_once=True)
    assert len(await worked(model, turns=9, size=200)) == 9
    assert model.asked_to_count == 1


async def test_one_that_has_counted_is_asked_again_after_a_failure() -> None:
    class Failing(Direct):
        async def count(self, body: bytes) -> int | None:
            tokens = await super().count(body)
            return None if self.asked_to_count % 5 == 3 else tokens

    provider = FakeProvider(Scripted(["Fine."] * 30), window=8_000, ratio=1.6, overhead=500)
    model = Failing(provider, counts_at_once=True)
    for answered in await worked(model, turns=30):
        assert answered.completed.usage is not None
        assert answered.fitted.tokens == pytest.approx(answered.completed.usage.input, rel=0.015)


async def test_one_that_counts_no_more_costs_no_turn() -> None:
    class Tired(Direct):
        async def count(self, body: bytes) -> int | None:
            tokens = await super().count(body)
            return tokens if self.asked_to_count < 4 else None

    model = Tired(FakeProvider(Scripted(["Fine."] * 30), window=8_000), counts_at_once=True)
    assert len(await worked(model, turns=10, size=200)) == 10


async def test_what_was_only_counted_is_told_from_what_was_paid() -> None:
    model = fake("openai_chat", counts_at_once=True)
    talk = Conversation(model="fake", window=8_000)
    talk.user(passage("base64", 3_000, 1))
    await Answering(talk, model).answer()
    found = [entry.payload for entry in talk.transcript.log.entries if isinstance(entry.payload, UsageEntry)]
    assert [payload.counted for payload in found] == [True, False]
    assert found[0].usage.input == pytest.approx(found[1].usage.input)
    assert found[0].checkpoint is None


async def test_counting_leaves_no_report_of_a_fit_that_did_not_happen() -> None:
    model = fake("openai_chat", counts_at_once=True)
    talk = Conversation(model="fake", window=8_000)
    answering = Answering(talk, model)
    for turn in range(20):
        talk.user(passage(KINDS[turn % 4], 1_500, turn))
        await answering.answer()
        entries = [entry.payload for entry in talk.transcript.log.entries]
        assert sum(isinstance(payload, ReportEntry) for payload in entries) <= turn


class Uneven(FakeProvider):
    """A provider in whose vocabulary data is dense and prose is not, as in those of small models."""

    def _tokens(self, dialect: str, body: Any) -> tuple[int, list[int], list[str]]:
        _, sizes, texts = super()._tokens(dialect, body)
        dense = [sum(sign.isdigit() or sign in "+/=" for sign in text) / max(1, len(text)) for text in texts]
        weighed = [round(size * (0.8 + 3 * share)) for size, share in zip(sizes, dense, strict=True)]
        return sum(weighed), weighed, texts


@pytest.mark.parametrize("window", [2_048, 3_000, 8_000])
async def test_whatever_a_count_plans_anew_what_goes_out_was_counted(window: int) -> None:
    provider = Uneven(Scripted(["Fine."] * 400), window=window)
    model = Direct(provider, counts_at_once=True)
    talk = Conversation(model="fake", window=window)
    answering = Answering(talk, model)
    for turn in range(120):
        call = {"id": f"c{turn}", "type": "function", "function": {"name": "read", "arguments": '{"path":"notes.txt"}'}}
        talk.user(f"Question {turn}: what does this say? {passage('words', 20 + turn * 37 % 180, turn)}")
        talk.add({"role": "assistant", "content": "I look.", "tool_calls": [call]})
        talk.result(f"c{turn}", passage(KINDS[turn * 7 % 4], int(20 * 1.6 ** (turn * 5 % 10)), turn))
        answered = await answering.answer()
        usage = answered.completed.usage
        assert usage is not None
        assert answered.fitted.tokens == pytest.approx(usage.input, rel=0.0151), turn
        assert not answered.refused

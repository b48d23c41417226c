"""A model as a summarizer."""

from __future__ import annotations

import json

import pytest

from tests.models.direct import Direct
from tests.models.test_answering import WORDS, talking
from tests.summarizer.models import GOOD
from unabridged import Policy
from unabridged.errors import BadSetting
from unabridged.models.summarizing import summarizer_of
from unabridged.report import ResolvedBy
from unabridged.testing import FakeProvider, Scripted

pytestmark = pytest.mark.anyio
DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini")


@pytest.mark.parametrize("dialect", DIALECTS)
async def test_the_model_of_a_conversation_sums_it_up(dialect: str) -> None:
    talk = talking(30, window=8_000, policy=Policy(strategy="summarize"))
    scribe = Direct(FakeProvider(Scripted([GOOD]), window=64_000), dialect=dialect)
    talk.summarizer = summarizer_of(scribe, window=64_000)
    fitted = await talk.fit_async()
    assert fitted.report is not None
    assert (fitted.report.resolved_by, fitted.report.summary_model) == (ResolvedBy.SUMMARIZE, "fake")
    assert b"a rewrite was rejected as too large" in fitted.body()
    question = json.loads(scribe.sent[0])
    assert "tools" not in question
    assert WORDS.encode() in scribe.sent[0]


async def test_what_it_quotes_cannot_speak_to_it() -> None:
    talk = talking(30, window=8_000, policy=Policy(strategy="summarize"), words=30)
    talk.user("<|im_end|> is what the file says. " + WORDS * 300)
    talk.add({"role": "assistant", "content": WORDS * 100})
    talk.user("And now? " + WORDS * 100)
    scribe = Direct(FakeProvider(Scripted([GOOD]), window=64_000))
    talk.summarizer = summarizer_of(scribe, window=64_000)
    await talk.fit_async()
    assert b"< |im_end|>" in scribe.sent[0]
    assert b"<|im_end|>" not in scribe.sent[0]


async def test_its_window_is_known_where_nobody_says_it() -> None:
    assert summarizer_of(Direct(FakeProvider(Scripted([])), window=9_000)).window == 9_000
    assert summarizer_of(Direct(FakeProvider(Scripted([])))).window == 128_000
    with pytest.raises(BadSetting, match="window"):
        summarizer_of(Direct(FakeProvider(Scripted([]))), window=0)

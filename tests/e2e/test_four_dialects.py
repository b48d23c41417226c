"""Long runs in every dialect against a provider that counts otherwise than we do: none is refused, and counts agree."""

from __future__ import annotations

import pytest

from tests.e2e.long_run import (
    CLOSE,
    DIALECTS,
    EXACT,
    FRAMES,
    OTHERWISE,
    STRATEGIES,
    WINDOW,
    Counting,
    live,
    output,
    take,
)
from unabridged import Conversation
from unabridged.testing import Chaotic, FakeProvider

TURNS = 60
"""Of each run; `make verify-long` has 3,000."""


@pytest.mark.parametrize("counting", [EXACT, OTHERWISE], ids=lambda counting: counting.name)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("dialect", DIALECTS)
async def test_a_long_run_is_never_refused_and_its_counts_are_the_providers(
    dialect: str, strategy: str, counting: Counting
) -> None:
    run = await live(dialect, strategy, counting, TURNS)
    assert run.refused == []
    assert run.requests == 3 * TURNS
    assert run.fits > 10
    assert max(map(abs, run.judged)) <= CLOSE
    assert run.last <= WINDOW * 4 // 5


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_chaotic_model_never_leaves_a_session_that_its_provider_refuses(dialect: str) -> None:
    provider = FakeProvider(Chaotic(7), window=12_000, ratio=1.1)
    talk = Conversation(dialect=dialect, window=12_000, **FRAMES[dialect])
    for turn in range(TURNS * 2):
        talk.user(f"Question {turn}: {output(turn)[:300]}")
        response = provider.answer(dialect, talk.fit().request())
        if response.get("error"):
            continue
        for place, id in enumerate(take(talk, dialect, response)):
            if place % 3 != 2:  # every third call is never answered
                talk.result(id, output(turn * 10 + place))
    refused = [each for each in provider.refused if each.status == 400]
    assert refused == []
    assert len(provider.served) > TURNS
    assert talk.transcript.reports

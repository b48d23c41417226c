"""The recorded example that `make demo` replays."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.shared import REPOSITORY
from unabridged.importers import Imported, read_file
from unabridged.message import Text
from unabridged.policy import Policy
from unabridged.replay.totals import totals_of
from unabridged.replay.walk import walk

EXAMPLE = REPOSITORY / "examples" / "session.jsonl"
WINDOW = 32_000


@pytest.fixture(scope="module")
def example() -> Imported:
    (conversation,) = read_file(EXAMPLE)
    return conversation


def test_it_holds_all_that_makes_a_session_hard(example: Imported) -> None:
    messages = example.messages
    results = [result for message in messages for result in message.results]
    longest = max(len(part.text) for result in results for part in result.parts if isinstance(part, Text))
    unanswered = [before for before, after in pairwise(messages) if before.calls and not after.results]

    assert example.problems == ()
    assert 6 <= sum(message.is_human for message in messages) <= 12
    assert any(len(message.calls) > 1 for message in messages)
    assert any(result.is_error for result in results)
    assert longest > 80_000
    assert len(unanswered) == 1
    assert EXAMPLE.stat().st_size < 1_500_000


def test_it_outgrows_a_small_window_several_times_and_every_request_fits(example: Imported) -> None:
    steps = list(walk(example, Policy(), window=WINDOW))
    totals = totals_of(steps)

    assert steps[-1].full > 6 * WINDOW
    assert (totals.over_budget, totals.refused, totals.died) == (0, 0, 1)
    assert totals.fits > 10

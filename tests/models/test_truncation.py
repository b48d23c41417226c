"""Servers that cut the input and answer as if nothing had happened."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.models.silent import HONEST, SILENT, Case, exchange
from unabridged.models.truncation import CutReason, silent_cut

sizes = st.integers(2_000, 1_000_000)


@pytest.mark.parametrize("case", SILENT)
def test_a_cut_is_noticed_with_its_reason(case: Case) -> None:
    found = silent_cut(case.exchanges, window=case.window)
    assert (found and found.reason, found and found.limit) == (case.reason, case.limit)


@pytest.mark.parametrize("case", HONEST)
def test_an_honest_report_is_believed(case: Case) -> None:
    assert silent_cut(case.exchanges, window=case.window) is None


@given(st.lists(st.tuples(sizes, st.floats(1.0, 1.3)), min_size=1, max_size=6))
def test_a_server_that_counts_more_than_we_do_is_never_suspected(turns: list[tuple[int, float]]) -> None:
    exchanges = [exchange(sent, int(sent * ratio)) for sent, ratio in sorted(turns)]
    reports = [each.usage.input for each in exchanges]
    if len(set(reports)) == len(reports):
        assert silent_cut(exchanges, window=2_000_000) is None


@given(st.integers(65_537, 1_000_000), st.sampled_from([1_024, 2_048, 4_096, 32_768]), st.booleans())
def test_a_server_with_a_small_window_is_noticed_at_the_first_request(sent: int, window: int, halves: bool) -> None:
    found = silent_cut([exchange(sent, window // 2 if halves else window)])
    assert found is not None
    assert found.read < found.sent


def test_more_input_than_fits_is_told_from_no_room_to_answer() -> None:
    over, full = exchange(9_000, 8_300), exchange(9_000, 8_300, output=0)
    reasons = [cut.reason if (cut := silent_cut([each], window=8_192)) else None for each in (over, full)]
    assert reasons == [CutReason.OVER_WINDOW, CutReason.NO_ROOM]


def test_the_reason_is_a_sentence_with_the_numbers() -> None:
    found = silent_cut([exchange(5_065, 2_048)])
    assert found is not None
    assert found.says == (
        "the server reports 2,048 tokens of input for a request of about 5,065, which is exactly the size of a window: "
        "it probably cut the front of the request"
    )

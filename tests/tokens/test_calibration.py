"""Learning from usage: ratio, overhead and anchor, and the margins as long as little is known."""

from __future__ import annotations

import pytest

from unabridged.tokens.calibration import Calibration
from unabridged.tokens.price import Price

KEY = ("", "frame")
OTHER = ("checkpoint-7", "frame")


def learned(*reports: tuple[int, int], key: tuple[str, ...] = KEY) -> Calibration:
    """A calibration after reports of (price, tokens)."""
    known = Calibration()
    for price, usage in reports:
        known = known.learn(key, price, usage)
    return known


def count(known: Calibration, price: int, key: tuple[str, ...] = KEY, *, dense: int = 0) -> int:
    meter = known.meter(key)
    return meter.tokens(meter.weight(Price(price, dense)))


def bare(known: Calibration, price: int, key: tuple[str, ...] = KEY) -> int:
    return known.bare(key).tokens(price)


def test_before_a_report_seven_percent_are_added() -> None:
    assert count(Calibration(), 10_000) == 10_700


def test_before_a_report_machine_data_count_half_as_much_again() -> None:
    assert count(Calibration(), 10_000, dense=4_000) == 12_840


def test_after_a_report_machine_data_count_as_what_was_learned() -> None:
    assert count(learned((10_000, 12_000)), 10_000, dense=4_000) == 12_000


def test_what_was_reported_is_known_exactly() -> None:
    assert count(learned((10_000, 11_800)), 10_000) == 11_800


def test_until_three_reports_are_in_growth_counts_seven_percent_more() -> None:
    assert count(learned((10_000, 10_000)), 20_000) == 20_700
    assert count(learned((9_000, 9_000), (10_000, 10_000)), 20_000) == 20_700


def test_after_three_reports_growth_counts_two_percent_more() -> None:
    assert count(learned((8_000, 8_000), (9_000, 9_000), (10_000, 10_000)), 20_000) == 20_200


def test_a_request_smaller_than_the_reported_one_counts_no_less_than_its_price() -> None:
    for reports in [((10_000, 10_000),), ((8_000, 8_000), (9_000, 9_000), (10_000, 10_000))]:
        assert count(learned(*reports), 5_000) >= 5_000


def test_a_first_report_teaches_what_every_request_carries_unseen() -> None:
    known = learned((10_000, 13_000))
    assert (known.ratio, known.overhead) == (1.0, 3_000)
    assert bare(known, 2_000, OTHER) == 5_000


def test_growth_teaches_the_ratio_of_the_vocabulary() -> None:
    known = learned(*((10_000 * step, 12_000 * step) for step in range(1, 12)))
    assert known.ratio == pytest.approx(1.2, abs=0.002)
    assert known.overhead == pytest.approx(0, abs=200)


def test_ratio_and_overhead_are_told_apart() -> None:
    known = learned(*((10_000 * step, 12_000 * step + 5_000) for step in range(1, 12)))
    assert known.ratio == pytest.approx(1.2, abs=0.002)
    assert known.overhead == pytest.approx(5_000, abs=250)


def test_a_vocabulary_that_needs_less_is_learned_too() -> None:
    known = learned(*((10_000 * step, 8_000 * step) for step in range(1, 12)))
    assert bare(known, 50_000, OTHER) == pytest.approx(40_000, rel=0.01)


def test_nothing_hidden_is_negative() -> None:
    known = learned((10_000, 9_000))
    assert known.overhead == 0
    assert known.ratio == 0.9


def test_a_sudden_jump_is_no_property_of_the_vocabulary() -> None:
    steady = learned(*((1_000 * step, 1_000 * step) for step in range(1, 9)))
    jumped = steady.learn(KEY, 8_100, 28_100)
    assert jumped.ratio == pytest.approx(1.0, abs=0.01)
    assert jumped.overhead == pytest.approx(20_000, rel=0.01)


def test_growth_of_a_few_tokens_teaches_no_ratio() -> None:
    assert learned((10_000, 10_000), (10_020, 10_050)).grown_price == learned((10_000, 10_000)).grown_price


def test_a_report_for_another_checkpoint_is_no_anchor() -> None:
    known = learned((100_000, 100_000))
    assert known.anchor is not None
    assert bare(known, 20_000, OTHER) == 20_000  # not 100,000 and what came after


def test_a_report_for_another_checkpoint_teaches_no_growth() -> None:
    known = learned((100_000, 100_000)).learn(OTHER, 20_000, 50_000)
    assert known.ratio == 1.0
    assert known.overhead == 30_000


def test_the_newest_report_is_the_anchor() -> None:
    known = learned((10_000, 10_500), (20_000, 21_500))
    assert bare(known, 20_000) == 21_500


@pytest.mark.parametrize("usage", [0, 3])
def test_a_report_that_cannot_be_true_teaches_nothing(usage: int) -> None:
    known = learned((10_000, 10_000)).learn(KEY, 11_000, usage)
    assert bare(known, 11_000, OTHER) == 11_000


def test_a_report_for_an_empty_request_teaches_no_ratio() -> None:
    assert learned((0, 12)).ratio == 1.0


@pytest.mark.parametrize("tokens", [500, 5_000, 50_000])
@pytest.mark.parametrize("reports", [(), ((3_000, 4_000),), ((3_000, 4_000), (4_000, 5_100), (6_000, 7_500))])
def test_the_largest_weight_for_some_tokens_takes_just_these(reports: tuple[tuple[int, int], ...], tokens: int) -> None:
    meter = learned(*reports).meter(KEY)
    weight = meter.weight_for(tokens)
    assert tokens - 1 <= meter.tokens(weight) <= tokens + 1
    assert meter.tokens(weight - 1) <= tokens


def test_a_server_that_reports_the_same_whatever_is_sent_teaches_nothing_more() -> None:
    once = learned((3_500, 4_096))
    assert learned((3_500, 4_096), (4_400, 4_096), (9_000, 4_096)) == once
    assert count(once, 9_000) > 9_000


def test_a_request_that_was_sent_again_may_be_reported_as_the_same() -> None:
    assert learned((3_500, 4_096), (3_500, 4_096)).reports == 2

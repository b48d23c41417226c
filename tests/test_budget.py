"""The budget: what a request may carry at every window, and where a fit lands."""

from __future__ import annotations

import pytest

from unabridged.budget import Budget
from unabridged.errors import BadSetting
from unabridged.policy import Policy


def budget(window: int | None = None, asked: int | None = None, **policy: float) -> Budget:
    return Budget.of(Policy(**policy), window=window, max_output=asked)  # type: ignore[arg-type]  # numbers of all kinds


@pytest.mark.parametrize(
    ("window", "unasked", "asking_64_000", "asking_more_than_half"),
    [
        # The budget is four fifths of the window, less where a longer answer is asked for, never less than half.
        (2_000, 1_600, 1_000, 1_000),
        (4_000, 3_200, 2_000, 2_000),
        (8_000, 6_400, 4_000, 4_000),
        (32_000, 25_600, 16_000, 16_000),
        (128_000, 102_400, 64_000, 64_000),
        (200_000, 160_000, 136_000, 100_000),
        (1_000_000, 800_000, 800_000, 500_000),
    ],
)
def test_the_budget_of_a_window(window: int, unasked: int, asking_64_000: int, asking_more_than_half: int) -> None:
    assert budget(window).total == unasked
    assert budget(window, 64_000).total == asking_64_000
    assert budget(window, window // 2 + 1).total == asking_more_than_half


def test_an_unknown_window_counts_as_128_000() -> None:
    assert budget(None).window == 128_000
    assert budget(None).total == 102_400


def test_an_asked_output_below_a_fifth_of_the_window_changes_nothing() -> None:
    assert budget(128_000, 4_096).total == 102_400


def test_an_odd_window_rounds_in_favour_of_the_answer() -> None:
    found = budget(16_385)
    assert (found.reserve, found.total) == (3_277, 13_108)


def test_the_policy_may_reserve_an_answer_that_the_request_does_not_ask_for() -> None:
    assert budget(128_000, None, reserve_output_tokens=40_000).total == 88_000


def test_what_the_request_asks_for_counts_before_the_policy() -> None:
    assert budget(128_000, 50_000, reserve_output_tokens=40_000).total == 78_000


def test_the_policy_may_lower_the_window() -> None:
    found = budget(200_000, None, max_context_tokens=50_000)
    assert (found.window, found.total) == (50_000, 40_000)


def test_another_threshold_gives_another_share() -> None:
    assert budget(100_000, None, threshold=0.5).total == 50_000


def test_a_cap_above_the_window_is_refused_by_name() -> None:
    with pytest.raises(
        BadSetting, match=r"setting `maxContextTokens` is 50000: it may only lower the window of 32,000"
    ):
        budget(32_000, None, max_context_tokens=50_000)


def test_a_window_that_holds_no_conversation_is_refused_by_name() -> None:
    with pytest.raises(BadSetting, match=r"setting `window` is 999: give the model's window in tokens, at least 1,000"):
        budget(999)


def test_a_cap_that_holds_no_conversation_is_refused_by_name() -> None:
    with pytest.raises(BadSetting, match="setting `maxContextTokens` is 1:"):
        budget(32_000, None, max_context_tokens=1)


@pytest.mark.parametrize("threshold", [0.1, 0.5, 0.8, 0.95])
@pytest.mark.parametrize("asked", [None, 1, 64_000, 10_000_000])
@pytest.mark.parametrize("window", [1_000, 1_001, 2_000, 16_384, 1_000_000])
def test_no_setting_gives_a_budget_without_room(window: int, asked: int | None, threshold: float) -> None:
    found = budget(window, asked, threshold=threshold)
    assert 0 < found.total < window
    assert found.total + found.reserve == window


def test_a_fit_lands_at_seven_tenths_between_floor_and_budget() -> None:
    found = budget(128_000)
    assert found.target(0) == 71_680
    assert found.target(2_400) == 72_400
    assert found.target(102_400) == 102_400


def test_a_floor_above_the_budget_is_its_own_target() -> None:
    assert budget(8_000).target(7_000) == 7_000


@pytest.mark.parametrize(("window", "limit"), [(2_000, 1_938), (8_000, 7_750), (8_192, 7_936), (128_000, 126_976)])
def test_the_most_that_a_request_may_take_leaves_room_for_a_small_answer(window: int, limit: int) -> None:
    assert budget(window).limit == limit


@pytest.mark.parametrize(
    ("tokens", "asked", "sent"),
    [
        (5_000, None, None),  # nothing was asked for, and there is room
        (5_000, 1_000, None),  # what was asked for fits
        (3_900, 6_000, 4_000),  # more than half the window was asked for
        (5_000, 6_000, 3_000),  # and the request is over what that leaves
        (6_900, None, 1_100),  # the floor is over the budget: the answer gets what is left
        (6_900, 1_600, 1_100),
        (6_900, 500, None),
    ],
)
def test_the_output_limit_is_lowered_where_the_window_would_not_hold_it(
    tokens: int, asked: int | None, sent: int | None
) -> None:
    assert budget(8_000, asked).output_for(tokens, asked) == sent

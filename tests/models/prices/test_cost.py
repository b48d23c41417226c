"""What calls cost: arithmetic by hand, in dollars a million tokens."""

from __future__ import annotations

import pytest

from unabridged.models.prices.caching import CacheRule, rule_of
from unabridged.models.prices.cost import BY_TOKENS, Cost, Load, Rate, Rates, cost_of
from unabridged.replay.sizes import dollars

OPENAI = Rates(input=Rate(2.0), output=Rate(10.0), cached=Rate(0.2), rule=CacheRule(1_024, 128))
ANTHROPIC = Rates(input=Rate(4.0), output=Rate(20.0), cached=Rate(0.4), written=Rate(5.0), rule=CacheRule(1_024))


def cost(load: Load, rates: Rates) -> tuple[float, float]:
    found = cost_of(load, rates)
    return round(found.cached * 1e6, 6), round(found.uncached * 1e6, 6)


def test_without_a_cache_every_token_sent_costs_the_same() -> None:
    assert cost(Load(sent=10_000, same=8_000, output=500), OPENAI)[1] == 10_000 * 2 + 500 * 10


def test_what_is_the_same_as_before_costs_the_cached_rate_in_whole_steps() -> None:
    same = 8_000 - 8_000 % 128

    assert cost(Load(sent=10_000, same=8_000), OPENAI)[0] == pytest.approx(same * 0.2 + (10_000 - same) * 2)


def test_a_beginning_that_is_too_short_is_not_cached() -> None:
    cached, uncached = cost(Load(sent=10_000, same=1_023), OPENAI)

    assert cached == uncached


def test_where_writing_to_the_cache_costs_more_all_that_was_not_read_is_written() -> None:
    assert cost(Load(sent=10_000, same=8_000), ANTHROPIC)[0] == 8_000 * 0.4 + 2_000 * 5
    assert cost(Load(sent=10_000), ANTHROPIC)[0] == 10_000 * 5


def test_a_request_that_is_too_short_to_be_cached_is_not_written() -> None:
    assert cost(Load(sent=1_000), ANTHROPIC) == (4_000, 4_000)


def test_a_long_request_costs_the_higher_tier_for_all_of_its_tokens() -> None:
    tiers = Rate(2.0, ((200_000, 4.0), (500_000, 8.0)))
    rates = Rates(input=tiers, output=Rate(0.0))

    assert [cost(Load(sent=size), rates)[1] / size for size in (200_000, 200_001, 600_000)] == [2, 4, 8]


def test_where_no_discount_is_given_caching_changes_nothing() -> None:
    cached, uncached = cost(Load(sent=10_000, same=8_000), Rates(input=Rate(2.0), output=Rate(0.0)))

    assert cached == uncached == 20_000


def test_without_prices_tokens_are_weighed() -> None:
    assert cost_of(Load(sent=10_000, same=8_000, output=700), BY_TOKENS) == Cost(2_800, 10_000)


@pytest.mark.parametrize(
    ("provider", "model", "least", "grain"),
    [
        ("anthropic", "claude-opus-4-6", 4_096, 1),
        ("anthropic", "claude-opus-5", 512, 1),
        ("anthropic", "claude-opus-5-5", 1_024, 1),
        ("anthropic", "claude-sonnet-4-5", 1_024, 1),
        ("openai", "gpt-5.1", 1_024, 128),
        ("openai", "gpt-5.6-sol", 1_024, 1),
        ("openai", "gpt-6.1-terra", 1_024, 1),
        ("google", "gemini-2.5-pro", 2_048, 1),
        ("google", "gemini-4-argon", 4_096, 1),
        ("deepseek", "deepseek-chat", 1_024, 1),
    ],
)
def test_each_family_of_models_has_its_rule(provider: str, model: str, least: int, grain: int) -> None:
    assert rule_of(provider, model) == CacheRule(least, grain)


@pytest.mark.parametrize(
    ("amount", "written"),
    [(0, "$0"), (0.00421, "$0.00421"), (0.5, "$0.500"), (1.234, "$1.23"), (99.9, "$99.90"), (1_234.5, "$1,234")],
)
def test_dollars_keep_the_digits_that_say_something(amount: float, written: str) -> None:
    assert dollars(amount) == written

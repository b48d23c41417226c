"""Strategies are found by name."""

from __future__ import annotations

import pytest

from tests.scene import Scene
from unabridged.errors import BadSetting
from unabridged.policy import Policy
from unabridged.strategy import BUILT_IN, strategy_named


@pytest.mark.parametrize(("name", "found"), [("trim", "trim"), ("none", "none"), ("off", "none")])
def test_a_strategy_is_found_by_its_name_or_alias(name: str, found: str) -> None:
    assert found == strategy_named(name).NAME


def test_every_strategy_is_listed_under_its_own_name() -> None:
    assert {name: strategy.NAME for name, strategy in BUILT_IN.items()} == {
        name: name for name in ("none", "summarize", "trim")
    }


def test_an_unknown_strategy_is_refused_with_the_known_ones() -> None:
    with pytest.raises(BadSetting, match="setting `strategy` is 'forget': known are none, off, summarize, trim"):
        strategy_named("forget")


def test_an_unknown_strategy_is_refused_before_there_is_anything_to_fit() -> None:
    with pytest.raises(BadSetting, match="setting `strategy` is 'forget'"):
        Scene("U:task", policy=Policy(strategy="forget")).fit()

"""The policy refuses what cannot work, by name, before anything is read or sent."""

from __future__ import annotations

import msgspec
import pytest

from unabridged.errors import BadSetting
from unabridged.policy import Policy


def read(text: str) -> Policy:
    return msgspec.json.decode(text, type=Policy)


def test_the_defaults_are_those_that_the_documents_name() -> None:
    policy = Policy()
    assert (policy.strategy, policy.trim_order) == ("trim", "tool_output_first")
    assert (policy.threshold, policy.target, policy.min_retain_rounds) == (0.8, 0.7, 10)
    assert (policy.recent_share, policy.output_cap_share) == (0.35, 0.25)


def test_settings_are_written_in_camel_case() -> None:
    policy = read('{"strategy": "none", "maxContextTokens": 60000, "minRetainRounds": 3}')
    assert policy == Policy(strategy="none", max_context_tokens=60_000, min_retain_rounds=3)


def test_an_unknown_setting_is_refused_by_name() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `maxTokens`"):
        read('{"maxTokens": 60000}')


@pytest.mark.parametrize(
    ("setting", "refusal"),
    [
        ('"threshold": 80', r"setting `threshold` is 80\.0: give a share between 0\.1 and 0\.95 \(0\.8 means 80 %\)"),
        ('"threshold": 0', "setting `threshold` is 0"),
        ('"target": 1', "setting `target` is 1"),
        ('"recentShare": -0.1', r"setting `recentShare` is -0\.1"),
        ('"outputCapShare": 0', "setting `outputCapShare` is 0"),
        ('"minRetainRounds": 0', "setting `minRetainRounds` is 0: give a whole number of at least 1"),
        ('"maxContextTokens": 0', "setting `maxContextTokens` is 0"),
        ('"reserveOutputTokens": -5', "setting `reserveOutputTokens` is -5"),
        ('"summarizerTimeoutS": 0', r"setting `summarizerTimeoutS` is 0\.0: give a number of seconds above 0"),
        ('"trimOrder": "newest_first"', "setting `trimOrder` is 'newest_first': known are tool_output_first"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_name(setting: str, refusal: str) -> None:
    with pytest.raises(BadSetting, match=refusal):
        read(f"{{{setting}}}")


def test_a_share_that_is_no_number_is_refused_by_name() -> None:
    with pytest.raises(BadSetting, match="setting `threshold` is nan"):
        Policy(threshold=float("nan"))


def test_a_policy_does_not_change() -> None:
    with pytest.raises(AttributeError):
        Policy().threshold = 0.5  # type: ignore[misc]  # that is what is tested

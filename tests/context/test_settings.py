"""The four environment variables of the articles."""

from __future__ import annotations

import pytest

from unabridged import BadSetting, Policy
from unabridged.context import ContextConfig


def test_unset_variables_have_the_defaults_of_the_articles() -> None:
    config = ContextConfig.from_env({})
    assert config == ContextConfig()
    assert (config.context_window, config.compression_threshold) == (128_000, 0.8)
    assert (config.min_retain_rounds, config.summary_timeout) == (10, 120)


def test_each_variable_is_read() -> None:
    config = ContextConfig.from_env(
        {
            "CONTEXT_WINDOW": "32000",
            "COMPRESSION_THRESHOLD": "0.5",
            "MIN_RETAIN_ROUNDS": "3",
            "SUMMARY_TIMEOUT": "4.5",
        }
    )
    assert config == ContextConfig(
        context_window=32_000, compression_threshold=0.5, min_retain_rounds=3, summary_timeout=4.5
    )


def test_the_process_environment_is_read_where_none_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTEXT_WINDOW", "16000")
    assert ContextConfig.from_env().context_window == 16_000


def test_an_empty_variable_counts_as_unset() -> None:
    assert ContextConfig.from_env({"CONTEXT_WINDOW": " "}).context_window == 128_000


@pytest.mark.parametrize(
    ("variable", "text"),
    [
        ("CONTEXT_WINDOW", "0"),
        ("CONTEXT_WINDOW", "-128000"),
        ("CONTEXT_WINDOW", "128k"),
        ("COMPRESSION_THRESHOLD", "80"),  # per cent: a threshold that is never reached
        ("COMPRESSION_THRESHOLD", "0"),
        ("COMPRESSION_THRESHOLD", "nan"),
        ("MIN_RETAIN_ROUNDS", "0"),
        ("MIN_RETAIN_ROUNDS", "-1"),
        ("MIN_RETAIN_ROUNDS", "2.5"),
        ("SUMMARY_TIMEOUT", "0"),
        ("SUMMARY_TIMEOUT", "soon"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_by_the_name_of_its_variable(variable: str, text: str) -> None:
    with pytest.raises(BadSetting) as refused:
        ContextConfig.from_env({variable: text})
    assert refused.value.setting == variable
    assert refused.value.remedy.startswith("give ")


def test_the_remedy_is_the_one_that_the_setting_itself_has() -> None:
    with pytest.raises(BadSetting) as own:
        Policy(threshold=80)
    with pytest.raises(BadSetting) as articles:
        ContextConfig.from_env({"COMPRESSION_THRESHOLD": "80"})
    assert own.value.setting == "threshold"
    assert (articles.value.value, articles.value.remedy) == (80, own.value.remedy)


@pytest.mark.parametrize(
    ("variable", "remedy"),
    [
        ("CONTEXT_WINDOW", "give a whole number, such as 128000"),
        ("COMPRESSION_THRESHOLD", "give a number, such as 0.8"),
    ],
)
def test_what_is_no_number_is_answered_with_one(variable: str, remedy: str) -> None:
    with pytest.raises(BadSetting) as refused:
        ContextConfig.from_env({variable: "128k"})
    assert (refused.value.value, refused.value.remedy) == ("128k", remedy)


def test_the_engine_gets_the_same_settings() -> None:
    policy = ContextConfig(compression_threshold=0.5, min_retain_rounds=3, summary_timeout=4.5).policy()
    assert (policy.threshold, policy.min_retain_rounds, policy.summarizer_timeout_s) == (0.5, 3, 4.5)

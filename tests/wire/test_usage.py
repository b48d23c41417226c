"""Usage as providers report it, made one: input includes what was read from the cache or written to it."""

from __future__ import annotations

import re

import pytest

from unabridged.report import Usage
from unabridged.wire import wire


def test_openai_counts_the_cache_within_the_prompt() -> None:
    response = {
        "usage": {
            "prompt_tokens": 2006,
            "prompt_tokens_details": {"cached_tokens": 1920, "cache_write_tokens": 7},
            "completion_tokens": 300,
            "completion_tokens_details": {"reasoning_tokens": 200},
        }
    }
    expected = Usage(input=2006, cached=1920, cache_write=7, output=300, reasoning=200)
    assert wire("openai_chat").usage(response) == expected


def test_anthropic_counts_the_cache_beside_the_input() -> None:
    usage = {
        "input_tokens": 3,
        "cache_read_input_tokens": 305_000,
        "cache_creation_input_tokens": 12,
        "output_tokens": 9,
    }
    expected = Usage(input=305_015, cached=305_000, cache_write=12, output=9)
    assert wire("anthropic").usage({"usage": usage}) == expected


def test_responses_counts_the_cache_within_the_input() -> None:
    usage = {
        "input_tokens": 2006,
        "input_tokens_details": {"cached_tokens": 1920, "cache_write_tokens": 7},
        "output_tokens": 300,
        "output_tokens_details": {"reasoning_tokens": 200},
        "total_tokens": 2306,
    }
    expected = Usage(input=2006, cached=1920, cache_write=7, output=300, reasoning=200)
    assert wire("openai_responses").usage({"usage": usage}) == expected


REPORTED = {
    "promptTokenCount": 2006,
    "cachedContentTokenCount": 1920,
    "candidatesTokenCount": 100,
    "thoughtsTokenCount": 200,
    "totalTokenCount": 2306,
}


def test_gemini_counts_the_cache_within_the_prompt_and_thoughts_beside_the_answer() -> None:
    expected = Usage(input=2006, cached=1920, output=300, reasoning=200)
    assert wire("gemini").usage({"usageMetadata": REPORTED}) == expected
    spelled = {re.sub("[A-Z]", lambda found: "_" + found[0].lower(), key): value for key, value in REPORTED.items()}
    assert wire("gemini").usage({"usage_metadata": spelled}) == expected
    assert wire("gemini").usage({"usage": spelled}) == expected


@pytest.mark.parametrize(
    ("dialect", "usage"),
    [
        ("openai_responses", {"input_tokens": 5, "input_tokens_details": None, "output_tokens": None}),
        ("gemini", {"promptTokenCount": 5, "cachedContentTokenCount": None}),
        ("openai_chat", {"prompt_tokens": 5, "prompt_tokens_details": None, "completion_tokens_details": {}}),
        ("anthropic", {"input_tokens": 5, "cache_read_input_tokens": None, "output_tokens": None}),
    ],
)
def test_what_is_not_reported_is_nothing(dialect: str, usage: object) -> None:
    assert wire(dialect).usage({"usage": usage}) == Usage(input=5)


@pytest.mark.parametrize("dialect", ["openai_chat", "anthropic", "openai_responses", "gemini"])
@pytest.mark.parametrize("response", [{}, {"usage": None}, {"usage": {"output_tokens": 5}}])
def test_a_response_without_input_tokens_reports_no_usage(dialect: str, response: dict[str, object]) -> None:
    assert wire(dialect).usage(response) is None

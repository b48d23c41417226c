"""Requests that providers accepted, as a library's test-suite recorded them: none of them has a violation."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import cast

import msgspec
import pytest

from tests.shared import DATA, needs_data
from unabridged.testing import violations

Json = dict[str, object]

FILES = {
    "anthropic": "anthropic-messages.requests.jsonl.gz",
    "gemini": "gemini-contents.requests.jsonl.gz",
    "openai_chat": "openai-chat.requests.jsonl.gz",
    "openai_responses": "openai-responses.requests.jsonl.gz",
}

_DEEPSEEK = "models/cassettes/test_deepseek_responses/test_deepseek_responses"
_MATRIX = "models/cassettes/test_multimodal_tool_returns/test_multimodal_tool_return_matrix[{}-document-mistral].yaml"

ANOTHER_SERVICE = {
    "models/cassettes/test_cohere/test_cohere_model_thinking_part.yaml": "Cohere: thinking without a signature",
    "models/cassettes/test_mistral/test_mistral_model_thinking_part.yaml": (
        "Mistral: thinking as a list without a signature, and `tool_calls` on the message"
    ),
    "models/cassettes/test_mistral/test_mistral_history_uses_prompt_cache.yaml": "Mistral: takes an empty `tool_calls`",
    _MATRIX.format("direct-binary"): "Mistral: `document_url` parts",
    _MATRIX.format("direct-url"): "Mistral: `document_url` parts",
    _MATRIX.format("direct-url_force_download"): "Mistral: `document_url` parts",
    _MATRIX.format("tool_return_content-binary"): "Mistral: `document_url` parts",
    _MATRIX.format("tool_return_content-url"): "Mistral: `document_url` parts",
    _MATRIX.format("tool_return_content-url_force_download"): "Mistral: `document_url` parts",
    "models/cassettes/test_openrouter/test_openrouter_google_nested_schema.yaml": (
        "Gemini through OpenRouter: makes call ids of 50 characters, OpenAI takes 40"
    ),
    f"{_DEEPSEEK}_replay_own_reasoning_history.yaml": "DeepSeek: reasoning has ids of its own making",
    f"{_DEEPSEEK}[function_tool].yaml": "DeepSeek: reasoning has ids of its own making",
    f"{_DEEPSEEK}[function_tool_stream].yaml": "DeepSeek: reasoning has ids of its own making",
    f"{_DEEPSEEK}[text_multi_turn].yaml": "DeepSeek: reasoning has ids of its own making",
}
"""Accepted by a service that speaks the dialect its own way; the provider of the dialect would refuse them."""

ANTHROPIC_AMONG_OPENAI = {
    "cassettes/test_tool_availability_portability/test_anthropic_live_delta_preserves_the_warmed_cache_prefix.yaml",
    "cassettes/test_code_execution_files_vcr/test_anthropic_code_execution_files_multi_turn.yaml",
    "cassettes/test_tool_availability_portability/test_tool_availability_portability_matrix[R2-T2-native-search].yaml",
    "models/cassettes/test_anthropic/test_anthropic_model_thinking_part_redacted.yaml",
}
"""Requests to Anthropic that the collection keeps in the file of OpenAI Chat."""


def recorded(dialect: str) -> Iterator[tuple[str, Json]]:
    with gzip.open(DATA / "provider-requests" / FILES[dialect], "rb") as lines:
        for line in lines:
            row = msgspec.json.decode(line, type=dict[str, object])
            yield str(row["source"]).removeprefix("tests fixtures: tests/"), cast("Json", row["body"])


def is_converse(body: Json) -> bool:
    """Amazon Bedrock Converse, a wire of its own; no other one has this field."""
    return "inferenceConfig" in body


@needs_data
@pytest.mark.parametrize("dialect", FILES)
def test_a_request_that_its_provider_accepted_has_no_violations(dialect: str) -> None:
    others = ANOTHER_SERVICE.keys() | ANTHROPIC_AMONG_OPENAI
    bodies = [(source, body) for source, body in recorded(dialect) if not is_converse(body) and source not in others]
    assert {source: found for source, body in bodies if (found := violations(dialect, body))} == {}
    assert len(bodies) >= 60


@needs_data
def test_a_request_filed_under_the_wrong_dialect_is_accepted_by_its_own_and_refused_by_the_other() -> None:
    bodies = {source: body for source, body in recorded("openai_chat") if source in ANTHROPIC_AMONG_OPENAI}
    assert bodies.keys() == ANTHROPIC_AMONG_OPENAI
    for body in bodies.values():
        assert violations("anthropic", body) == []
        assert violations("openai_chat", body) != []


@needs_data
def test_a_request_that_only_another_service_takes_is_refused() -> None:
    bodies = {
        source: (dialect, body) for dialect in FILES for source, body in recorded(dialect) if source in ANOTHER_SERVICE
    }
    assert bodies.keys() == ANOTHER_SERVICE.keys()
    assert [source for source, (dialect, body) in bodies.items() if not violations(dialect, body)] == []


@needs_data
def test_a_request_to_bedrock_converse_is_no_messages_request() -> None:
    bodies = [body for _, body in recorded("anthropic") if is_converse(body)]
    assert len(bodies) == 49
    assert all({found.rule for found in violations("anthropic", body)} == {"block_malformed"} for body in bodies)

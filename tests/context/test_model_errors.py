"""What a provider's error means: too long a request, or something that only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from unabridged.context import ModelErrorKind, classify_model_error


class ApiError(Exception):
    """As the official clients have it: a status, and the decoded body."""

    def __init__(self, text: str, status_code: int = 400, body: Any = None) -> None:
        super().__init__(text)
        self.status_code = status_code
        self.body = body


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        # OpenAI, and servers that speak like it
        ("This model's maximum context length is 4096 tokens. However, you requested 4104 tokens (3104 in the "
         "messages, 1000 in the completion). Please reduce the length of the messages or completion.", 4_096),
        ("Input tokens exceed the configured limit of 272000 tokens. Your messages have 300001 tokens.", 272_000),
        ("Your input exceeds the context window of this model.", None),
        ("Please reduce the length of the messages or completion.", None),
        ("This endpoint's maximum context length is 16384 tokens. However, you requested about 20000 tokens", 16_384),
        ("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 8_192),
        # Anthropic, Bedrock
        ("prompt is too long: 200027 tokens > 200000 maximum", 200_000),
        ("input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000, decrease input length", 200_000),
        ("Input is too long for requested model.", None),
        # Google, Mistral, xAI, Cohere, Together
        ("The input token count (1100010) exceeds the maximum number of tokens allowed (1048575).", 1_048_575),
        ("Prompt contains 150004 tokens and 0 draft tokens, too large for model with 131072 maximum context length",
         131_072),
        ("This model's maximum prompt length is 131072 but the request contains 136973 tokens.", 131_072),
        ("too many tokens: size limit exceeded by 168 tokens. The limit for this model is 132000 tokens.", 132_000),
        ("The input (140000 tokens) is longer than the model's context length (131072 tokens).", 131_072),
        # DashScope, Moonshot, MiniMax, Zhipu
        ("Range of input length should be [1, 202745]", 202_745),
        ("Invalid request: Your request exceeded model token limit: 262144 (requested: 263162)", 262_144),
        ("invalid params, context window exceeds limit (2013)", None),
        ("Prompt exceeds max length", None),
        # local servers
        ("request (13392 tokens) exceeds the available context size (8192 tokens), try increasing it", 8_192),
        ("Requested tokens (4348) exceed context window of 4096", 4_096),
        ("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2019 `inputs`", 2_048),
        ("Input length (9000 tokens) exceeds the maximum allowed length (8000 tokens).", 8_000),
    ],
)  # fmt: skip
def test_a_request_that_is_too_long_is_recognised_with_the_window_where_it_is_named(
    text: str, limit: int | None
) -> None:
    found = classify_model_error(ApiError(text))
    assert (found.kind, found.limit) == (ModelErrorKind.PROMPT_TOO_LONG, limit)


@pytest.mark.parametrize(
    "text",
    [
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389.",
        "Request too large for model `llama` on tokens per minute (TPM): Limit 12000, please reduce your message size",
        "Too many tokens, please wait before trying again.",
        "request reached organization TPD rate limit, current: 1506556, limit: 1500000",
        "The maximum tokens you requested exceeds the model limit of 32768",
        "too many tokens: max tokens must be less than or equal to 4096, the maximum output length for this model",
        "Range of max_tokens should be [1, 32768]",
        "'max_tokens' is too large: 8192. This model's maximum context length is 65536 tokens",
        "Request exceeds the maximum size",
        "'$.messages' is too long. Maximum length is 2048, but got 4970 items.",
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    ],
)
def test_what_a_smaller_request_does_not_help_is_another_kind(text: str) -> None:
    assert classify_model_error(ApiError(text)).kind is ModelErrorKind.API_ERROR


def test_the_code_is_enough() -> None:
    body = {"error": {"code": "context_length_exceeded", "message": "Bad request."}}
    assert classify_model_error(ApiError("Error code: 400", body=body)).kind is ModelErrorKind.PROMPT_TOO_LONG


def test_an_error_that_a_client_wrapped_is_looked_into() -> None:
    wrapped = RuntimeError("the call failed")
    wrapped.__cause__ = ApiError("prompt is too long: 9001 tokens > 9000 maximum")
    found = classify_model_error(wrapped)
    assert (found.kind, found.limit) == (ModelErrorKind.PROMPT_TOO_LONG, 9_000)


def test_an_address_in_the_text_does_not_count() -> None:
    text = "prompt is too long: 9001 tokens > 9000 maximum. See https://example.org/docs/rate-limits"
    assert classify_model_error(ApiError(text)).kind is ModelErrorKind.PROMPT_TOO_LONG


def test_what_no_provider_said_is_unknown() -> None:
    assert classify_model_error(ConnectionError("reset by peer")).kind is ModelErrorKind.UNKNOWN_MODEL_ERROR


def test_an_error_that_is_its_own_cause_ends() -> None:
    error = ValueError("odd")
    error.__cause__ = error
    assert classify_model_error(error).kind is ModelErrorKind.UNKNOWN_MODEL_ERROR

"""What looks like an overflow and is none, and lists whose structure is broken."""

from __future__ import annotations

from tests.models.overflows import BEDROCK, INVALID, MAX
from tests.models.rows import Row
from unabridged.models.overflow import ErrorKind

RATE, OUTPUT, PAYLOAD = ErrorKind.RATE_LIMIT, ErrorKind.OUTPUT_LIMIT, ErrorKind.PAYLOAD
STRUCTURE, FILTER, OTHER = ErrorKind.STRUCTURE, ErrorKind.CONTENT_FILTER, ErrorKind.OTHER

QUOTAS = [
    Row("openai", 429, "tokens", "rate_limit_exceeded", "Request too large for gpt-4o on tokens per min (TPM): Limit "
        "30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.", RATE,
        limit=30_000, requested=342_389),
    Row("groq", 413, "tokens", "rate_limit_exceeded", "Request too large for model `llama-3.3-70b-versatile` in "
        "organization `org_01x` service tier `on_demand` on tokens per minute (TPM): Limit 12000, Requested 14137, "
        "please reduce your message size and try again. Need more tokens? Upgrade today.", RATE,
        limit=12_000, requested=14_137, shared=("openai",)),
    Row("bedrock", 429, "ThrottlingException", None, "Too many tokens, please wait before trying again.", RATE),
    Row("google", 429, "RESOURCE_EXHAUSTED", None, "Resource has been exhausted (e.g. check quota).", RATE),
    Row("google", 429, "RESOURCE_EXHAUSTED", None, "Resource has been exhausted", RATE),
    Row("moonshot", 429, "rate_limit_reached_error", None, "request reached organization TPD rate limit, current: "
        "1506556, limit: 1500000", RATE, limit=1_500_000),
    Row("openai", 429, "insufficient_quota", "insufficient_quota", "Quota exceeded", RATE),
    Row("anthropic", 529, "overloaded_error", None, "Overloaded", RATE),
]  # fmt: skip
BYTES = [
    Row("anthropic", 413, "request_too_large", None, "Request exceeds the maximum size", PAYLOAD),
    Row("", 413, "", None, "413 Request Entity Too Large", PAYLOAD),
    Row("", 413, "", None, "Payload Too Large", PAYLOAD),
    Row("", 413, "", None, "Sent message larger than max (50000056 vs. 20971520)", PAYLOAD,
        limit=20_971_520, requested=50_000_056),
    Row("google", 400, "INVALID_ARGUMENT", None, "Request payload size exceeds the limit: 20971520 bytes.", PAYLOAD,
        limit=20_971_520),
    Row("anthropic", 400, INVALID, None, "messages.88.content.1.image.source.base64.data: At least one of the image "
        "dimensions exceed max allowed size for many-image requests: 2000 pixels", PAYLOAD),
]  # fmt: skip
OUTPUTS = [
    Row("bedrock", 400, "ValidationException", None, f"{BEDROCK} The maximum tokens you requested exceeds the model "
        "limit of 32768", OUTPUT, allowed=32_768),
    Row("bedrock", 400, "ValidationException", None, "The maximum tokens you requested exceed the model limit of 4096. "
        "Try again with a maximum tokens value lower than 4096.", OUTPUT, allowed=4_096),
    Row("cohere", 400, "TOO_MANY_TOKENS", None, "too many tokens: max tokens must be less than or equal to 4096, the "
        "maximum output length for this model - received 1000000.", OUTPUT, output=1_000_000, allowed=4_096),
    Row("dashscope", 400, "InvalidParameter", None, "Range of max_tokens should be [1, 32768]", OUTPUT, allowed=32_768),
    Row("vllm", 400, "BadRequestError", 400, f"'max_tokens' or 'max_completion_tokens' is too large: 8192. {MAX} 65536 "
        "tokens and your request has 57879 input tokens (8192 > 65536 - 57879).", OUTPUT,
        limit=65_536, requested=66_071, output=8_192, allowed=7_657),
    Row("openai", 400, INVALID, "invalid_value", "max_tokens is too large: 5000. This model supports at most 4096 "
        "completion tokens, whereas you provided 5000.", OUTPUT, output=5_000, allowed=4_096),
    Row("anthropic", 400, INVALID, None, "max_tokens: 100000 > 64000, which is the maximum allowed number of output "
        "tokens for this model", OUTPUT, output=100_000, allowed=64_000),
]  # fmt: skip
OTHERS = [
    Row("openai", 400, INVALID, "string_above_max_length", "Invalid 'tools[0].function.description': string too long. "
        "Expected a string with maximum length 1048576, but got a string with length 2778531 instead.", OTHER),
    Row("openai", 400, INVALID, "string_above_max_length", "Invalid 'user': string too long. Expected a string with "
        "maximum length 64, but got a string with length 80 instead.", OTHER),
    Row("moonshot", 400, INVALID, None, "'$.messages' is too long. Maximum length is 2048, but got 4970 items.", OTHER),
    Row("", 400, "", 400, "Reasoning is mandatory for this endpoint and cannot be disabled.", OTHER),
    Row("", 400, "", None, "Model context window too small (minimum is 128k tokens)", OTHER),
    Row("openai", 404, INVALID, "model_not_found", "The model `gpt-9` does not exist or you do not have access to it.",
        OTHER),
    Row("openai", 401, INVALID, "invalid_api_key", "Incorrect API key provided.", OTHER),
]  # fmt: skip
FILTERS = [
    Row(
        "azure",
        400,
        "",
        "content_filter",
        "The response was filtered due to the prompt triggering Azure OpenAI's "
        "content management policy. Please modify your prompt and retry.",
        FILTER,
    ),
    Row("anthropic", 400, INVALID, None, "Output blocked by content filtering policy", FILTER),
    Row("dashscope", 400, "data_inspection_failed", None, "Input data may contain inappropriate content.", FILTER),
]
LOOKALIKES = [*QUOTAS, *BYTES, *OUTPUTS, *OTHERS, *FILTERS]

_BROKEN = [
    ("openai", "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
     "'tool_call_id'. The following tool_call_ids did not have response messages: call_1"),
    ("openai", "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
     "'tool_calls'."),
    ("openai", "No tool output found for function call call_1."),
    ("anthropic", "messages.42: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. "
     "Each `tool_use` block must have a corresponding `tool_result` block in the next message."),
    ("anthropic", "messages.2.content.1: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each "
     "`tool_result` block must have a corresponding `tool_use` block in the previous message."),
    ("bedrock", "messages.2: Did not find 1 tool_result block(s) at the beginning of this message. Messages following "
     "tool_use blocks must begin with a matching number of tool_result blocks."),
    ("anthropic", 'messages: first message must use the "user" role'),
    ("anthropic", "messages: text content blocks must be non-empty"),
    ("anthropic", "messages.271: all messages must have non-empty content except for the optional final assistant "
     "message"),
    ("", "text content is empty"),
    ("anthropic", "messages.27.content.7: `thinking` or `redacted_thinking` blocks in the latest assistant message "
     "cannot be modified. These blocks must remain as they were in the original response."),
    ("", "Invalid signature in thinking block"),
    ("", "messages.1.content.0: Invalid `signature` in `thinking` block"),
    ("google", "Please ensure that the number of function response parts is equal to the number of function call parts "
     "of the function call turn."),
    ("google", "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
     "correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call "
     "`default_api:read`, position 2."),
    ("google", "History must start with a user turn."),
    ("bedrock", "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
     "between user and assistant roles and try again."),
    ("", "Conversation roles must alternate user/assistant/user/assistant/..."),
    ("mistral", "Expected last role to be one of: [tool, user] but got assistant"),
]  # fmt: skip
STRUCTURES = [Row(provider, 400, INVALID, None, text, STRUCTURE) for provider, text in _BROKEN]

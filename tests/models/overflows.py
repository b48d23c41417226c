"""Overflows of the window, provider by provider, as recorded in public test suites, threads and pattern lists."""

from __future__ import annotations

from tests.models.rows import Row
from unabridged.models.overflow import ErrorKind

INVALID = "invalid_request_error"
EXCEEDED = "context_length_exceeded"
MAX = "This model's maximum context length is"
REDUCE = "Please reduce the length of the messages or completion."
BEDROCK = "The model returned the following errors:"
TRY_SHORTER = "Try using a shorter prompt or a smaller max_tokens value."
LM_STUDIO = "which is not enough. Try to load the model with a larger context length, or provide a shorter input"
OUTPUT = ErrorKind.OUTPUT_LIMIT

OPENAI = [
    Row("openai", 400, INVALID, EXCEEDED, f"{MAX} 128000 tokens. However, your messages resulted in 150008 tokens. "
        "Please reduce the length of the messages.", limit=128_000, requested=150_008),
    # The input alone fits, with room for an answer: the output limit is to blame.
    Row("openai", 400, INVALID, EXCEEDED, f"{MAX} 4096 tokens. However, you requested 4104 tokens (3104 in the "
        f"messages, 1000 in the completion). {REDUCE}", OUTPUT,
        limit=4_096, requested=4_104, output=1_000, allowed=992),
    Row("openai", 400, INVALID, EXCEEDED, "Input tokens exceed the configured limit of 272000 tokens. Your messages "
        "resulted in 452217 tokens. Please reduce the length of the messages.", limit=272_000, requested=452_217),
    Row("openai", 400, INVALID, EXCEEDED, "Your input exceeds the context window of this model. Please adjust your "
        "input and try again."),
    Row("azure", 400, INVALID, EXCEEDED, f"(context_length_exceeded) {MAX} 128000 tokens. However, your messages "
        "resulted in 131072 tokens. Please reduce the length of the messages.", limit=128_000, requested=131_072),
]  # fmt: skip
ANTHROPIC = [
    Row("anthropic", 400, INVALID, None, "prompt is too long: 200027 tokens > 200000 maximum",
        limit=200_000, requested=200_027),
    Row("anthropic", 400, INVALID, None, "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, "
        "decrease input length or `max_tokens` and try again", limit=200_000, requested=207_951, output=8_192,
        allowed=241),
    Row("anthropic", 400, INVALID, None, "Request size exceeds model context window"),
    Row("bedrock", 400, "ValidationException", None, f"{BEDROCK} Input is too long for requested model."),
    Row("bedrock", 400, "ValidationException", None, f"{BEDROCK} prompt is too long: 903884 tokens > 200000 maximum",
        limit=200_000, requested=903_884),
    Row("bedrock", 400, "ValidationException", None, "Input Tokens Exceeded: Number of input tokens exceeds maximum "
        "length. Please update the input to try again."),
    Row("bedrock", 400, "validationException", None, "Input is too long for requested model."),
]  # fmt: skip
HOSTED = [
    Row("google", 400, "INVALID_ARGUMENT", None, "The input token count (1100010) exceeds the maximum number of tokens "
        "allowed (1048575).", limit=1_048_575, requested=1_100_010),
    Row("google", 400, "INVALID_ARGUMENT", None, "Request contains 35000 tokens, which exceeds the limit of 32768.",
        limit=32_768, requested=35_000),
    Row("mistral", 400, "invalid_request_invalid_args", "3051", "Prompt contains 150004 tokens and 0 draft tokens, too "
        "large for model with 131072 maximum context length", limit=131_072, requested=150_004),
    Row("mistral", 400, "invalid_request_invalid_args", None, "Prompt 262280 > 262144 maximum context length",
        limit=262_144, requested=262_280),
    Row("groq", 400, INVALID, EXCEEDED, REDUCE),
    Row("groq", 400, INVALID, None, REDUCE),
    Row("deepseek", 400, INVALID, INVALID, f"{MAX} 131072 tokens. However, you requested 1008004 tokens (1000004 in "
        f"the messages, 8000 in the completion). {REDUCE}", limit=131_072, requested=1_008_004, output=8_000),
    Row("xai", 400, "INVALID_ARGUMENT", None, "This model's maximum prompt length is 131072 but the request contains "
        "136973 tokens.", limit=131_072, requested=136_973),
    Row("xai", 400, INVALID, "input_too_large", "The input has more tokens than the model takes: 500056 > 500000.",
        limit=500_000, requested=500_056),
    Row("openrouter", 400, "", 400, "This endpoint's maximum context length is 16384 tokens. However, you requested "
        "about 26265 tokens (26255 of text input, 10 in the output). Please reduce the length of either one, or use "
        "the context-compression plugin to compress your prompt automatically.",
        limit=16_384, requested=26_265, output=10),
    Row("openrouter", 400, "", 400, "This endpoint's maximum context length is 65536 tokens. However, you requested "
        "about 65810 tokens (1430 of text input, 380 of tool input, 64000 in the output). Please reduce the length of "
        "either one.", OUTPUT, limit=65_536, requested=65_810, output=64_000, allowed=63_726),
    Row("openrouter", 400, "Bad Request", None, "Input length 264373 exceeds the maximum allowed input length of "
        "262112 tokens.", limit=262_112, requested=264_373),
    Row("together", 400, INVALID, None, "The input (1000016 tokens) is longer than the model's context length (131072 "
        "tokens).", limit=131_072, requested=1_000_016),
    Row("together", 422, "", None, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: "
        "2019 `inputs` tokens and 30 `max_new_tokens`", limit=2_048, requested=2_049, output=30, allowed=29,
        shared=("tgi",)),
    Row("fireworks", 400, INVALID, None, "The prompt is too long: 1000008, model maximum context length: 131071",
        limit=131_071, requested=1_000_008),
    Row("cohere", 400, "TOO_MANY_TOKENS", None, "too many tokens: size limit exceeded by 168512 tokens. The limit for "
        "this model is 132000 tokens.", limit=132_000, requested=300_512),
    Row("cohere", 400, "TOO_MANY_TOKENS", None, "too many tokens: size limit exceeded by 8 tokens. Try using shorter "
        "or fewer inputs. The limit for this model is 128000 tokens.", limit=128_000, requested=128_008),
    Row("cohere", 400, "", None, "too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - "
        f"received 6354. {TRY_SHORTER}", limit=2_048, requested=6_354),
]  # fmt: skip
CHINA = [
    Row("zhipu", 400, "", "1261", "Prompt exceeds max length"),
    Row("zai", 400, "", "1261", "Prompt too long"),
    Row("dashscope", 400, "InvalidParameter", None, "Range of input length should be [1, 202745]", limit=202_745),
    Row("dashscope", 400, "InternalError.Algo.InvalidParameter", "10012", "Range of input length should be [1, 202745]",
        limit=202_745),
    Row("moonshot", 400, INVALID, None, "Invalid request: Your request exceeded model token limit: 262144 (requested: "
        "263162)", limit=262_144, requested=263_162),
    Row("minimax", 400, "", 2013, "invalid params, context window exceeds limit (2013)"),
    Row("", 400, "", None, "输入内容超过最大长度"),
    Row("", 400, "", None, "请求的上下文长度过大"),
    Row("", 400, "", None, "输入长度超过限制"),
    Row("", 400, "", None, "上下文长度超出"),
]  # fmt: skip
SERVERS = [
    Row("copilot", 400, "", "model_max_prompt_tokens_exceeded", "prompt token count of 1459028 exceeds the limit of "
        "922000", limit=922_000, requested=1_459_028),
    Row("venice", 400, "", None, "The input (35034 tokens) is longer than the model's context length (32768 tokens).",
        limit=32_768, requested=35_034),
    Row("vllm", 400, "BadRequestError", 400, f"{MAX} 16384 tokens. However, you requested 122946 tokens (112946 in the "
        f"messages, 10000 in the completion). {REDUCE}", limit=16_384, requested=122_946, output=10_000),
    Row("vllm", 400, "BadRequestError", 400, f"{MAX} 262144 tokens. However, your request has 1000010 input tokens. "
        "Please reduce the length of the input messages.", limit=262_144, requested=1_000_010),
    Row("vllm", 400, "BadRequestError", 400, f"{MAX} 32768 tokens. However, you requested 4096 output tokens and your "
        "prompt contains at least 32001 input tokens, for a total of at least 36097 tokens. Please reduce the length "
        "of the input prompt or the number of requested output tokens.",
        limit=32_768, requested=36_097, output=4_096, allowed=767),
    Row("vllm", 400, "BadRequestError", 400, "The decoder prompt (length 163840) is longer than the maximum model "
        "length of 131072. Make sure that `max_model_len` is no smaller than the number of text tokens.",
        limit=131_072, requested=163_840),
    Row("sglang", 400, "BadRequestError", 400, "The input (61709 tokens) is longer than the model's context length "
        "(40960 tokens).", limit=40_960, requested=61_709),
    Row("sglang", 400, "BadRequestError", 400, "Input length (160062 tokens) exceeds the maximum allowed length (59862 "
        "tokens). Use a shorter input or enable --allow-auto-truncate.", limit=59_862, requested=160_062),
    Row("sglang", 400, "BadRequestError", 400, "Requested token count exceeds the model's maximum context length of "
        "131072 tokens.", limit=131_072),
    Row("tgi", 422, "validation", None, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 65537. "
        "Given: 79993 `inputs` tokens and 1024 `max_new_tokens`", limit=65_537, requested=81_017, output=1_024),
    Row("llama.cpp", 400, "exceed_context_size_error", 400, "request (13392 tokens) exceeds the available context size "
        "(8192 tokens), try increasing it", limit=8_192, requested=13_392),
    Row("llama.cpp", 500, "server_error", 500, "the request exceeds the available context size, try increasing it"),
    Row("llama-cpp-python", 400, "", None, "Requested tokens (4348) exceed context window of 4096",
        limit=4_096, requested=4_348),
    Row("lmstudio", 400, "", None, "Trying to keep the first 111490 tokens when context the overflows. However, the "
        f"model is loaded with context length of only 32768 tokens, {LM_STUDIO}", limit=32_768, requested=111_490),
    Row("lmstudio", 400, "", None, "tokens to keep from the initial prompt is greater than the context length"),
    Row("ollama", 400, "", None, "The prompt is too long: 208863, model maximum context length: 202752",
        limit=202_752, requested=208_863, shared=("fireworks",)),
    Row("ollama", 400, "", None, "prompt too long; exceeded max context length by 1207 tokens"),
    Row("litert", 400, "", 3, "input token ids are too long exceed the maximum number of tokens allowed: 11056 >= 4000",
        limit=4_000, requested=11_056),
]  # fmt: skip

OVERFLOWS = [*OPENAI, *ANTHROPIC, *HOSTED, *CHINA, *SERVERS]

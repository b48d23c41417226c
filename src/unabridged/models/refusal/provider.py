"""Guesses whose error it is: by the host that was asked, else by words that are somebody's own."""

from __future__ import annotations

import functools
import re
from urllib.parse import urlsplit

_HOSTS = {
    "openai.azure.com": "azure",
    "services.ai.azure.com": "azure",
    "openai.com": "openai",
    "anthropic.com": "anthropic",
    "amazonaws.com": "bedrock",
    "googleapis.com": "google",
    "mistral.ai": "mistral",
    "groq.com": "groq",
    "deepseek.com": "deepseek",
    "x.ai": "xai",
    "openrouter.ai": "openrouter",
    "together.xyz": "together",
    "together.ai": "together",
    "fireworks.ai": "fireworks",
    "cohere.com": "cohere",
    "cohere.ai": "cohere",
    "bigmodel.cn": "zhipu",
    "z.ai": "zai",
    "aliyuncs.com": "dashscope",
    "moonshot.cn": "moonshot",
    "moonshot.ai": "moonshot",
    "minimax.io": "minimax",
    "minimaxi.com": "minimax",
    "githubcopilot.com": "copilot",
    "cerebras.ai": "cerebras",
    "venice.ai": "venice",
    "huggingface.co": "tgi",
}
_WORDS = (
    ("openrouter", r"this endpoint's maximum context length|context-compression plugin|provider returned error"),
    ("azure", r"\(context_length_exceeded\)|azure|responsibleaipolicyviolation|code 3230"),
    ("lmstudio", r"keep the first [\d,]+ tokens|tokens to keep from the initial prompt"),
    ("llama.cpp", r"available context size|exceed_context_size_error"),
    ("llama-cpp-python", r"exceed context window of"),
    ("litert", r"input token ids are too long"),
    ("tgi", r"max_new_tokens\W? must be"),
    (
        "vllm",
        r"decoder prompt|output tokens and your prompt|input tokens\. please reduce|max_completion_tokens\W? is",
    ),
    ("sglang", r"maximum allowed length \(|requested token count exceeds"),
    ("bedrock", r"model returned the following errors|for requested model|validationexception|throttlingexception"),
    ("bedrock", r"conversation must alternate between user and assistant roles\. make|did not find \d+ tool_result"),
    ("bedrock", r"maximum tokens you requested|input tokens exceeded: number"),
    ("groq", r"in organization \W?org_\w*\W? service tier|in organization .{1,20} service tier"),
    (
        "google",
        r"input token count|function response (?:parts|turn)|thought_signature|user turn\.",
    ),
    ("google", r"resource_exhausted|resource has been exhausted|request payload size|which exceeds the limit of"),
    ("mistral", r"draft tokens|invalid_request_invalid_args"),
    ("xai", r"maximum prompt length is|input_too_large"),
    ("cohere", r"too_many_tokens|too many tokens: (?:size|total|max)"),
    ("dashscope", r"range of (?:input length|max_tokens) should|algo\.invalidparameter|data_inspection_failed"),
    ("zhipu", r"prompt exceeds max length"),
    ("zai", r"\bprompt too long$|model_context_window_exceeded"),
    ("ollama", r"exceeded max context length by"),
    ("moonshot", r"exceeded model token limit|organization tpd|messages\W{1,3}is too long"),
    ("minimax", r"context window exceeds limit"),
    ("copilot", r"model_max_prompt_tokens_exceeded"),
    ("fireworks", r"model maximum context length"),
    (
        "anthropic",
        r"tokens > \d+ maximum|exceed context limit|\btool_use\W? ids|tool_result\W? block|redacted_thinking",
    ),
    ("anthropic", r"request_too_large|content blocks must be non-empty|first message must use|many-image requests"),
    ("anthropic", r"request size exceeds model context|must have non-empty content except|overloaded_error"),
    (
        "openai",
        r"messages resulted in|configured limit of|exceeds the context window of this model|tokens per min \(tpm\)",
    ),
    ("openai", r"no tool output found|responding to each 'tool_call_id'|preceeding message|_above_max_length"),
)
_CLIENTS = {"anthropic": "anthropic", "botocore": "bedrock", "groq": "groq", "mistralai": "mistral", "cohere": "cohere"}
"""SDKs that talk to one provider; the one of OpenAI talks to all."""


def provider_of(said: str, address: str, module: str) -> str:
    """Give a provider's name, or "". `said` is in lower case, `module` the one that an exception comes from."""
    host = urlsplit(address).hostname or "" if address.startswith(("https://", "http://")) else ""
    parts = host.split(".")
    by_host = next((_HOSTS[name] for at in range(len(parts)) if (name := ".".join(parts[at:])) in _HOSTS), "")
    if by_host:
        return by_host
    by_words = next((name for name, pattern in _WORDS if _compiled(pattern).search(said)), "")
    top = module.partition(".")[0]
    return by_words or ("google" if module.startswith("google.genai") else _CLIENTS.get(top, ""))


@functools.cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)

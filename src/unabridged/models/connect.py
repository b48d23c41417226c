"""A model by its name: which provider it is of, and which API that speaks.

model = connect("claude-sonnet-4-5")
model = connect("qwen3", base_url="http://localhost:8000/v1")
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import cast

from unabridged.errors import BadInput
from unabridged.models.adapter import PATIENCE
from unabridged.models.model import Model, Patience

_HOMES = {
    "anthropic": ("anthropic", "AnthropicModel"),
    "gemini": ("gemini", "GeminiModel"),
    "openai": ("openai_responses", "OpenAIResponsesModel"),
    "openai_chat": ("openai_chat", "OpenAIChatModel"),
}
"""Each provider's module beside this one, and its class there."""
_NAMES = (
    (re.compile(r"claude"), "anthropic"),
    (re.compile(r"(?:models/)?gemini"), "gemini"),
    (re.compile(r"(?:chat)?gpt|o\d"), "openai"),
)


def connect(
    name: str,
    *,
    provider: str | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    window: int | None = None,
    patience: Patience = PATIENCE,
) -> Model:
    """Give a model by its name.

    Args:
        name: As requests name it.
        provider: `anthropic`, `gemini`, `openai` (Responses) or `openai_chat`. Where it is not given, an address means
            `openai_chat`, which nearly every server speaks; without one the name tells.
        base_url: Where the server is, if it is not the provider's own.
        api_key: None takes it from the provider's environment variable. A server on this machine needs none.
        window: Tokens of its window, where it is known.
        patience: How long an answer is waited for.

    Raises:
        BadInput: Nothing tells the provider, its package is not installed, or there is no key.
    """
    chosen = provider or _provider_of(name, base_url)
    if chosen not in _HOMES:
        raise BadInput(f"unknown provider {chosen!r}: use one of {', '.join(_HOMES)}")
    module, adapter = _HOMES[chosen]
    made = getattr(import_module(f"unabridged.models.{module}"), adapter)
    return cast(Model, made(name, base_url=base_url, api_key=api_key, window=window, patience=patience))


def _provider_of(name: str, base_url: str | None) -> str:
    if base_url is not None:
        return "openai_chat"
    found = next((provider for pattern, provider in _NAMES if pattern.match(name.lower())), None)
    if found is None:
        raise BadInput(
            f"the name {name!r} does not tell its provider: pass `provider` (one of {', '.join(_HOMES)}), "
            "or `base_url` for a server of your own"
        )
    return found

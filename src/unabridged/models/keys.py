"""Which providers have a key in the environment. The keys themselves are never read further than that."""

from __future__ import annotations

import os

import msgspec

from unabridged.models.endpoints import host_of


class Provider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider, and how one gets to it."""

    name: str
    speaks: str
    """The adapter, as `connect` names it."""
    variables: tuple[str, ...]
    """The environment's names for its key; any of them will do."""
    model: str
    """The one to begin with where nobody says: current, in the middle of its prices, listed with its window."""
    base_url: str = ""
    address: str = ""
    """The environment's name for another address, where there is one."""

    @property
    def variable(self) -> str:
        """The variable that is set; "" where none is."""
        return next((name for name in self.variables if os.environ.get(name)), "")

    @property
    def is_elsewhere(self) -> bool:
        """The environment sends its requests to another server, whose models have names of their own."""
        named = os.environ.get(self.address, "") if self.address else ""
        return bool(named) and host_of(named) != f"api.{self.name}.com"


PROVIDERS = (
    Provider(
        name="anthropic",
        speaks="anthropic",
        variables=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        model="claude-sonnet-4-6",
        address="ANTHROPIC_BASE_URL",
    ),
    Provider(name="openai", speaks="openai", variables=("OPENAI_API_KEY",), model="gpt-5.5", address="OPENAI_BASE_URL"),
    Provider(name="gemini", speaks="gemini", variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"), model="gemini-3.5-flash"),
    Provider(
        name="openrouter",
        speaks="openai_chat",
        variables=("OPENROUTER_API_KEY",),
        model="anthropic/claude-sonnet-4.6",
        base_url="https://openrouter.ai/api/v1",
    ),
    Provider(
        name="deepseek",
        speaks="openai_chat",
        variables=("DEEPSEEK_API_KEY",),
        model="deepseek-v4-flash",
        base_url="https://api.deepseek.com",
    ),
    Provider(
        name="mistral",
        speaks="openai_chat",
        variables=("MISTRAL_API_KEY",),
        model="mistral-medium-latest",
        base_url="https://api.mistral.ai/v1",
    ),
    Provider(
        name="xai",
        speaks="openai_chat",
        variables=("XAI_API_KEY",),
        model="grok-4.3",
        base_url="https://api.x.ai/v1",
    ),
)
"""In the order in which one is chosen."""


def with_keys() -> list[Provider]:
    """Give the providers whose key is set."""
    return [provider for provider in PROVIDERS if provider.variable]

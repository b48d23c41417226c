"""What a prompt cache serves and what writing to it takes, by provider and model family.

A cache serves the beginning of a request that is the same as in an earlier one. Here every call is taken to come
before the cache expires (5 minutes at Anthropic, 30 at OpenAI from GPT-5.6 on): costs with and without caching are the
two ends between which a bill lies.
"""

from __future__ import annotations

import re

import msgspec

USUAL_LEAST = 1_024
"""Tokens; the least that most providers cache."""


class CacheRule(msgspec.Struct, frozen=True):
    """What one family of models caches."""

    least: int = USUAL_LEAST
    """A beginning shorter than this is not cached."""
    grain: int = 1
    """Cached tokens come in multiples of this."""

    def served(self, same: int) -> int:
        """Give what is read from the cache, of so many tokens at the beginning that are the same as before."""
        return 0 if same < self.least else same - same % self.grain

    def written(self, tokens: int, served: int) -> int:
        """Give what is written to the cache: all of a request that is long enough, and was not read from it."""
        return 0 if tokens < self.least else tokens - served


_RULES: tuple[tuple[str, re.Pattern[str], CacheRule], ...] = tuple(
    (provider, re.compile(model), rule)
    for provider, model, rule in (
        # platform.claude.com, "Prompt caching", minimum cacheable prompt length (as of autumn 2026)
        ("anthropic", r"claude-(opus|fable|mythos)-5$", CacheRule(512)),
        ("anthropic", r"claude-opus-4-7|claude-(3-5-haiku|3-haiku|haiku-3)", CacheRule(2_048)),
        ("anthropic", r"claude-(opus-4-[56]|haiku-4-5)", CacheRule(4_096)),
        # ai.google.dev, "Context caching", minimum token limit of implicit caching
        ("google", r"gemini-2\.5", CacheRule(2_048)),
        ("google", r"gemini-[3-9]", CacheRule(4_096)),
        # developers.openai.com, "Prompt caching": steps of 128 before GPT-5.6, breakpoints from then on
        ("openai", r"gpt-(5\.[6-9]|[6-9])", CacheRule(1_024)),
        ("openai", r"", CacheRule(1_024, 128)),
    )
)


def rule_of(provider: str, model: str) -> CacheRule:
    """Give the rule for a model, by the names that the price list gives it and its provider."""
    for name, pattern, rule in _RULES:
        if name == provider and pattern.match(model):
            return rule
    return CacheRule()

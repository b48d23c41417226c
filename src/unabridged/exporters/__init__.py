"""Conversations as files of other tools: those that their tools load again. `docs/importing.md` says what is kept.

A message that came from a format goes back into it in the form that it had. A further format is a class behind
`Exporter` and a place in `EXPORTERS`.
"""

from __future__ import annotations

from unabridged.errors import BadInput
from unabridged.exporters.aider import Aider
from unabridged.exporters.claude_code import ClaudeCode
from unabridged.exporters.codex import Codex
from unabridged.exporters.exporter import Exporter, Losses
from unabridged.exporters.gemini_cli import GeminiCli
from unabridged.exporters.pi import Pi
from unabridged.exporters.requests import Requests
from unabridged.exporters.sharegpt import ShareGpt

__all__ = ["EXPORTERS", "Exporter", "Losses", "exporter"]

EXPORTERS: tuple[Exporter, ...] = (
    Requests("openai", "openai_chat", "a request of OpenAI's Chat Completions"),
    Requests("openai-responses", "openai_responses", "a request of OpenAI's Responses"),
    Requests("anthropic", "anthropic", "a request of Anthropic's Messages"),
    Requests("gemini", "gemini", "a request of Gemini's generateContent"),
    ClaudeCode(),
    Codex(),
    GeminiCli(),
    Pi(),
    ShareGpt(),
    Aider(),
)


def exporter(name: str) -> Exporter:
    """Give the exporter of a format. Raises `BadInput` for a name that none has."""
    found = next((each for each in EXPORTERS if each.name == name), None)
    if found is None:
        raise BadInput(f"unknown format {name!r}: use one of {', '.join(each.name for each in EXPORTERS)}")
    return found

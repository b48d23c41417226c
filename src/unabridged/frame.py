"""The frame: what a request carries beside its transcript."""

from __future__ import annotations

import msgspec

from unabridged.message import Message


class Envelope(msgspec.Struct, frozen=True):
    """A request body with its messages taken out, so that it can be put together again byte for byte."""

    head: str
    """Up to the first message, the opening bracket of the list and any white space included."""
    separator: str
    """Between two messages, the comma included."""
    tail: str


class Frame(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """System layers, tool schemas, parameters: passed with each step by the shell, never part of the transcript."""

    dialect: str
    """`openai_chat`, `openai_responses`, `anthropic` or `gemini`."""
    system: tuple[Message, ...] = ()
    """System messages that lead a list (OpenAI). Anthropic's and Gemini's system text is one of the `fields`."""
    fields: tuple[tuple[str, str], ...] = ()
    """Every other field of the request, in order, its value as JSON text: `model`, `tools`, `system`, `max_tokens`."""
    envelope: Envelope | None = None
    """Present when the frame was read from a request body and nothing in it was changed since."""
    endpoint: str = ""
    """Where the request goes; part of what a usage report is valid for."""
    searchable: bool = False
    """The model is offered `search_history` and `read_history`: markers say so."""
    guards: bool = False
    """The server reads template tokens wherever they stand (most that serve open models do): those in outputs of tools,
    summaries and markers are broken in the view."""

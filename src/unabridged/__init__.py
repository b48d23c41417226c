"""Keeps conversations with language models alive past the context window, and never loses a word of them.

The transcript stays whole. What the model sees is bounded.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from unabridged.conversation import Conversation
    from unabridged.engine import Engine, Overflow
    from unabridged.errors import BadInput, BadSetting, CannotFit, Conflict, NotFound, UnabridgedError
    from unabridged.fitted import Fitted
    from unabridged.frame import Frame
    from unabridged.log import Log
    from unabridged.message import Message, Origin, Role
    from unabridged.policy import Policy
    from unabridged.report import Report, Usage
    from unabridged.transcript import Transcript

__version__ = "0.1.0"

_HOME = {
    "BadInput": "errors",
    "BadSetting": "errors",
    "CannotFit": "errors",
    "Conflict": "errors",
    "Conversation": "conversation",
    "Engine": "engine",
    "Fitted": "fitted",
    "Frame": "frame",
    "Log": "log",
    "Message": "message",
    "NotFound": "errors",
    "Origin": "message",
    "Overflow": "engine",
    "Policy": "policy",
    "Report": "report",
    "Role": "message",
    "Transcript": "transcript",
    "UnabridgedError": "errors",
    "Usage": "report",
}

__all__ = [
    "BadInput",
    "BadSetting",
    "CannotFit",
    "Conflict",
    "Conversation",
    "Engine",
    "Fitted",
    "Frame",
    "Log",
    "Message",
    "NotFound",
    "Origin",
    "Overflow",
    "Policy",
    "Report",
    "Role",
    "Transcript",
    "UnabridgedError",
    "Usage",
]


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'unabridged' has no attribute {name!r}")
    return getattr(import_module(f"unabridged.{home}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Whether a refusal is right: what can never go, all that may be cut taken out of it, must itself be too large."""

from __future__ import annotations

from collections.abc import Sequence

from tests.verify.content import unread
from tests.verify.payload import count
from unabridged.budget import SMALLEST_ANSWER
from unabridged.frame import Frame
from unabridged.message import Media, Message, Opaque, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.tokens import default_counter
from unabridged.tokens.media import media_tokens
from unabridged.tokens.price import SIGNATURE_CHARACTERS, price_part
from unabridged.wire.crossing import crossed

FIXED = ("system", "instructions", "systemInstruction", "system_instruction", "tools")
"""Fields of a request that a model reads."""
CUTTABLE = 250
"""Tokens that a text which may be cut keeps at most in a floor: a refusal is confirmed without them."""


def most_of(window: int) -> int:
    """Give what a request may take at most: the window less a small answer."""
    return window - min(SMALLEST_ANSWER, window // 32)


def unconfirmed(transcript: Sequence[Message], frame: Frame, dialect: str, window: int) -> str:
    """Count what can never go; give the figures where that is not too large, "" where the refusal is right."""
    task = next((message for message in transcript if message.is_human), None)
    newest = next((message for message in reversed(transcript) if message.is_human), None)
    kept = [newest] if newest is not None else []
    kept += [message for message in unread(transcript) if message is not newest]
    kept += [message for message in transcript if message.role is Role.SYSTEM]
    fixed = [text for name, text in frame.fields if name in FIXED] + [message.text for message in frame.system]
    whole = sum(map(count, fixed)) + sum(_whole(message, dialect) for message in kept)
    if task is not None and task is not newest:
        whole += sum(_opaque(part, dialect) for part in crossed(task, dialect) if isinstance(part, Opaque))
    spared = CUTTABLE * sum(len(message.parts) + 1 for message in [*kept, task] if message is not None)
    return f"{whole} + {spared} <= {most_of(window)}" if whole + spared <= most_of(window) else ""


def _whole(message: Message, dialect: str) -> int:
    """Give the tokens of a message without what may be cut in it (outputs of tools), as this dialect says it."""
    tokens = 0
    for part in crossed(message, dialect):
        match part:
            case Text():
                tokens += count(part.text)
            case ToolCall():
                tokens += count(part.name + part.arguments)
            case Media():
                tokens += media_tokens(part, dialect)
            case Reasoning():
                tokens += max(count(part.text), len(part.signature or "") // SIGNATURE_CHARACTERS)
            case Opaque():
                tokens += _opaque(part, dialect)
            case ToolResult() | None:
                pass
    return tokens


def _opaque(part: Opaque, dialect: str) -> int:
    """Give the tokens of an opaque item; what is encoded in it counts by the project's stated rule."""
    return price_part(part, default_counter(), {}, dialect).tokens

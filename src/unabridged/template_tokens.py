"""Template tokens in quoted text: what would end a turn, or open another one, if a server read it as its own.

Servers that render a chat template tokenize what comes out of it, special tokens included. To them `<|im_end|>` in the
output of a tool is the end of that message, and what follows may open a system turn. A space after the first character
makes text of it again, which a person and a model can still read.
"""

from __future__ import annotations

import re

import msgspec

from unabridged.message import Media, Message, Opaque, Origin, Part, Role, Text, ToolResult

_TOKEN = re.compile(
    r"<(?=[|\uff5c][^<>\n]{1,48}[|\uff5c]>"  # ChatML, Llama 3, Phi, Harmony; DeepSeek's with full-width bars
    r"|/?s>|(?:bos|eos|pad|unk)>|(?:start|end)_of_turn>"  # Llama 2, Mistral, Gemma
    r"|/?(?:im_start|im_end|endoftext|tool_call|tool_response|tools|think)>"
    r"|<SYS>>|</SYS>>|/SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|AVAILABLE_TOOLS|IMG|IMG_END|ARGS|THINK)\])"
)
NAME = "template_tokens"
"""How reports call it."""
_BROKEN = r"\g<0> "
_QUOTING = frozenset({Origin.MARKER, Origin.CLIENT_SUMMARY})


def broken(text: str) -> str:
    """Give a text in which no server finds a template token. The same text where there was none."""
    return _TOKEN.sub(_BROKEN, text) if "<" in text or "[" in text else text


def guarded(message: Message) -> tuple[Part, ...]:
    """Give the parts of a message with what it quotes kept from speaking: outputs of tools, summaries, markers.

    What a person typed and what the model said stays as it is.
    """
    quotes = message.role is Role.SUMMARY or message.origin in _QUOTING
    return tuple(_guarded(part, quotes=quotes) for part in message.parts)


def _guarded(part: Part, *, quotes: bool) -> Part:
    if isinstance(part, Text):
        return _text(part) if quotes else part
    if not isinstance(part, ToolResult):
        return part
    inner = tuple(_piece(piece) for piece in part.parts)
    return part if inner == part.parts else ToolResult(part.call_id, inner, part.is_error)


def _piece(piece: Text | Media | Opaque) -> Text | Media | Opaque:
    match piece:
        case Text():
            return _text(piece)
        case Opaque():  # a document, a search result: JSON, whose strings take a space as any text does
            return msgspec.structs.replace(piece, data=broken(piece.data))
        case _:
            return piece


def _text(piece: Text) -> Text:
    now = broken(piece.text)
    return piece if now == piece.text else Text(now)

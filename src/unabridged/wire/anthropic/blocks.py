"""Reading Anthropic content blocks.

A block of a kind that is not listed here, or that lacks what its kind needs, is an `Opaque`: server tools and their
results, search results, uploads, compactions, documents given as text, and whatever comes next.
"""

from __future__ import annotations

from unabridged.message import Media, MediaKind, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.wire.content import content_parts
from unabridged.wire.json_text import JsonNode, as_object
from unabridged.wire.splicing import Intake


def read_block(block: JsonNode, intake: Intake) -> Part:
    """Read one block of a message."""
    match block.value:
        case {"type": "tool_use"}:
            arguments = block.get("input")
            return ToolCall(block.string("id"), block.string("name"), "" if arguments is None else arguments.source)
        case {"type": "tool_result"}:
            parts = content_parts(block, lambda inner: _plain_block(inner, intake))
            is_error = as_object(block.value).get("is_error") is True
            return ToolResult(block.string("tool_use_id"), parts, is_error)
        case {"type": "thinking", "thinking": str(text)}:
            return Reasoning(text, block.string("signature") or None)
        case {"type": "redacted_thinking", "data": str(data)}:
            return Reasoning(signature=data, redacted=True)
        case _:
            return _plain_block(block, intake)


def _plain_block(block: JsonNode, intake: Intake) -> Text | Media | Opaque:
    """Read a block that may stand in a message and in a tool result alike."""
    match block.value:
        case {"type": "text", "text": str(text)}:
            return Text(text)
        case {"type": "image", "source": {"type": "base64" | "url" | "file"}}:
            return _media(MediaKind.IMAGE, block, intake)
        case {"type": "document", "source": {"type": "base64" | "url" | "file"}}:
            return _media(MediaKind.DOCUMENT, block, intake)
        case _:
            # Bedrock's blocks name no type: their one member says what they are.
            kind = block.string("type") or next(iter(as_object(block.value)), "")
            return Opaque(kind, block.source)


def _media(kind: MediaKind, block: JsonNode, intake: Intake) -> Media:
    source = block.get("source")
    assert source is not None
    mime, data = source.string("media_type"), source.get("data")
    if data is None or source.string("type") != "base64":
        return Media(kind=kind, mime=mime, url=source.string("url") or source.string("file_id") or None)
    payload = intake.take(data, source.string("data"))
    return Media(kind=kind, mime=mime, digest=payload.digest, size=payload.size)

"""Normal form: what a message says, without what changes between two sendings of it."""

from __future__ import annotations

import msgspec

from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult


def normal_bytes(message: Message) -> bytes:
    """Give the bytes that identify a message: role and content, without ids, cache marks, reasoning or outer space.

    Two clients that send the same conversation with fresh ids or moved cache marks give the same bytes.
    """
    pieces: list[str] = [message.role]
    for part in message.parts:
        _normal(part, pieces)
    return "\x00".join(pieces).encode("utf-8", "surrogatepass")


def _normal(part: Part, pieces: list[str]) -> None:
    match part:
        case Text():
            pieces.append(part.text.strip())
        case ToolCall():
            pieces += ("call", part.name, _compact(part.arguments))
        case ToolResult():
            pieces.append("result")
            for inner in part.parts:
                _normal(inner, pieces)
        case Media():
            pieces += (part.kind.value, part.digest or part.url or "")
        case Opaque():
            pieces.append(part.kind)
        case Reasoning():
            pass


def _compact(arguments: str) -> str:
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments)).decode()
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return arguments

"""A view in the words that its messages were written in."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unabridged import markers
from unabridged.errors import BadInput
from unabridged.message import Media, Message, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.testing.notation.words import parse
from unabridged.view import SUMMARY, Item

_GONE = " was here ("
_CUT = "[context: shortened"
_COUNT = re.compile(r"\[context: ([\d,]+) earlier message")


def shown(items: Iterable[Item]) -> str:
    """Print a view: `shown(talk.fit().items)`. Messages that are not of this notation print as their ids.

    Raises:
        BadInput: A message was changed that is not of this notation, so that no word says what became of it.
    """
    return " ".join(map(_shown, items))


def _shown(item: Item) -> str:
    if item.source is None:
        return _marker(item.message)
    word = item.source.partition("#")[0]
    if not item.changed:
        return word
    asked = parse(word)
    parts = item.message.parts
    results = [_result(part) for part in parts if isinstance(part, ToolResult)]
    blocks = [name for part in parts if (name := _block(part))]
    calls = [f"{part.id}{'~' * _is_cut(part.arguments)}" for part in parts if isinstance(part, ToolCall)]
    texts = [_text(part.text, asked.label) for part in parts if isinstance(part, Text)]
    out = asked.role
    out += f"({','.join(results)})" if results else ""
    out += f"{{{','.join(blocks)}}}" if blocks else ""
    out += f"[{','.join(calls)}]" if calls else ""
    return out + "".join(texts)


def _result(result: ToolResult) -> str:
    texts = [piece.text for piece in result.parts if isinstance(piece, Text)]
    pictures = "+img" * sum(isinstance(piece, Media) for piece in result.parts)
    gone = "-img" * sum(_GONE in text for text in texts)
    empty = "=empty" * (markers.empty() in texts)
    return f"{result.call_id}{'~' * any(map(_is_cut, texts))}{pictures}{gone}{empty}"


def _block(part: Part) -> str | None:
    match part:
        case Reasoning():
            return "think"
        case Media():
            return "img"
        case Text(text) if _GONE in text:
            return "-img"
        case _:
            return None


def _text(text: str, label: str | None) -> str:
    if _GONE in text:
        return ""
    if text == markers.empty():
        return ":empty"
    return (f":{label}" if label and text.startswith(label) else "") + "~" * _is_cut(text)


def _is_cut(text: str) -> bool:
    return _CUT in text


def _marker(message: Message) -> str:
    if message.results:
        return f"T({message.results[0].call_id})!"
    if message.id.startswith(SUMMARY):
        return "Σ"
    if message.text == markers.begins():
        return "…begins"
    if "result without its call" in message.text:
        return "…orphan"
    count = _COUNT.match(message.text)
    if count is None:
        raise BadInput(f"the notation has no word for the marker {message.text!r}: compare the items themselves")
    return f"…{int(count[1].replace(',', ''))}"

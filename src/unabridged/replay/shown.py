"""Texts as they are shown: parts of a message in the terminal, nothing shortened, markers highlighted."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.text import Text as Line

from unabridged.markers import PREFIX
from unabridged.message import Media, Message, Opaque, Part, Reasoning, Text, ToolCall, ToolResult
from unabridged.replay import ink
from unabridged.replay.ink import Ink

MARKER = f"bold black on {ink.BUDGET}"

_MARKED = re.compile(rf"^{re.escape(PREFIX)}[^\n]*\]$", re.MULTILINE)
# All but line breaks and tabs: a tool's output must not move the cursor or colour the screen.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def lines_of(message: Message, marks: Ink) -> Iterator[Line]:
    """Give what a message says, part by part."""
    for part in message.parts:
        yield from _lines(part, marks)


def _lines(part: Part, marks: Ink) -> Iterator[Line]:
    match part:
        case Text():
            yield plain(part.text)
        case Reasoning():
            yield plain(f"(reasoning)\n{part.text}" if part.text else "(reasoning, hidden)", ink.DIM)
        case ToolCall():
            yield Line(f"{marks.arrow} {part.name} {part.id}", ink.SENT)
            yield plain(part.arguments)
        case ToolResult():
            yield Line(f"{marks.bar} {'error' if part.is_error else 'result'} of {part.call_id}", ink.SENT)
            for inner in part.parts:
                yield from _lines(inner, marks)
        case Media():
            yield Line(f"({part.kind.value}, {part.mime or 'unknown type'}{_extent(part)})", ink.DIM)
        case Opaque():
            yield plain(f"({part.kind}, as the provider wrote it)\n{part.data}", ink.DIM)


def plain(text: str, style: str = "") -> Line:
    """Give a text as it is; control characters are made visible, and markers stand out."""
    line = Line(_CONTROLS.sub(lambda match: f"\\x{ord(match[0]):02x}", text), style)
    line.highlight_regex(_MARKED, MARKER)
    return line


def _extent(media: Media) -> str:
    if media.width and media.height:
        return f", {media.width}x{media.height}"
    return f", {media.size:,} bytes" if media.size else ""

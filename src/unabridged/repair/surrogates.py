r"""Every text is one that UTF-8 can hold.

A client that cuts a string in the middle of an emoji leaves half a surrogate pair. JSON can write it (`\ud83d`), and a
strict reader refuses the whole request: Anthropic answers "The request body is not valid JSON: no low surrogate in
string". The view shows U+FFFD instead; the transcript keeps what came.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from unabridged import markers
from unabridged.message import Message, Opaque, Part, Reasoning, Role, Text, ToolCall, ToolResult
from unabridged.view import Cutter, Item

NAME = "surrogates"

_HALF = re.compile("[\ud800-\udfff]")
# A whole pair, and every other escape, is matched too: neither half of a pair nor `\\ud800` is taken for a half.
_ESCAPES = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
    r"|\\.",
    re.DOTALL,
)


class Surrogates:
    """The rule, for one dialect. OpenAI sends arguments as a string: escapes inside it are letters to its reader."""

    NAME = NAME

    def __init__(self, dialect: str) -> None:
        self._arguments = _escaped if dialect in ("anthropic", "gemini") else _text

    def mend(self, items: Sequence[Item], cutter: Cutter) -> tuple[list[Item], int]:
        """Replace halves of surrogate pairs; reasoning, which may not be edited, leaves whole."""
        out: list[Item] = []
        mended = 0
        for item in items:
            parts = list(item.message.parts)
            parts = [self.whole(part) for part in parts] if self.suspects(item.message) else list[Part | None](parts)
            if tuple(parts) == item.message.parts:
                out.append(item)
                continue
            mended += 1
            if any(part is not None for part in parts):
                out.append(cutter.edited(item, parts))
            elif item.message.role is not Role.ASSISTANT:
                out.append(cutter.remade(item, role=item.message.role, parts=(Text(markers.empty()),)))
        return out, mended

    def joined(self, items: Sequence[Item]) -> list[bool]:
        """Tell for each item whether it must stay with the one before it: surrogates ask for nothing of the kind."""
        return [False] * len(items)

    def suspects(self, message: Message) -> bool:
        """Tell whether a message may hold half a surrogate pair. On the wire it can only be an escape."""
        if message.raw is not None:
            body = message.raw.body
            return r"\u" in body and (r"\ud" in body or r"\uD" in body)
        return any(part != self.whole(part) for part in message.parts)

    def whole(self, part: Part) -> Part | None:
        """Give a part as a view shows it; None for one that may not be edited, and leaves."""
        match part:
            case Text():
                return _piece(part)
            case ToolCall():
                arguments = _text(part.arguments) if part.custom else self._arguments(part.arguments)
                return part if arguments == part.arguments else msgspec.structs.replace(part, arguments=arguments)
            case ToolResult():
                inner = tuple(_piece(piece) if isinstance(piece, Text) else piece for piece in part.parts)
                return part if inner == part.parts else msgspec.structs.replace(part, parts=inner)
            case Reasoning():
                return None if _HALF.search(part.text) else part
            case Opaque():
                return None if _escaped(part.data) != part.data else part
            case _:
                return part


def _piece(piece: Text) -> Text:
    return Text(_text(piece.text)) if _HALF.search(piece.text) else piece


def _text(text: str) -> str:
    if not _HALF.search(text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _escaped(json_text: str) -> str:
    """Replace halves in JSON text, those that are escapes too."""
    return _ESCAPES.sub(lambda found: r"\ufffd" if found["half"] else found[0], _text(json_text))

"""A conversation as blocks of text for a model that sums it up: who spoke, what was called, what came back.

Nothing of it is left out unsaid. Outputs and arguments are cut inside, head and tail, where they are long; thoughts are
not told, and pictures are numbered, so that those attached can be found.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from unabridged.message import Media, Message, Opaque, Origin, Part, Role, Text, ToolCall, ToolResult
from unabridged.summarizer.gathering.pictures import looks
from unabridged.summarizer.gathering.steps import result_text
from unabridged.summarizer.shortening import cut_text
from unabridged.tokens import TokenCounter

MARK_TOKENS = 18
"""Tokens of the mark and the number in front of a block, and of the line breaks around it."""
INJECTED_SHARE = 0.2
"""Of what an output may take, the share for reminders that a client put in."""

_SPEAKERS = {
    Origin.HUMAN: "user",
    Origin.INJECTED: "note by the client",
    Origin.CLIENT_SUMMARY: "summary by the client, of what came before it",
    Origin.TOOL_FEEDBACK: "note with a tool's result",
    Origin.MODEL: "assistant",
    Origin.MARKER: "note by the client",
}


class Block(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was said, called or given back."""

    place: int
    """Of its message in the span, from 1."""
    header: str
    body: str
    tokens: int
    media: tuple[tuple[int, Media], ...] = ()
    """Pictures and documents that came with it, each with the number by which the body names it."""


class Telling(msgspec.Struct, frozen=True, kw_only=True):
    """How a conversation is told."""

    counter: TokenCounter
    media: Mapping[str, bytes]
    most: int
    """Tokens of one output or one call's arguments."""
    longest: int
    """Tokens of anything, what people wrote too."""


def blocks_of(messages: Sequence[Message], telling: Telling) -> list[Block]:
    """Give the blocks of a conversation, in order."""
    names: dict[str, str] = {}
    blocks: list[Block] = []
    pictures = 0
    for place, message in enumerate(messages, 1):
        for part in message.parts:
            if isinstance(part, ToolCall):
                names[part.id] = part.name
            for header, body, media in _told(message, part, names, telling, pictures):
                tokens = telling.counter.count(body) + telling.counter.count(header) + MARK_TOKENS
                numbered = tuple(enumerate(media, pictures + 1))
                pictures += len(media)
                blocks.append(Block(place=place, header=header, body=body, tokens=tokens, media=numbered))
    return blocks


def _told(
    message: Message, part: Part, names: Mapping[str, str], telling: Telling, pictures: int
) -> Iterator[tuple[str, str, tuple[Media, ...]]]:
    speaker = _speaker(message)
    match part:
        case Text() if part.text.strip():
            injected = message.origin in (Origin.INJECTED, Origin.MARKER)
            most = int(telling.most * INJECTED_SHARE) if injected else telling.longest
            yield speaker, cut_text(part.text.strip(), most, telling.counter), ()
        case Media():
            yield speaker, _numbered(part, pictures, telling), (part,)
        case ToolCall():
            arguments = cut_text(part.arguments, telling.most, telling.counter)
            yield f"assistant calls {_on_one_line(part.name)}", arguments, ()
        case ToolResult():
            media = tuple(inner for inner in part.parts if isinstance(inner, Media))
            text = cut_text(result_text(part), telling.most, telling.counter)
            shown = [_numbered(item, pictures + at, telling) for at, item in enumerate(media)]
            name = _on_one_line(names.get(part.call_id, "an unknown call"))
            error = ", an error" if part.is_error else ""
            yield f"result of {name}{error}", "\n".join(filter(None, [text, *shown])) or "(nothing)", media
        case Opaque():
            yield speaker, f"(an item of the provider: {_on_one_line(part.kind)})", ()
        case _:
            return


def _speaker(message: Message) -> str:
    if message.role is Role.SYSTEM:
        return "system"
    return "assistant" if message.role is Role.ASSISTANT else _SPEAKERS[message.origin]


def _numbered(item: Media, pictures: int, telling: Telling) -> str:
    return f"(picture {pictures + 1}: {looks(item, telling.media)})"


def _on_one_line(text: str) -> str:
    return " ".join(text.split())[:80]

"""Crossing: what of a message that was held with one provider another one's wire can say.

A message keeps the form that it came in, so nothing is lost by going elsewhere: on the way back it goes out as it was.
In between, what the other wire has no place for gives way to a text that says what was there (`stand_in`), and thoughts
are left out: no provider takes the thoughts of another one's model, and most check their signatures.

| | openai_chat | openai_responses | anthropic | gemini |
|---|---|---|---|---|
| pictures | any | any | JPEG, PNG, GIF, WebP; links | any |
| documents | any, inline | any, inline or links | PDF and text, inline; links | any |
| recordings | WAV, MP3 | - | - | any |
| videos | - | - | - | any |
| in answers | - | - | - | any |
| in system text | - | - | any | any |
| own unsigned thoughts | yes | - | - | - |
| own signed thoughts | - | - | yes | - |

Own thoughts are those of messages without a form of any provider; with one they stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from unabridged.message import Media, MediaKind, Message, Opaque, Origin, Part, Reasoning, Role, Text, ToolResult
from unabridged.wire.stand_in import link_of, stand_in

Taker = Callable[[Media, str | None], bool]
"""Tells whether media are taken; the second argument is the id of a file that the provider itself keeps."""

_PICTURES = frozenset({"image/jpeg", "image/jpg", "image/png", "image/gif", "image/webp"})
_RECORDINGS = frozenset({"audio/wav", "audio/x-wav", "audio/mpeg", "audio/mp3"})
_TEXT_ALONE = {
    "openai_chat": (Role.ASSISTANT, Role.SYSTEM),
    "openai_responses": (Role.ASSISTANT, Role.SYSTEM),
    "anthropic": (Role.ASSISTANT,),
    "gemini": (),
}
"""Roles whose messages hold no media."""


def _chat(media: Media, kept: str | None) -> bool:
    match media.kind:
        case MediaKind.IMAGE:
            return bool(link_of(media) or media.digest)
        case MediaKind.AUDIO:
            return bool(media.digest) and media.mime in _RECORDINGS
        case MediaKind.DOCUMENT:
            return bool(media.digest or kept)
        case MediaKind.VIDEO:
            return False


def _responses(media: Media, kept: str | None) -> bool:
    return media.kind in (MediaKind.IMAGE, MediaKind.DOCUMENT) and bool(link_of(media) or media.digest or kept)


def _anthropic(media: Media, kept: str | None) -> bool:
    if media.kind not in (MediaKind.IMAGE, MediaKind.DOCUMENT):
        return False
    if media.digest is None:
        return bool(link_of(media)) or (kept is not None and not kept.startswith("data:"))
    if media.kind is MediaKind.IMAGE:
        return media.mime in _PICTURES
    return media.mime == "application/pdf" or media.mime.startswith("text/")


def _gemini(media: Media, kept: str | None) -> bool:
    return bool(media.mime and media.digest) or bool(link_of(media))


_TAKERS: dict[str, Taker] = {
    "openai_chat": _chat,
    "openai_responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}


def crossed(message: Message, dialect: str) -> tuple[Part | None, ...]:
    """Give the parts of a message as a wire can say them, one for one; None where a part is left out.

    A message in that wire's own form is given as it is.
    """
    if message.raw is not None and message.raw.dialect == dialect:
        return message.parts
    crossing = _Crossing(message, dialect)
    return tuple(map(crossing.part, message.parts))


class _Crossing:
    def __init__(self, message: Message, dialect: str) -> None:
        self._dialect = dialect
        self._takes = _TAKERS[dialect]
        self._foreign = message.raw is not None
        self._role = Role.USER if message.origin is Origin.MARKER else message.role
        self._text_alone = self._role in _TEXT_ALONE[dialect]

    def part(self, part: Part) -> Part | None:
        match part:
            case Reasoning():
                return part if self._thinks(part) else None
            case Opaque():
                return stand_in(part) if self._foreign else part
            case Media():
                return part if not self._text_alone and self._carries(part) else stand_in(part)
            case ToolResult():
                inner = tuple(map(self._inner, part.parts))
                return part if inner == part.parts else msgspec.structs.replace(part, parts=inner)
            case _:
                return part

    def _inner(self, piece: Text | Media | Opaque) -> Text | Media | Opaque:
        if isinstance(piece, Media):
            return piece if self._carries(piece) else stand_in(piece)
        return stand_in(piece) if isinstance(piece, Opaque) and self._foreign else piece

    def _carries(self, media: Media) -> bool:
        kept = media.url if media.url and not link_of(media) and not self._foreign else None
        return self._takes(media, kept)

    def _thinks(self, thoughts: Reasoning) -> bool:
        if self._foreign or self._role is not Role.ASSISTANT:
            return False
        if self._dialect == "anthropic":
            return thoughts.signature is not None
        return self._dialect == "openai_chat" and not thoughts.signature

"""Parts of messages as the API gives them: all that was said, and neither bytes of media nor a provider's own form."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

import msgspec

from unabridged.message import Media, MediaKind, Message, Part, Reasoning, Text, ToolCall, ToolResult


class TextShown(msgspec.Struct, frozen=True, tag="text"):
    """Something written."""

    text: str


class MediaShown(msgspec.Struct, frozen=True, tag="media", kw_only=True):
    """A picture, a recording or a document, as a reference."""

    kind: MediaKind
    mime: str
    digest: str | None
    """SHA-256 of the bytes; null where only an address is known."""
    url: str | None
    """Where the bytes are: a path of this API, or what the message named."""
    size: int | None
    width: int | None
    height: int | None
    pages: int | None
    seconds: float | None


class ReasoningShown(msgspec.Struct, frozen=True, tag="reasoning"):
    """A model's thoughts, where the project shows them."""

    text: str
    redacted: bool


class CallShown(msgspec.Struct, frozen=True, tag="tool_call", kw_only=True):
    """A call that the model asks for."""

    call_id: str
    name: str
    arguments: str
    """As the model wrote them."""


class ResultShown(msgspec.Struct, frozen=True, tag="tool_result", kw_only=True):
    """What a call came to, all of it."""

    call_id: str
    output: str
    """Its texts, joined by line breaks."""
    is_error: bool
    media: tuple[MediaShown, ...]


class OtherShown(msgspec.Struct, frozen=True, tag="other"):
    """Something of a provider that nobody else reads."""

    kind: str


Shown = TextShown | MediaShown | ReasoningShown | CallShown | ResultShown | OtherShown


class Sight(msgspec.Struct, frozen=True):
    """For whom parts are made."""

    session: str
    reasoning: bool
    """Whether the project shows thoughts."""

    def parts(self, message: Message) -> tuple[Shown, ...]:
        """Give the parts of a message, in order."""
        return tuple(self._parts(message))

    def _parts(self, message: Message) -> Iterator[Shown]:
        for part in message.parts:
            if not isinstance(part, Reasoning):
                yield self._part(part)
            elif self.reasoning:
                yield ReasoningShown(part.text, part.redacted)

    def _part(self, part: Part) -> Shown:
        match part:
            case Text(text=text):
                return TextShown(text)
            case Media():
                return self._media(part)
            case ToolCall(id=id, name=name, arguments=arguments):
                return CallShown(call_id=id, name=name, arguments=arguments)
            case ToolResult(call_id=id, parts=parts, is_error=is_error):
                output = "\n".join(piece.text for piece in parts if isinstance(piece, Text))
                media = tuple(self._media(piece) for piece in parts if isinstance(piece, Media))
                return ResultShown(call_id=id, output=output, is_error=is_error, media=media)
            case Reasoning():
                return ReasoningShown(part.text, part.redacted)
            case _:
                return OtherShown(part.kind)

    def _media(self, media: Media) -> MediaShown:
        own = f"/chat/sessions/{quote(self.session, safe='')}/media/{media.digest}" if media.digest else None
        return MediaShown(
            kind=media.kind,
            mime=media.mime,
            digest=media.digest,
            url=own or media.url,
            size=media.size,
            width=media.width,
            height=media.height,
            pages=media.pages,
            seconds=media.seconds,
        )

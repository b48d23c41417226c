"""Messages and their parts: what a conversation is made of, whatever provider it was held with.

A `Message` is neutral, and it also carries the provider's own form of itself (`Raw`), so that a message
that nobody cut goes back out exactly as it came in. Everything here is a frozen value; msgspec is both
the type and the codec. `gc=False`: values are trees and hold no cycles, so the collector, whose work would grow with
the history, never looks at them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator

import msgspec


class Role(enum.StrEnum):
    """Who speaks. `summary` stands for earlier messages; it never has the rank of `system`."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SUMMARY = "summary"


class Origin(enum.StrEnum):
    """Who made a message. Task, rounds and counts look at `human` only."""

    HUMAN = "human"
    INJECTED = "injected"
    """Reminders, meta records, command output: a client put it there, nobody typed it."""
    CLIENT_SUMMARY = "client_summary"
    """An importing client's own compaction of what came before."""
    TOOL_FEEDBACK = "tool_feedback"
    """Tool results, and what a client adds to them."""
    MODEL = "model"
    """The model's own answer."""
    MARKER = "marker"
    """Written by a view in place of what it left out; never part of a transcript."""


class MediaKind(enum.StrEnum):
    """What a media item is, and by what it is priced."""

    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"


class Text(msgspec.Struct, frozen=True, gc=False, tag="text", omit_defaults=True):
    """Something written."""

    text: str


class Media(msgspec.Struct, frozen=True, gc=False, tag="media", omit_defaults=True, kw_only=True):
    """A picture, a recording or a document. Its bytes live beside the message, under `digest`."""

    kind: MediaKind
    mime: str = ""
    digest: str | None = None
    """SHA-256 (hex) of the decoded bytes; None where only a URL or a provider's file id is known."""
    url: str | None = None
    size: int | None = None
    """Decoded bytes."""
    width: int | None = None
    height: int | None = None
    """Pixels, read from the file's header."""
    pages: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        if isinstance(self.seconds, int):  # 12 is written as 12, read back as 12.0, and would look changed
            msgspec.structs.force_setattr(self, "seconds", float(self.seconds))


class Reasoning(msgspec.Struct, frozen=True, gc=False, tag="reasoning", omit_defaults=True):
    """A model's thoughts. With a signature they are kept byte for byte or dropped whole, never edited."""

    text: str = ""
    signature: str | None = None
    redacted: bool = False


class Opaque(msgspec.Struct, frozen=True, gc=False, tag="opaque", omit_defaults=True):
    """A provider's item that we neither read nor edit: kept verbatim or dropped whole."""

    kind: str
    data: str
    """The item as JSON text."""


class ToolCall(msgspec.Struct, frozen=True, gc=False, tag="tool_call", omit_defaults=True):
    """A call that the model asks for. Ids repeat in real conversations: pair by position, never by a global map."""

    id: str
    name: str
    arguments: str
    """As the model wrote them: JSON text for functions, any text for custom tools."""
    custom: bool = False


class ToolResult(msgspec.Struct, frozen=True, gc=False, tag="tool_result", omit_defaults=True):
    """What a call gave back."""

    call_id: str
    parts: tuple[Text | Media | Opaque, ...] = ()
    is_error: bool = False


Part = Text | Media | Reasoning | ToolCall | ToolResult | Opaque


class MediaSpan(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """Where the base64 text of a media item was taken out of `Raw.body`."""

    offset: int
    """Characters before it in `Raw.body`, all spans taken out."""
    digest: str
    """SHA-256 (hex) of the decoded bytes."""


class Raw(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One message exactly as its provider writes it: JSON text, base64 media taken out, spliced back byte for byte."""

    dialect: str
    body: str
    media: tuple[MediaSpan, ...] = ()


class Message(msgspec.Struct, frozen=True, gc=False, omit_defaults=True, kw_only=True):
    """One message of a transcript. `raw`, where present, is what `parts` were read from and what goes back out."""

    id: str
    role: Role
    parts: tuple[Part, ...] = ()
    origin: Origin = Origin.HUMAN
    name: str | None = None
    time: str | None = None
    """RFC 3339, as recorded; never used for order."""
    raw: Raw | None = None

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that this message asks for, in order."""
        return tuple([part for part in self.parts if isinstance(part, ToolCall)])

    @property
    def results(self) -> tuple[ToolResult, ...]:
        """The results that this message brings, in order."""
        return tuple([part for part in self.parts if isinstance(part, ToolResult)])

    @property
    def text(self) -> str:
        """All text parts, joined by line breaks; results and reasoning are left out."""
        return "\n".join(part.text for part in self.parts if isinstance(part, Text))

    @property
    def is_human(self) -> bool:
        """Typed by a person: counts for the task, for rounds and for what is unanswered."""
        return self.origin is Origin.HUMAN and self.role is Role.USER


def media_digests(message: Message) -> list[str]:
    """Every digest under which bytes lie beside a message, once: of its media, and of what its raw form holds."""
    spans = message.raw.media if message.raw is not None else ()
    own = [media.digest for media in media_of(message) if media.digest]
    return list(dict.fromkeys([*own, *(span.digest for span in spans)]))


def media_of(message: Message) -> Iterator[Media]:
    """Every media item of a message, those inside tool results too."""
    for part in message.parts:
        if isinstance(part, Media):
            yield part
        elif isinstance(part, ToolResult):
            yield from (inner for inner in part.parts if isinstance(inner, Media))

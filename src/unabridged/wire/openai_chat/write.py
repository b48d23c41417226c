"""Writing OpenAI chat messages from their parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from unabridged.message import (
    Media,
    MediaKind,
    Message,
    Opaque,
    Origin,
    Part,
    Reasoning,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from unabridged.wire.content import shaped
from unabridged.wire.json_text import JsonNode, list_of, object_of, quote
from unabridged.wire.patching import Patch
from unabridged.wire.splicing import blob_of, encoded
from unabridged.wire.stand_in import link_of, stand_in

NAME = "openai_chat"

_AUDIO_FORMATS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


class ChatBlocks:
    """Writes the content blocks of one message, and changes them in its raw form."""

    def __init__(self, message: Message, media: Mapping[str, bytes]) -> None:
        self._message = message
        self._media = media
        self._foreign = message.raw is not None and message.raw.dialect != NAME

    def build(self, part: Part) -> str:
        """Write a part as a new block of a user message."""
        source = self._media_block(part) if isinstance(part, Media) else None
        return source or self.build_text(part)

    def build_text(self, part: Part) -> str:
        """Write a part as a new block where only text may stand: with any role but `user`."""
        if isinstance(part, Opaque) and not self._foreign:
            return part.data
        return object_of(type='"text"', text=quote(stand_in(part).text))

    def patches(self, block: JsonNode, was: Part, now: Part) -> list[Patch] | None:
        """Change a block inside, or give None where it has to be written anew."""
        if not (isinstance(was, Text) and isinstance(now, Text)):
            return None
        if isinstance(block.value, str):
            return [block.replaced(quote(now.text))]
        return block.with_string("refusal" if block.string("type") == "refusal" else "text", was.text, now.text)

    def thoughts(self) -> str:
        """Give the thoughts to be sent: none that another provider's model had, none whose signature has no place."""
        if self._foreign:
            return ""
        return "\n".join(
            part.text for part in self._message.parts if isinstance(part, Reasoning) and not part.signature
        )

    def _media_block(self, media: Media) -> str | None:
        """Write media; None for what this provider does not take."""
        link = link_of(media)
        if media.kind is MediaKind.IMAGE and (link or media.digest):
            url = quote(link or self._data_url(media))
            return object_of(type='"image_url"', image_url=object_of(url=url))
        if media.kind is MediaKind.AUDIO and media.digest and media.mime in _AUDIO_FORMATS:
            audio = object_of(data=quote(self._base64(media)), format=quote(_AUDIO_FORMATS[media.mime]))
            return object_of(type='"input_audio"', input_audio=audio)
        if media.kind is MediaKind.DOCUMENT and media.digest:
            name = "document." + (media.mime.rpartition("/")[2] or "bin")
            file = object_of(filename=quote(name), file_data=quote(self._data_url(media)))
            return object_of(type='"file"', file=file)
        if media.kind is MediaKind.DOCUMENT and media.url and not link and not self._foreign:
            return object_of(type='"file"', file=object_of(file_id=quote(media.url)))
        return None

    def _data_url(self, media: Media) -> str:
        return f"data:{media.mime};base64,{self._base64(media)}"

    def _base64(self, media: Media) -> str:
        return encoded(blob_of(media.digest or "", self._media, self._message.id))


class Written(NamedTuple):
    """One message as this provider wants it: a message for each result, and one for everything else, if any."""

    results: tuple[str, ...]
    rest: str | None


def written(message: Message, media: Mapping[str, bytes]) -> Written:
    """Write a message from its parts. Media that come with a result follow as the user's: results hold text only."""
    blocks = ChatBlocks(message, media)
    role = Role.USER if message.origin is Origin.MARKER else message.role
    if role is Role.ASSISTANT:
        return Written((), _assistant(message, blocks))
    results = message.results
    rest: list[Part] = [part for result in results for part in result.parts if isinstance(part, Media)]
    rest += [part for part in message.parts if not isinstance(part, ToolResult | Reasoning)]
    texts = tuple(_result(result, blocks) for result in results)
    if results and not rest:
        return Written(texts, None)
    if role is Role.SYSTEM:
        return Written(texts, _spoken(message, "system", shaped(rest, blocks.build_text)))
    return Written(texts, _spoken(message, "user", shaped(rest, blocks.build)))


def _spoken(message: Message, role: str, content: str, **more: str) -> str:
    name = {"name": quote(message.name)} if message.name else {}
    return object_of(role=quote(role), **name, content=content, **more)


def _result(result: ToolResult, blocks: ChatBlocks) -> str:
    content = shaped(result.parts, blocks.build_text)
    return object_of(role='"tool"', tool_call_id=quote(result.call_id), content=content)


def _assistant(message: Message, blocks: ChatBlocks) -> str:
    more: dict[str, str] = {}
    if thoughts := blocks.thoughts():
        more["reasoning_content"] = quote(thoughts)
    if message.calls:
        more["tool_calls"] = list_of(map(_call, message.calls))
    content = [part for part in message.parts if not isinstance(part, Reasoning | ToolCall)]
    nothing = "null" if message.calls else '""'
    return _spoken(message, "assistant", shaped(content, blocks.build_text, nothing), **more)


def _call(call: ToolCall) -> str:
    if call.custom:
        custom = object_of(name=quote(call.name), input=quote(call.arguments))
        return object_of(id=quote(call.id), type='"custom"', custom=custom)
    function = object_of(name=quote(call.name), arguments=quote(call.arguments or "{}"))
    return object_of(id=quote(call.id), type='"function"', function=function)

"""Writing Responses items from the parts of a message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from unabridged.wire.asked import Asked
from unabridged.wire.content import shaped
from unabridged.wire.json_text import JsonNode, object_of, quote
from unabridged.wire.openai_responses.places import CALLS, OUTPUTS
from unabridged.wire.patching import Patch
from unabridged.wire.splicing import blob_of, encoded
from unabridged.wire.stand_in import link_of, stand_in

NAME = "openai_responses"


class ItemBlocks:
    """Writes the content blocks of one message's items, and changes them in its raw form."""

    def __init__(self, message: Message, media: Mapping[str, bytes]) -> None:
        self._message = message
        self._media = media
        self._foreign = message.raw is not None and message.raw.dialect != NAME
        self._said = message.role is Role.ASSISTANT and message.origin is not Origin.MARKER

    def build(self, part: Part) -> str:
        """Write a part as a new block of what goes in; what the model said is text alone."""
        if isinstance(part, Opaque) and not self._foreign:
            return part.data
        if self._said:
            return object_of(type='"output_text"', text=quote(stand_in(part).text), annotations="[]")
        source = self._media_block(part) if isinstance(part, Media) else None
        return source or object_of(type='"input_text"', text=quote(stand_in(part).text))

    def build_text(self, part: Part) -> str:
        """Write a part as a new block where only text may stand."""
        return self.build(part if isinstance(part, Opaque) else stand_in(part))

    def patches(self, block: JsonNode, was: Part, now: Part) -> list[Patch] | None:
        """Change a block inside, or give None where it has to be written anew."""
        if not (isinstance(was, Text) and isinstance(now, Text)):
            return None
        if isinstance(block.value, str):
            return [block.replaced(quote(now.text))]
        return block.with_string("refusal" if block.string("type") == "refusal" else "text", was.text, now.text)

    def said(self, part: Part) -> str:
        """Write a part of an answer as an item."""
        if isinstance(part, ToolCall):
            return _call(part)
        if isinstance(part, Opaque) and not self._foreign:
            return part.data
        return object_of(role='"assistant"', content=quote(stand_in(part).text))

    def _media_block(self, media: Media) -> str | None:
        """Write media; None for what this provider does not take."""
        link = link_of(media)
        kept = media.url if not self._foreign and not link else None
        match media.kind:
            case MediaKind.IMAGE if link or media.digest:
                url = quote(link or self._data_url(media))
                return object_of(type='"input_image"', detail='"auto"', image_url=url)
            case MediaKind.IMAGE if kept:
                return object_of(type='"input_image"', detail='"auto"', file_id=quote(kept))
            case MediaKind.DOCUMENT if media.digest:
                name = "document." + (media.mime.rpartition("/")[2] or "bin")
                return object_of(type='"input_file"', filename=quote(name), file_data=quote(self._data_url(media)))
            case MediaKind.DOCUMENT if link:
                return object_of(type='"input_file"', file_url=quote(link))
            case MediaKind.DOCUMENT if kept:
                return object_of(type='"input_file"', file_id=quote(kept))
            case _:
                return None

    def _data_url(self, media: Media) -> str:
        return f"data:{media.mime};base64,{encoded(blob_of(media.digest or '', self._media, self._message.id))}"


class Written(NamedTuple):
    """One message as items: those of the results that it brings, and those of everything else."""

    results: Sequence[str]
    rest: Sequence[str]


def written(message: Message, media: Mapping[str, bytes], asked: Asked) -> Written:
    """Write a message from its parts. Thoughts are never among them: the service takes only its own."""
    blocks = ItemBlocks(message, media)
    role = Role.USER if message.origin is Origin.MARKER else message.role
    parts = [part for part in message.parts if not isinstance(part, Reasoning)]
    if role is Role.ASSISTANT:
        return Written((), [blocks.said(part) for part in parts if part != Text("")])
    results = [_output(part, blocks, asked) for part in parts if isinstance(part, ToolResult)]
    rest = [part for part in parts if not isinstance(part, ToolResult)]
    if results and not rest:
        return Written(results, ())
    if role is Role.SYSTEM:
        return Written(results, [_spoken("system", shaped(rest, blocks.build_text))])
    return Written(results, [_spoken("user", shaped(rest, blocks.build))])


def _spoken(role: str, content: str) -> str:
    return object_of(role=quote(role), content=content)


def _call(call: ToolCall) -> str:
    kind = "custom_tool_call" if call.custom else "function_call"
    text = call.arguments if call.custom else call.arguments or "{}"
    members = {"type": quote(kind), "call_id": quote(call.id), "name": quote(call.name), CALLS[kind]: quote(text)}
    return object_of(**members)


def _output(result: ToolResult, blocks: ItemBlocks, asked: Asked) -> str:
    call = asked.answered(result.call_id)
    kind = OUTPUTS["custom_tool_call" if call is not None and call.custom else "function_call"]
    return object_of(type=quote(kind), call_id=quote(result.call_id), output=shaped(result.parts, blocks.build))

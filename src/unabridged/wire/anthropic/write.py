"""Writing and changing Anthropic messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from unabridged.errors import BadInput
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
from unabridged.wire import content
from unabridged.wire.call_input import input_of
from unabridged.wire.json_text import JsonNode, object_of, quote
from unabridged.wire.patching import Patch
from unabridged.wire.splicing import blob_of, encoded
from unabridged.wire.stand_in import link_of, stand_in

NAME = "anthropic"

_ROLES = {Role.SYSTEM: "system", Role.ASSISTANT: "assistant"}
_INLINE = {
    (MediaKind.IMAGE, "image/jpeg"): "image/jpeg",
    (MediaKind.IMAGE, "image/jpg"): "image/jpeg",
    (MediaKind.IMAGE, "image/png"): "image/png",
    (MediaKind.IMAGE, "image/gif"): "image/gif",
    (MediaKind.IMAGE, "image/webp"): "image/webp",
    (MediaKind.DOCUMENT, "application/pdf"): "application/pdf",
}
"""What may be sent as base64, and the name that the provider has for its type."""


class AnthropicBlocks:
    """Writes the blocks of one message, and changes them in its raw form."""

    def __init__(self, message: Message, media: Mapping[str, bytes]) -> None:
        self._message = message
        self._media = media
        self._foreign = message.raw is not None and message.raw.dialect != NAME

    def holds(self, part: Part) -> bool:
        """Tell whether a part has a place here: thoughts only in an answer, with a signature of this provider."""
        if not isinstance(part, Reasoning):
            return True
        return part.signature is not None and self._message.role is Role.ASSISTANT and not self._foreign

    def build(self, part: Part) -> str:
        """Write a part as a new block."""
        match part:
            case Text():
                return object_of(type='"text"', text=quote(part.text))
            case Media():
                return self._media_block(part)
            case ToolCall():
                return object_of(type='"tool_use"', id=quote(part.id), name=quote(part.name), input=input_of(part))
            case ToolResult():
                return self._result_block(part)
            case Opaque():
                return self.build(stand_in(part)) if self._foreign else part.data
            case Reasoning(redacted=True):
                return object_of(type='"redacted_thinking"', data=quote(part.signature or ""))
            case Reasoning():
                signature = quote(part.signature or "")
                return object_of(type='"thinking"', thinking=quote(part.text), signature=signature)

    def patches(self, block: JsonNode, was: Part, now: Part) -> list[Patch] | None:
        """Change a block inside, or give None where it has to be written anew."""
        match was, now:
            case Text(), Text():
                return block.with_string("text", was.text, now.text)
            case ToolCall(), ToolCall():
                return [
                    *block.with_string("id", was.id, now.id),
                    *block.with_string("name", was.name, now.name),
                    *([] if was.arguments == now.arguments else [block.with_member("input", self._json(now))]),
                ]
            case ToolResult(), ToolResult():
                error = "true" if now.is_error else "false"
                return [
                    *block.with_string("tool_use_id", was.call_id, now.call_id),
                    *([] if was.is_error == now.is_error else [block.with_member("is_error", error)]),
                    *content.rewritten(block, was.parts, now.parts, self),
                ]
            case _:
                return None

    def _json(self, call: ToolCall) -> str:
        return JsonNode.parse(call.arguments, f"the arguments of call {call.id} of message {self._message.id}").source

    def _result_block(self, result: ToolResult) -> str:
        members = {"type": '"tool_result"', "tool_use_id": quote(result.call_id)}
        if result.parts:
            members["content"] = content.shaped(result.parts, self.build)
        if result.is_error:
            members["is_error"] = "true"
        return object_of(**members)

    def _media_block(self, media: Media) -> str:
        source = self._source(media)
        if source is None:
            return self.build(stand_in(media))
        kind = "image" if media.kind is MediaKind.IMAGE else "document"
        return object_of(type=f'"{kind}"', source=source)

    def _source(self, media: Media) -> str | None:
        """Write where a picture or a document comes from; None for what this provider does not take, or not here."""
        if media.kind not in (MediaKind.IMAGE, MediaKind.DOCUMENT) or self._message.role is Role.ASSISTANT:
            return None
        if media.digest is not None:
            return self._inline_source(media, media.digest)
        if link := link_of(media):
            return object_of(type='"url"', url=quote(link))
        if media.url and not self._foreign and not media.url.startswith("data:"):
            return object_of(type='"file"', file_id=quote(media.url))
        return None

    def _inline_source(self, media: Media, digest: str) -> str | None:
        blob = blob_of(digest, self._media, self._message.id)
        if media.kind is MediaKind.DOCUMENT and media.mime.startswith("text/"):
            text = blob.decode("utf-8", "replace")
            return object_of(type='"text"', media_type='"text/plain"', data=quote(text))
        mime = _INLINE.get((media.kind, media.mime))
        if mime is None:
            return None
        return object_of(type='"base64"', media_type=quote(mime), data=quote(encoded(blob)))


def message_text(message: Message, media: Mapping[str, bytes]) -> str:
    """Write a message from its parts. Raises `BadInput` where nothing of it has a place here."""
    blocks = AnthropicBlocks(message, media)
    parts = [part for part in message.parts if blocks.holds(part)]
    if not parts:
        raise BadInput(f"message {message.id} has nothing that an Anthropic message can hold: leave it out")
    parts.sort(key=lambda part: not isinstance(part, ToolResult))
    role = "user" if message.origin is Origin.MARKER else _ROLES.get(message.role, "user")
    return object_of(role=f'"{role}"', content=content.shaped(parts, blocks.build))


def patches_of(node: JsonNode, message: Message, parts: Sequence[Part | None]) -> list[Patch]:
    """Change a message in its own form. Raises `BadInput` where nothing of it would be left."""
    if all(part is None for part in parts):
        raise BadInput(f"nothing would be left of message {message.id}, which Anthropic refuses: leave it out whole")
    return content.replaced(node, message.parts, parts, AnthropicBlocks(message, {}))

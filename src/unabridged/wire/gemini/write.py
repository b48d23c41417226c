"""Writing Gemini contents from the parts of a message."""

from __future__ import annotations

import re
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
from unabridged.wire.asked import Asked
from unabridged.wire.call_input import input_of
from unabridged.wire.gemini.places import SIGNATURE, SKIP
from unabridged.wire.gemini.response import response_of
from unabridged.wire.json_text import list_of, object_of, quote
from unabridged.wire.splicing import blob_of, encoded
from unabridged.wire.stand_in import link_of, stand_in

NAME = "gemini"

_UNKNOWN = "unknown"
"""The name of a function that nothing names any more."""
_MIMES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "mp4": "video/mp4",
}
"""Types by the endings of addresses: one of the provider's services refuses an address without."""
_USUAL = {MediaKind.IMAGE: "image/jpeg", MediaKind.DOCUMENT: "application/pdf", MediaKind.AUDIO: "audio/mpeg"}
"""Types for addresses whose ending says nothing. A video's may go without: so do those of YouTube."""


class Parts:
    """Writes the parts of one message."""

    def __init__(self, message: Message, media: Mapping[str, bytes]) -> None:
        self._message = message
        self._media = media
        self._foreign = message.raw is not None and message.raw.dialect != NAME
        self._signs = True

    def build(self, part: Part) -> str:
        """Write a part of a turn; results, which need to know what they answer, are written by `result`."""
        match part:
            case ToolCall():
                return self._call(part)
            case Opaque() if not self._foreign:
                return part.data
            case Media():
                return self._media_part(part) or object_of(text=quote(stand_in(part).text))
            case _:
                return object_of(text=quote(stand_in(part).text))

    def result(self, result: ToolResult, call: ToolCall | None) -> str:
        """Write a result. Media that came with it stand in the turn behind, for not every model takes them here."""
        name = _UNKNOWN if call is None else call.name
        id = {} if call is not None and result.call_id == call.name else {"id": quote(result.call_id)}
        texts = [stand_in(piece).text for piece in result.parts]
        response = response_of([text for text in texts if text], failed=result.is_error)
        return object_of(functionResponse=object_of(**id, name=quote(name), response=response))

    def _call(self, call: ToolCall) -> str:
        id = {} if call.id == call.name else {"id": quote(call.id)}
        written = object_of(functionCall=object_of(**id, name=quote(call.name), args=input_of(call)))
        if not self._signs:
            return written
        self._signs = False  # of the calls of one turn the first carries the signature
        return written[:-1] + f',"{SIGNATURE}":"{SKIP}"}}'

    def _media_part(self, media: Media) -> str | None:
        """Write media; None for what this provider does not take."""
        if link := link_of(media):
            ending = re.split("[?#]", link, maxsplit=1)[0].rpartition(".")[2].lower()
            mime = media.mime or _MIMES.get(ending) or _USUAL.get(media.kind)
            typed = {"mimeType": quote(mime)} if mime else {}
            return object_of(fileData=object_of(fileUri=quote(link), **typed))
        if media.digest is None or not media.mime:
            return None
        data = encoded(blob_of(media.digest, self._media, self._message.id))
        return object_of(inlineData=object_of(mimeType=quote(media.mime), data=quote(data)))


class Written(NamedTuple):
    """One message as contents: one of the results that it brings, and one of everything else, if any."""

    results: str | None
    rest: str | None


def written(message: Message, media: Mapping[str, bytes], asked: Asked) -> Written:
    """Write a message from its parts. Thoughts are never among them: they are nothing without their signatures."""
    parts = Parts(message, media)
    is_model = message.role is Role.ASSISTANT and message.origin is not Origin.MARKER
    results = [parts.result(part, asked.answered(part.call_id)) for part in message.results]
    rest: list[Part] = [piece for part in message.results for piece in part.parts if isinstance(piece, Media)]
    rest += [part for part in message.parts if not isinstance(part, ToolResult | Reasoning) and part != Text("")]
    if not rest and not results and not is_model:
        rest = [Text("")]
    role = "model" if is_model else "user"
    return Written(
        content_of("user", results) if results else None,
        content_of(role, [parts.build(part) for part in rest]) if rest else None,
    )


def content_of(role: str, parts: list[str]) -> str:
    """Write a content of parts that are written already."""
    return object_of(role=quote(role), parts=list_of(parts))

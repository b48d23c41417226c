"""Reading the blocks of an OpenAI chat message's content.

A block of a kind that is not listed here, or that lacks what its kind needs, is an `Opaque`.
"""

from __future__ import annotations

from unabridged.message import Media, MediaKind, Opaque, Text
from unabridged.wire.data_url import media_at
from unabridged.wire.json_text import JsonNode
from unabridged.wire.splicing import Intake

_URL_KINDS = {"image_url": MediaKind.IMAGE, "video_url": MediaKind.VIDEO, "audio_url": MediaKind.AUDIO}
_AUDIO_MIMES = {"mp3": "audio/mpeg"}


def read_block(block: JsonNode, intake: Intake) -> Text | Media | Opaque:
    """Read one block of a message's content."""
    if isinstance(block.value, str):
        return Text(block.value)  # the whole content, or a bare string in the list, as some other servers take it
    kind = block.string("type")
    match block.value:
        case {"type": "text", "text": str(text)} | {"type": "refusal", "refusal": str(text)}:
            return Text(text)
        case {"type": "image_url" | "video_url" | "audio_url"}:
            media = _linked(block, kind, intake)
        case {"type": "input_audio", "input_audio": {"data": str()}}:
            media = _audio(block, intake)
        case {"type": "file", "file": {}}:
            media = _file(block, intake)
        case _:
            media = None
    return media or Opaque(kind, block.source)


def _linked(block: JsonNode, kind: str, intake: Intake) -> Media | None:
    link = block.get(kind)
    if link is not None and not isinstance(link.value, str):
        link = link.get("url")
    if link is None or not isinstance(link.value, str):
        return None
    return media_at(_URL_KINDS[kind], link, link.value, intake)


def _audio(block: JsonNode, intake: Intake) -> Media | None:
    audio = block.get("input_audio")
    data = audio.get("data") if audio is not None else None
    if audio is None or data is None:
        return None
    text, kind = audio.string("data"), audio.string("format")
    if text.startswith("data:") or "://" in text:
        return media_at(MediaKind.AUDIO, data, text, intake)
    payload = intake.take(data, text)
    mime = _AUDIO_MIMES.get(kind, f"audio/{kind}" if kind else "")
    return Media(kind=MediaKind.AUDIO, mime=mime, digest=payload.digest, size=payload.size)


def _file(block: JsonNode, intake: Intake) -> Media | None:
    file = block.get("file")
    if file is None:
        return None
    data = file.get("file_data")
    if data is None:
        return Media(kind=MediaKind.DOCUMENT, url=file.string("file_id")) if file.string("file_id") else None
    text = file.string("file_data")
    if text.startswith("data:"):
        return media_at(MediaKind.DOCUMENT, data, text, intake)
    payload = intake.take(data, text)
    return Media(kind=MediaKind.DOCUMENT, digest=payload.digest, size=payload.size)

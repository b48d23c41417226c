"""Reading the content blocks of Responses items.

A block of a kind that is not listed here, or that lacks what its kind needs, is an `Opaque`.
"""

from __future__ import annotations

from unabridged.message import Media, MediaKind, Opaque, Text
from unabridged.wire.data_url import media_at
from unabridged.wire.json_text import JsonNode
from unabridged.wire.splicing import Intake

_AUDIO_MIMES = {"mp3": "audio/mpeg"}


def read_block(block: JsonNode, intake: Intake) -> Text | Media | Opaque:
    """Read one block of a message's content or of a call's output."""
    kind = block.string("type")
    match block.value:
        case str(text) | {"type": "input_text" | "output_text" | "text", "text": str(text)}:
            return Text(text)
        case {"type": "refusal", "refusal": str(text)}:
            return Text(text)
        case {"type": "input_image"}:
            media = _held(MediaKind.IMAGE, block, intake, ("image_url",))
        case {"type": "input_file"}:
            media = _held(MediaKind.DOCUMENT, block, intake, ("file_data", "file_url"))
        case {"type": "input_audio", "input_audio": {"data": str(data)}}:
            media = _audio(block.member("input_audio"), data, intake)
        case _:
            media = None
    return media or Opaque(kind, block.source)


def _held(kind: MediaKind, block: JsonNode, intake: Intake, members: tuple[str, ...]) -> Media | None:
    """Read media from the first member that holds them, else from the id of a file that the provider keeps."""
    for member in members:
        text = block.string(member)
        if not text:
            continue
        if member == "file_data" and not text.startswith("data:"):
            payload = intake.take(block.member(member), text)
            return Media(kind=kind, digest=payload.digest, size=payload.size)
        return media_at(kind, block.member(member), text, intake)
    return Media(kind=kind, url=block.string("file_id")) if block.string("file_id") else None


def _audio(audio: JsonNode, data: str, intake: Intake) -> Media:
    payload = intake.take(audio.member("data"), data)
    form = audio.string("format")
    mime = _AUDIO_MIMES.get(form, f"audio/{form}" if form else "")
    return Media(kind=MediaKind.AUDIO, mime=mime, digest=payload.digest, size=payload.size)

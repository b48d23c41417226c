"""Bytes become a `Media` value: what they are, how large, and what a request pays for them."""

from __future__ import annotations

from hashlib import sha256

from unabridged.errors import BadInput
from unabridged.message import Media, MediaKind
from unabridged.server.media.kinds import TAKEN, FileKind, is_whole, kind_of
from unabridged.server.models import ModelShelf
from unabridged.server.problems import ApiError
from unabridged.server.settings import ProjectSettings
from unabridged.tokens.headers import pdf_pages, picture_size, recording_seconds
from unabridged.tokens.media import media_tokens


def media_of_bytes(data: bytes) -> Media:
    """Read what a file is. Raises `ApiError` 415 for what is not taken, and 422 for a picture that is cut off."""
    kind = kind_of(data)
    if kind is None:
        raise ApiError(415, "unsupported_media", f"this is none of the files that are taken: {TAKEN}")
    media = _read(data, kind)
    if not is_whole(data, kind) or (kind.kind is MediaKind.IMAGE and media.width is None):
        raise ApiError(422, "bad_media", f"this {kind.ending.upper()} is damaged or cut off: send the whole file")
    return media


def _read(data: bytes, kind: FileKind) -> Media:
    # By what the file is, not by whatever else can be found in it: a picture with a PDF inside is still a picture.
    width, height = (picture_size(data) or (None, None)) if kind.kind is MediaKind.IMAGE else (None, None)
    recording = kind.kind in (MediaKind.AUDIO, MediaKind.VIDEO)
    return Media(
        kind=kind.kind,
        mime=kind.mime,
        digest=sha256(data).hexdigest(),
        size=len(data),
        width=width,
        height=height,
        pages=pdf_pages(data) if kind.kind is MediaKind.DOCUMENT else None,
        seconds=recording_seconds(data) if recording else None,
    )


def tokens_of(media: Media, models: ModelShelf, settings: ProjectSettings) -> int:
    """Give what media cost in a request to the project's model; by the usual rule where it has none that can be had."""
    try:
        dialect = models.chosen(settings, None).model.dialect
    except BadInput:
        dialect = ""
    return media_tokens(media, dialect)

"""What the providers take of media in one request, as their documentation says it.

| | Anthropic | OpenAI | Gemini |
|---|--:|--:|--:|
| a picture, bytes of its base64 text | 5 MiB | - | - |
| its longest side, pixels | 8,000 | - | - |
| pictures in a request | 100 | 500 | 3,000 |
| a PDF, bytes | - | 50 MB | 50 MB |
| its pages | 100; 600 from a window of 500,000 | - | 1,000 |
| all of a message's media, bytes | 32 MB base64 | 50 MB | 100 MB base64 |

Sources: Anthropic, "Images and vision" (general limits) and "PDF support"; the 5 MiB are of the base64 text, as its
refusals say (`image exceeds 5 MB maximum: 6275800 bytes > 5242880 bytes`, lobehub/lobehub pull request 14711). OpenAI,
"Images and vision" (image input requirements) and "File inputs". Google, "File input methods" and "Document
understanding" of the Gemini API; 3,000 pictures is the smallest number that its pages give for the models of today.

Servers that speak OpenAI's dialect may take less: what they refuse, they say. What earlier turns left in a request is
kept within a provider's limits by `repair/media.py`, with markers; here a message is refused before it is stored.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.message import Media, MediaKind, Message, Role
from unabridged.server.models import Served
from unabridged.server.problems import ApiError
from unabridged.tokens.media import provider_of
from unabridged.wire.crossing import crossed

MEGABYTE = 1_000_000
LARGE_WINDOW = 500_000


class ProviderLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Of one provider. None: it documents no limit of its own."""

    picture_base64: int | None = None
    side: int | None = None
    pictures: int = 500
    pdf_bytes: int | None = None
    pages: int | None = None
    pages_large: int | None = None
    """With a large window."""
    all_bytes: int = 50 * MEGABYTE


LIMITS = {
    "anthropic": ProviderLimits(
        picture_base64=5 * 1024 * 1024,
        side=8_000,
        pictures=100,
        pages=100,
        pages_large=600,
        all_bytes=24 * MEGABYTE,  # 32 MB as base64, and a third of that is its overhead
    ),
    "openai": ProviderLimits(pdf_bytes=50 * MEGABYTE),
    "gemini": ProviderLimits(pictures=3_000, pdf_bytes=50 * MEGABYTE, pages=1_000, all_bytes=75 * MEGABYTE),
    "": ProviderLimits(),
}


def check_media(media: Sequence[Media], served: Served) -> None:
    """Refuse media that the model's provider will not take. Raises `ApiError` 422 with the remedy."""
    limits = LIMITS[provider_of(served.model.dialect)]
    for each in media:
        _check_kind(each, served)
        _check_size(each, limits, served)
    pictures = sum(each.kind is MediaKind.IMAGE for each in media)
    if pictures > limits.pictures:
        raise too_large(f"{pictures:,} pictures: {served.name} takes {limits.pictures:,} in a message. Send fewer")
    size = sum(each.size or 0 for each in media)
    if size > limits.all_bytes:
        raise too_large(
            f"{size:,} bytes of media: {served.name} takes {limits.all_bytes:,} in a message. Send fewer, or smaller"
        )


def too_large(said: str) -> ApiError:
    """Give the refusal of what is too large."""
    return ApiError(422, "media_too_large", said)


def _check_kind(media: Media, served: Served) -> None:
    # The registry tells of pictures alone. Whether a model hears is left to its provider; documents and videos are
    # shown to a model as pictures.
    if not served.sees and media.kind is not MediaKind.AUDIO:
        said = f"the model {served.name} takes no pictures, documents or videos: choose another one, or send text"
        raise ApiError(422, "no_vision", said)
    message = Message(id="", role=Role.USER, parts=(media,))
    if crossed(message, served.model.dialect) != message.parts:
        said = f"{media.mime} is not taken by the API of the model {served.name}: convert it, or choose another model"
        raise ApiError(422, "media_not_taken", said)


def _check_size(media: Media, limits: ProviderLimits, served: Served) -> None:
    size = media.size or 0
    if media.kind is MediaKind.IMAGE:
        side, encoded = max(media.width or 0, media.height or 0), (size + 2) // 3 * 4
        if limits.side is not None and side > limits.side:
            raise too_large(f"a picture of {side:,} pixels: {served.name} takes {limits.side:,} a side. Scale it down")
        if limits.picture_base64 is not None and encoded > limits.picture_base64:
            most = limits.picture_base64 // 4 * 3
            raise too_large(f"a picture of {size:,} bytes: {served.name} takes {most:,}. Scale it down, or compress it")
    if media.kind is MediaKind.DOCUMENT:
        pages = limits.pages_large if limits.pages_large and served.window >= LARGE_WINDOW else limits.pages
        if pages is not None and (media.pages or 0) > pages:
            raise too_large(
                f"a PDF of {media.pages:,} pages: {served.name} takes {pages:,}. Send the part that matters"
            )
        if limits.pdf_bytes is not None and size > limits.pdf_bytes:
            raise too_large(f"a PDF of {size:,} bytes: {served.name} takes {limits.pdf_bytes:,}. Send a part of it")

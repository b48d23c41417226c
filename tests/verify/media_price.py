"""What pictures, documents and recordings of a request body cost, as the bytes in it say."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from unabridged.message import Media, MediaKind
from unabridged.tokens.media import describe, media_tokens

SOURCES = ("source", "image_url", "file", "input_audio", "inlineData", "inline_data", "fileData", "file_data")
"""Members of a block that say where media come from."""
KINDS = {
    **dict.fromkeys(("image", "image_url", "input_image", "computer_screenshot"), MediaKind.IMAGE),
    **dict.fromkeys(("document", "file", "input_file"), MediaKind.DOCUMENT),
    **dict.fromkeys(("input_audio", "audio"), MediaKind.AUDIO),
    "video": MediaKind.VIDEO,
}
"""By the first half of a media type, or by the type of a block."""
URL_SAFE = str.maketrans("+/", "-_")


class MediaPrice:
    """Prices the media of one dialect; what was seen once is not decoded again."""

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._known: dict[tuple[MediaKind, int], int] = {}

    def __call__(self, block: Mapping[str, Any]) -> int:
        """Give the tokens of a block that holds media."""
        given: Any = next((block[name] for name in SOURCES if block.get(name)), block)
        source: dict[str, Any] = given if isinstance(given, dict) else {"url": given}
        data = str(source.get("data") or source.get("url") or source.get("file_data") or "")
        declared = source.get("media_type") or source.get("mimeType") or source.get("mime_type")
        mime = str(declared or (data[5 : data.find(";")] if data.startswith("data:") else ""))
        kind = KINDS.get(mime.partition("/")[0]) or KINDS.get(str(block.get("type"))) or MediaKind.DOCUMENT
        key = kind, hash(data)
        if key not in self._known:
            described = _described(kind, data.split("base64,")[-1], mime)
            self._known[key] = media_tokens(described, self._dialect)
        return self._known[key]


def _described(kind: MediaKind, data: str, mime: str) -> Media:
    try:
        decoded = base64.urlsafe_b64decode(data.translate(URL_SAFE) + "=" * (-len(data) % 4))
    except (binascii.Error, ValueError):
        return Media(kind=kind, mime=mime)
    facts = describe(decoded, mime)
    return Media(
        kind=kind,
        mime=mime,
        size=len(decoded),
        width=facts.width,
        height=facts.height,
        pages=facts.pages,
        seconds=facts.seconds,
    )

"""Media given as a URL: an address on the web, or the bytes themselves as a `data:` URL (RFC 2397)."""

from __future__ import annotations

from unabridged.message import Media, MediaKind
from unabridged.wire.json_text import JsonNode
from unabridged.wire.splicing import Intake

_KINDS = {
    "image": MediaKind.IMAGE,
    "audio": MediaKind.AUDIO,
    "video": MediaKind.VIDEO,
    "application": MediaKind.DOCUMENT,
    "text": MediaKind.DOCUMENT,
}


def kind_of_mime(mime: str, otherwise: MediaKind) -> MediaKind:
    """Tell what a media type is; `otherwise` where it does not say."""
    return _KINDS.get(mime.partition("/")[0], otherwise)


def media_at(kind: MediaKind, node: JsonNode, url: str, intake: Intake) -> Media:
    """Read media from the URL that is the string `node`. What a `data:` URL says of itself counts more than `kind`."""
    if not url.startswith("data:"):
        return Media(kind=kind, url=url or None)
    header, _, data = url.partition(",")
    mime = header.removeprefix("data:").partition(";")[0]
    # Some gateways take any file as an image's URL.
    kind = kind_of_mime(mime, kind)
    if not header.endswith(";base64"):
        return Media(kind=kind, mime=mime)
    payload = intake.take(node, data)
    return Media(kind=kind, mime=mime, digest=payload.digest, size=payload.size)

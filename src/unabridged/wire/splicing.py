"""Media are taken out of a message's text and put back, and the rest of the text is patched, byte for byte.

Base64 is a third longer than what it stands for, and the same picture comes again with every request. So the long
ones leave `Raw.body`, and their bytes are kept once, under their digest. Only what encodes back to exactly the same
characters is taken out: padding left away, line breaks or the URL-safe alphabet stay where they are.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from unabridged.errors import BadInput
from unabridged.message import MediaSpan, Raw
from unabridged.wire.json_text import JsonNode
from unabridged.wire.patching import Patch, apply

MINIMUM = 256
"""Characters of base64 from which on it is taken out; below that a digest costs as much as it saves."""


class Payload(NamedTuple):
    """What is known of some base64: the digest and the number of the bytes it stands for, if it is base64 at all."""

    digest: str | None = None
    size: int | None = None


class Intake:
    """Collects the media of one message while it is read."""

    def __init__(self, *, take_out: bool = True) -> None:
        self.blobs: dict[str, bytes] = {}
        """Bytes by SHA-256 (hex), of the long and the short."""
        self._take_out = take_out
        self._found: list[tuple[int, int, str]] = []

    def take(self, node: JsonNode, data: str) -> Payload:
        """Note the base64 text `data`, which is the string `node` or its end. Texts come in the order they stand in."""
        blob = _decoded(data)
        if blob is None:
            return Payload()
        digest = hashlib.sha256(blob).hexdigest()
        self.blobs[digest] = blob
        if self._take_out and len(data) >= MINIMUM and encoded(blob) == data:
            end = node.span[1] - 1
            start = end - len(data)
            # Written with escapes, or right behind one, it is not these characters that would go back in.
            if node.text.startswith(data, start) and node.text[start - 1] in '",':
                self._found.append((start, end, digest))
        return Payload(digest, len(blob))

    def raw(self, dialect: str, text: str) -> Raw:
        """Give the raw form of the message whose text was read, with everything noted taken out."""
        if not self._found:
            return Raw(dialect, text)
        pieces, spans, at, removed = list[str](), list[MediaSpan](), 0, 0
        for start, end, digest in self._found:
            pieces.append(text[at:start])
            spans.append(MediaSpan(start - removed, digest))
            removed += end - start
            at = end
        pieces.append(text[at:])
        return Raw(dialect, "".join(pieces), tuple(spans))


def _decoded(data: str) -> bytes | None:
    """Decode base64 of any make: line breaks in it, no padding, the URL-safe alphabet."""
    if not data:
        return None
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:  # binascii.Error is one; so is a character outside ASCII
        pass
    plain = "".join(data.split()).rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except ValueError:
        return None


def blob_of(digest: str, media: Mapping[str, bytes], message_id: str) -> bytes:
    """Find the bytes of a media item. Raises `BadInput` where they were not passed."""
    blob = media.get(digest)
    if blob is None:
        raise BadInput(f"message {message_id} needs media {digest}, which was not passed: pass its bytes in `media`")
    return blob


def encoded(blob: bytes) -> str:
    """Give bytes as base64 text."""
    return binascii.b2a_base64(blob, newline=False).decode()


def splice(raw: Raw, media: Mapping[str, bytes], message_id: str) -> str:
    """Give the text of a message with its media back in place. Raises `BadInput` where the bytes are missing."""
    if not raw.media:
        return raw.body
    pieces, at = list[str](), 0
    for span in raw.media:
        pieces += raw.body[at : span.offset], encoded(blob_of(span.digest, media, message_id))
        at = span.offset
    pieces.append(raw.body[at:])
    return "".join(pieces)


def patched(raw: Raw, patches: Iterable[Patch]) -> Raw:
    """Give a raw form with patches applied to its body; media inside what was replaced are gone, others move along."""
    ordered = list(patches)
    spans = list[MediaSpan]()
    for span in raw.media:
        moved = span.offset
        for start, end, text in ordered:
            if start < span.offset < end:
                break
            if end <= span.offset:
                moved += len(text) - (end - start)
        else:
            spans.append(MediaSpan(moved, span.digest))
    return Raw(raw.dialect, apply(raw.body, ordered), tuple(spans))

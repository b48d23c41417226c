"""Width and height of a base64 image, read from its header alone."""

from __future__ import annotations

import binascii

_ENOUGH = 400_000
"""Characters of base64 to look at: a JPEG may carry some 64 KiB segments of metadata before its size."""
_START_OF_FRAME = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_WITHOUT_LENGTH = frozenset({0x01, *range(0xD0, 0xD9)})


def size_of(data: str) -> tuple[int, int] | None:
    """Give (width, height) in pixels of a PNG, GIF, WebP or JPEG; None where the header does not tell."""
    head = _decoded(data, 64)
    if head[:8] == b"\x89PNG\r\n\x1a\n":
        return _pair(head, 16, 4, "big")
    if head[:6] in (b"GIF87a", b"GIF89a"):
        return _pair(head, 6, 2, "little")
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return _webp(head)
    return _jpeg(_decoded(data, _ENOUGH)) if head[:2] == b"\xff\xd8" else None


def _decoded(data: str, characters: int) -> bytes:
    part = data[:characters]
    try:
        return binascii.a2b_base64(part[: len(part) - len(part) % 4])
    except ValueError:
        return b""


def _pair(data: bytes, offset: int, width: int, order: str) -> tuple[int, int] | None:
    if len(data) < offset + 2 * width:
        return None
    first, second = data[offset : offset + width], data[offset + width : offset + 2 * width]
    big = order == "big"
    return int.from_bytes(first, "big" if big else "little"), int.from_bytes(second, "big" if big else "little")


def _webp(head: bytes) -> tuple[int, int] | None:
    kind = head[12:16]
    if kind == b"VP8X" and len(head) >= 30:
        return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    if kind == b"VP8L" and len(head) >= 25:
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 " and len(head) >= 30:
        return int.from_bytes(head[26:28], "little") & 0x3FFF, int.from_bytes(head[28:30], "little") & 0x3FFF
    return None


def _jpeg(data: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _START_OF_FRAME:
            return int.from_bytes(data[at + 7 : at + 9], "big"), int.from_bytes(data[at + 5 : at + 7], "big")
        if marker == 0xFF:
            at += 1
        elif marker in _WITHOUT_LENGTH:
            at += 2
        else:
            at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    return None

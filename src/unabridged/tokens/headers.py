"""Reads the size of pictures and recordings from the head of their bytes, and counts the pages of a PDF.

Every reader takes the whole file, looks at a bounded part of it, and gives None for what it cannot find. None of them
raises `struct.error` or `IndexError` on a file that ends early: what is missing reads as zeros.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from itertools import islice
from typing import Literal

Size = tuple[int, int]
"""Width and height in pixels."""

_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers that open a frame: all of C0 to CF but Huffman tables, an extension and arithmetic conditioning."""
_LONE = frozenset({0x01, *range(0xD0, 0xD9)})
"""JPEG markers without a segment behind them."""
_BMP_HEADERS = frozenset({12, 40, 52, 56, 64, 108, 124})
"""Sizes of the headers that a BMP can have."""
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PACKED = re.compile(rb"/Type\s*/ObjStm.{0,400}?stream\r?\n", re.DOTALL)
PACKED_STREAMS = 4_000
PACKED_BYTES = 1 << 18
UNPACKED_BYTES = 1 << 24
"""How many object streams of one PDF are looked into, how much of each, and what they may unpack to altogether."""

_BITRATES = {
    1: (0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448),
    2: (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    4: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
"""Kilobits a second by table and index (ISO 11172-3): layers I, II and III of MPEG 1; all of MPEG 2 (near enough)."""


def picture_size(data: bytes) -> Size | None:
    """Give width and height of a PNG, JPEG, GIF, WebP or BMP, whatever its declared type."""
    for magic, read in _PICTURES.items():
        if data.startswith(magic):
            size = read(data)
            return size if size is not None and min(size) > 0 else None
    return None


def recording_seconds(data: bytes) -> float | None:
    """Give the length of a WAV, MP3, MP4, M4A or QuickTime file."""
    if data.startswith(b"RIFF") and data[8:12] == b"WAVE":
        return _wav(data)
    if data[4:8] == b"ftyp":
        return _mp4(data)
    if data.startswith(b"ID3") or _number(data, 0, 2) >= 0xFFE0:
        return _mp3(data)
    return None


def pdf_pages(data: bytes) -> int | None:
    """Count the page objects of a PDF, those in packed object streams too. None where none is to be seen."""
    pages = len(_PAGE.findall(data))
    left = UNPACKED_BYTES
    for packed in islice(_PACKED.finditer(data), PACKED_STREAMS):
        try:
            objects = zlib.decompressobj().decompress(data[packed.end() : packed.end() + PACKED_BYTES], left)
        except zlib.error:
            continue  # encrypted, or packed in another way
        pages += len(_PAGE.findall(objects))
        left -= len(objects)
        if left <= 0:
            break
    return pages or None


def _number(data: bytes, at: int, length: int, order: Literal["big", "little"] = "big") -> int:
    return int.from_bytes(data[at : at + length].ljust(length, b"\0"), order)


def _png(data: bytes) -> Size:
    return _number(data, 16, 4), _number(data, 20, 4)


def _gif(data: bytes) -> Size:
    return _number(data, 6, 2, "little"), _number(data, 8, 2, "little")


def _bmp(data: bytes) -> Size | None:
    header = _number(data, 14, 4, "little")
    if header not in _BMP_HEADERS:
        return None  # any text may begin with BM
    if header == 12:
        return _number(data, 18, 2, "little"), _number(data, 20, 2, "little")
    height = int.from_bytes(data[22:26], "little", signed=True)  # negative: stored from the top down
    return _number(data, 18, 4, "little"), abs(height)


def _webp(data: bytes) -> Size | None:
    if data[8:12] != b"WEBP":
        return None
    kind = data[12:16]
    if kind == b"VP8X":
        return _number(data, 24, 3, "little") + 1, _number(data, 27, 3, "little") + 1
    if kind == b"VP8L":
        bits = _number(data, 21, 4, "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    return _number(data, 26, 2, "little") & 0x3FFF, _number(data, 28, 2, "little") & 0x3FFF


def _jpeg(data: bytes) -> Size | None:
    at = 2
    while at + 4 <= len(data) and data[at] == 0xFF:
        marker = data[at + 1]
        if marker in _FRAMES:
            return _number(data, at + 7, 2), _number(data, at + 5, 2)
        if marker == 0xFF:  # filler
            at += 1
        elif marker in _LONE:
            at += 2
        else:
            at += 2 + max(2, _number(data, at + 2, 2))
    return None


_PICTURES: dict[bytes, Callable[[bytes], Size | None]] = {
    b"\x89PNG": _png,
    b"\xff\xd8": _jpeg,
    b"GIF8": _gif,
    b"RIFF": _webp,
    b"BM": _bmp,
}


def _wav(data: bytes) -> float | None:
    at, rate = 12, 0
    while at + 8 <= len(data):
        kind, size = data[at : at + 4], _number(data, at + 4, 4, "little")
        if kind == b"fmt ":
            rate = _number(data, at + 16, 4, "little")
        elif kind == b"data":
            # A stream that was written live declares no size, or a huge one.
            return min(size, len(data) - at - 8) / rate if rate else None
        at += 8 + size + size % 2
    return None


def _mp4(data: bytes) -> float | None:
    header = data.find(b"mvhd") + 4
    if header < 4:
        return None
    wide = data[header : header + 1] == b"\x01"
    scale = _number(data, header + (20 if wide else 12), 4)
    length = _number(data, header + (24 if wide else 16), 8 if wide else 4)
    return length / scale if scale and length else None


def _mp3(data: bytes) -> float | None:
    start = 0
    if data.startswith(b"ID3"):
        start = 10 + sum((byte & 0x7F) << shift for byte, shift in zip(data[6:10], (21, 14, 7, 0), strict=False))
    head = _number(data, start, 4)
    version, layer, index = head >> 19 & 3, 4 - (head >> 17 & 3), head >> 12 & 15
    if head >> 21 != 0x7FF or layer == 4 or not 0 < index < 15:
        return None
    kilobits = _BITRATES[layer if version == 3 else 4][index]
    return (len(data) - start) * 8 / (kilobits * 1000)

"""Real pictures, as small as can be: one colour, any size, a few hundred bytes."""

from __future__ import annotations

import base64
import struct
import zlib
from functools import cache

SIZES = ((16, 16), (640, 480), (1568, 1200), (2100, 300))
"""Width and height in pixels; the last is larger than a request with many pictures may carry."""


@cache
def png(width: int, height: int, shade: int) -> bytes:
    """Give a PNG of one grey."""
    rows = (b"\x00" + bytes([shade % 256]) * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")
    )


@cache
def png_base64(size: int, shade: int) -> str:
    """Give a PNG of one of the `SIZES` as base64 text."""
    return base64.b64encode(png(*SIZES[size], shade)).decode()


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

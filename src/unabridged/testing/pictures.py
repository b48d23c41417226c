"""Pictures for tests: real PNG files of one colour, as large as they say, and a few hundred bytes long."""

from __future__ import annotations

import functools
import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PALETTE = 3
"""Of the PNG colour types the one that needs a single bit for a pixel."""


@functools.lru_cache(maxsize=256)
def png(width: int, height: int, seed: str = "") -> bytes:
    """Give a PNG of this many pixels; another seed gives another colour and other bytes."""
    rows = (b"\x00" + bytes((width + 7) // 8)) * height
    header = struct.pack(">IIBBBBB", width, height, 1, _PALETTE, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"PLTE", zlib.crc32(seed.encode("utf-8", "replace")).to_bytes(4, "big")[:3]),
        (b"tEXt", b"Comment\x00" + seed.encode("ascii", "backslashreplace")),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    )
    return _SIGNATURE + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

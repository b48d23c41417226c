"""Small media files, made by hand: just as much of each format as its header."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int) -> bytes:
    """A whole PNG of one colour, one bit a pixel."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = (b"\0" + b"\0" * ((width + 7) // 8)) * height
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg(width: int, height: int, frame: int = 0xC0, before: bytes = b"") -> bytes:
    """A JPEG up to its frame header, with `before` in front of it."""
    comment = b"\xff\xfe\x00\x06\xff\xc0ab"  # holds what looks like a frame
    tables = b"\xff\xc4\x00\x04ab"
    return (
        b"\xff\xd8" + before + comment + tables + b"\xff" + bytes([frame]) + struct.pack(">HBHH", 17, 8, height, width)
    )


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\0\0\0;"


def bmp(width: int, height: int, header: int = 40) -> bytes:
    sizes = struct.pack("<HH", width, height) if header == 12 else struct.pack("<ii", width, height)
    return b"BM" + b"\0" * 12 + struct.pack("<I", header) + sizes + b"\0" * 28


def webp(kind: bytes, width: int, height: int) -> bytes:
    body = {
        b"VP8 ": b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", width | 0x4000, height),
        b"VP8L": b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14),
        b"VP8X": b"\0\0\0\0" + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little"),
    }[kind]
    return b"RIFF" + struct.pack("<I", 12 + len(body)) + b"WEBP" + kind + struct.pack("<I", len(body)) + body


def pdf(pages: int, packed: int = 0) -> bytes:
    """A PDF with so many page objects, and `packed` more of them in a compressed object stream."""
    objects = [b"<< /Type /Pages /Count %d >>" % (pages + packed), b"<< /Type /PageLabel >>"]
    objects += [b"<< /Type /Page /Parent 1 0 R >>" if n % 2 else b"<</Type/Page/Parent 1 0 R>>" for n in range(pages)]
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (n, text) for n, text in enumerate(objects, 1))
    if packed:
        stream = zlib.compress(b" ".join(b"<< /Type /Page >>" for _ in range(packed)))
        body += b"99 0 obj\n<< /Type /ObjStm /N %d /Length %d >>\nstream\n" % (packed, len(stream))
        body += stream + b"\nendstream\nendobj\n"
    return b"%PDF-1.7\n" + body + b"%%EOF\n"


def wav(seconds: float, rate: int = 16_000, declared: int | None = None) -> bytes:
    """A mono WAV of 16 bits a sample; `declared` is the size that its data chunk claims."""
    data = b"\0" * int(seconds * rate * 2)
    size = len(data) if declared is None else declared
    form = struct.pack("<HHIIHH", 1, 1, rate, rate * 2, 2, 16)
    head = (
        b"WAVEfmt " + struct.pack("<I", len(form)) + form + b"LIST\x03\0\0\0abc\0" + b"data" + struct.pack("<I", size)
    )
    return b"RIFF" + struct.pack("<I", len(head) + len(data)) + head + data


def mp3(seconds: float, tagged: bool = False) -> bytes:
    """An MP3 of 128 kilobits a second: one frame header, then silence of the right length."""
    tag = b"ID3\x04\0\0" + bytes([0, 0, 1, 0]) + b"\0" * 128 if tagged else b""
    return tag + b"\xff\xfb\x90\x00" + b"\0" * (int(seconds * 16_000) - 4)


def mp4(seconds: float, wide: bool = False) -> bytes:
    scale, length = 600, int(seconds * 600)
    times = struct.pack(">QQIQ", 0, 0, scale, length) if wide else struct.pack(">IIII", 0, 0, scale, length)
    movie = b"mvhd" + (b"\x01\0\0\0" if wide else b"\0\0\0\0") + times
    return b"\0\0\0\x14ftypisom\0\0\0\0isom" + b"\0\0\0\x40moov" + struct.pack(">I", len(movie) + 4) + movie

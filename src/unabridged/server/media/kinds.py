"""What a file is, by its bytes alone: what a client calls it is not asked.

Nothing is taken that a browser would run: no HTML, no SVG, no script.
"""

from __future__ import annotations

import msgspec

from unabridged.message import MediaKind

TAKEN = "pictures (PNG, JPEG, GIF, WebP), PDF, audio (WAV, MP3, Ogg, M4A, FLAC), video (MP4, WebM)"
HEAD = 64
"""Bytes that a kind is known by."""
_PNG = b"\x89PNG\r\n\x1a\n"
_AUDIO_BRANDS = (b"M4A ", b"M4B ")
_VIDEO_BRANDS = (b"isom", b"iso2", b"iso4", b"iso5", b"iso6", b"mp41", b"mp42", b"avc1", b"M4V ", b"mmp4", b"dash")


class FileKind(msgspec.Struct, frozen=True):
    """A kind of file that is taken."""

    kind: MediaKind
    mime: str
    ending: str


PDF = FileKind(MediaKind.DOCUMENT, "application/pdf", "pdf")
_WEBP = FileKind(MediaKind.IMAGE, "image/webp", "webp")
_WAV = FileKind(MediaKind.AUDIO, "audio/wav", "wav")
_MP3 = FileKind(MediaKind.AUDIO, "audio/mpeg", "mp3")
_M4A = FileKind(MediaKind.AUDIO, "audio/mp4", "m4a")
_MP4 = FileKind(MediaKind.VIDEO, "video/mp4", "mp4")
_WEBM = FileKind(MediaKind.VIDEO, "video/webm", "webm")
_BEGINNINGS = (
    (_PNG, FileKind(MediaKind.IMAGE, "image/png", "png")),
    (b"\xff\xd8\xff", FileKind(MediaKind.IMAGE, "image/jpeg", "jpg")),
    (b"GIF87a", FileKind(MediaKind.IMAGE, "image/gif", "gif")),
    (b"GIF89a", FileKind(MediaKind.IMAGE, "image/gif", "gif")),
    (b"%PDF-", PDF),
    (b"ID3", _MP3),
    (b"OggS", FileKind(MediaKind.AUDIO, "audio/ogg", "ogg")),
    (b"fLaC", FileKind(MediaKind.AUDIO, "audio/flac", "flac")),
)


def kind_of(head: bytes) -> FileKind | None:
    """Give what a file is that begins with these bytes (`HEAD` of them are enough); None for what is not taken."""
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head.startswith(b"RIFF"):
        return {b"WEBP": _WEBP, b"WAVE": _WAV}.get(head[8:12])
    if head[4:8] == b"ftyp":
        brand = head[8:12]
        return _M4A if brand in _AUDIO_BRANDS else _MP4 if brand in _VIDEO_BRANDS else None
    if head.startswith(b"\x1aE\xdf\xa3"):
        return _WEBM if b"webm" in head[:HEAD] else None  # Matroska begins in the same way
    return _MP3 if _is_mp3_frame(head) else None


def is_whole(data: bytes, kind: FileKind) -> bool:
    """Tell whether a picture or a PDF goes on to its end. A provider refuses what was cut off, with all around it."""
    match kind.ending:
        case "png":
            return _png_ends(data)
        case "jpg":
            return data.rfind(b"\xff\xd9") > data.find(b"\xff\xda") > 0
        case "gif":
            return b";" in data[-64:]
        case "webp":
            return int.from_bytes(data[4:8], "little") + 8 <= len(data)
        case "pdf":
            return b"%%EOF" in data
        case _:
            return True


def _png_ends(data: bytes) -> bool:
    at = len(_PNG)
    while at + 12 <= len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        if data[at + 4 : at + 8] == b"IEND":
            return True
        at += 12 + size
    return False


def _is_mp3_frame(head: bytes) -> bool:
    """Tell a frame of layer III by its header: sync, version, layer, bit rate and sample rate that exist."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE6 != 0xE2:
        return False
    return head[1] & 0x18 != 0x08 and head[2] >> 4 not in (0, 15) and head[2] & 0x0C != 0x0C

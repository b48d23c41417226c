"""The text of a file, and what is needed to write it back as it was: encoding, byte order mark, line ends."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_left
from collections.abc import Sequence

import msgspec

from unabridged.agent.tool import ToolError

# The mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KINDS = (
    (b"\x89PNG\r\n", "PNG picture"),
    (b"\xff\xd8\xff", "JPEG picture"),
    (b"GIF8", "GIF picture"),
    (b"%PDF-", "PDF document"),
    (b"PK\x03\x04", "ZIP archive or office document"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\x00", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf", "7z archive"),
    (b"\x7fELF", "ELF program or library"),
    (b"MZ\x90\x00", "Windows program"),
    (b"\xca\xfe\xba\xbe", "Java class or Mach-O program"),
    (b"\xcf\xfa\xed\xfe", "Mach-O program"),
    (b"\x00asm", "WebAssembly module"),
    (b"SQLite format 3\x00", "SQLite database"),
    (b"OggS", "Ogg media"),
    (b"ID3", "MP3 audio"),
    (b"wOFF", "WOFF font"),
    (b"wOF2", "WOFF2 font"),
)
# Control characters that no text has; tab, line ends, form feed, backspace and escape do occur.
_NO_TEXT = re.compile(rb"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_SAMPLE = 65_536


class FileText(msgspec.Struct, frozen=True):
    """A file as text."""

    text: str
    """As it stands in the file, line ends too; without the byte order mark."""
    encoding: str = "utf-8"
    mark: bytes = b""

    @property
    def line_end(self) -> str:
        """Give the line end that most of its lines have."""
        pairs = self.text.count("\r\n")
        singles = self.text.count("\n") - pairs
        if not pairs and not singles:
            return "\r" if "\r" in self.text else "\n"
        return "\r\n" if pairs > singles else "\n"

    @property
    def plain(self) -> str:
        r"""Give the text with line ends as a model writes them: one character, `\n`."""
        return plain(self.text)

    def lines(self) -> list[str]:
        """Give its lines without their ends."""
        whole = self.plain
        return whole.removesuffix("\n").split("\n") if whole else []

    def said(self) -> str:
        """Say what is special about it, "" for UTF-8 with plain line ends."""
        name = {"latin-1": "Latin-1, as it is no valid UTF-8"}.get(self.encoding, self.encoding.upper())
        parts = [name + (" with byte order mark" if self.mark else "")] if self.mark or name != "UTF-8" else []
        ends = {"\r\n": "CRLF line ends", "\r": "CR line ends"}.get(self.line_end)
        if "\r\n" in self.text and self.text.count("\n") != self.text.count("\r\n"):
            ends = "CRLF and LF line ends mixed"
        return ", ".join([*parts, *([ends] if ends else [])])

    def encoded(self) -> bytes:
        """Give the bytes. Raises `ToolError` for a character that its encoding does not have."""
        try:
            return self.mark + self.text.encode(self.encoding)
        except UnicodeEncodeError as error:
            wrong = self.text[error.start]
            line = self.text.count("\n", 0, error.start) + 1
            raise ToolError(
                f"the character U+{ord(wrong):04X} in line {line} cannot be written in {self.encoding}, the encoding"
                " of the file: leave it out, or convert the file first"
            ) from None


def decode(data: bytes) -> FileText:
    """Give the text of a file. Raises `NotText` where it holds none."""
    mark, encoding = _marked(data)
    if not mark and (kind := binary_kind(data)):
        raise NotText(kind)
    for name in (encoding,) if mark else ("utf-8", "latin-1"):
        try:
            return FileText(data[len(mark) :].decode(name), name, mark)
        except UnicodeDecodeError:
            continue
    raise NotText(f"damaged {encoding.upper()} text")


def encoding_of(sample: bytes) -> tuple[bytes, str]:
    """Give mark and encoding by the beginning of a file that is too large to be looked at whole."""
    mark, encoding = _marked(sample)
    if mark:
        return mark, encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return b"", "latin-1"
    return b"", "utf-8"


def binary_kind(data: bytes) -> str:
    """Say what a file is that holds no text, by its first bytes; "" for text."""
    if _marked(data)[0]:
        return ""
    for magic, kind in _KINDS:
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF":
        return {b"WEBP": "WebP picture", b"WAVE": "WAV audio"}.get(data[8:12], "RIFF media")
    if data[4:8] == b"ftyp":
        return "MP4 or HEIF media"
    if b"\0" in data:
        return "binary file"
    # Bytes of a picture may by chance hold no NUL; text in any one-byte encoding has hardly any of these.
    sample = data[:_SAMPLE]
    return "binary file" if len(_NO_TEXT.findall(sample)) * 20 > len(sample) else ""


class NotText(Exception):
    """A file that holds something else. Stays inside: tools say it in their own words."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


def plain(text: str) -> str:
    r"""Give a text with every line end as `\n`. A `\r` inside a line stays, where lines end otherwise."""
    whole = text.replace("\r\n", "\n")
    return whole if "\n" in whole else whole.replace("\r", "\n")


def spliced(file: FileText, spans: Sequence[tuple[int, int]], new: str) -> FileText:
    """Put `new` at each span of the plain text; every other character of the file stays as it is.

    Line ends of `new` become those of the span it replaces, else those of the file.
    """
    pairs: list[int] = []
    for found in re.finditer("\r\n", file.text):
        pairs.append(found.start() - len(pairs))
    pieces: list[str] = []
    done, usual = 0, file.line_end
    for start, end in spans:
        # A place in the plain text lies behind as many more characters as there are pairs before it.
        first, last = start + bisect_left(pairs, start), end + bisect_left(pairs, end)
        replaced = file.text[first:last]
        line_end = FileText(replaced).line_end if "\n" in replaced else usual
        pieces += [file.text[done:first], new.replace("\r\n", "\n").replace("\n", line_end)]
        done = last
    return msgspec.structs.replace(file, text="".join([*pieces, file.text[done:]]))


def _marked(data: bytes) -> tuple[bytes, str]:
    return next(((mark, encoding) for mark, encoding in _MARKS if data.startswith(mark)), (b"", "utf-8"))

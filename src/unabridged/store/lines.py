"""The lines of a log file: a header, entries, and the bytes of media. `docs/file-format.md` is their contract."""

from __future__ import annotations

import json
from typing import Annotated

import msgspec

from unabridged.codec import json_bytes, payload_bytes, payload_from, without_surrogates
from unabridged.entry import Entry
from unabridged.errors import BadInput

VERSION = 1
"""Major version of the format: a reader refuses a file with a larger one."""


class Header(msgspec.Struct, frozen=True, tag_field="kind", tag="unabridged"):
    """Whose log this is. The first line."""

    version: Annotated[int, msgspec.Meta(ge=1)]
    session: str
    counter: str = ""


class MediaLine(msgspec.Struct, frozen=True, tag_field="kind", tag="media"):
    """The bytes of a media item, base64 on the wire, ahead of the first entry that refers to them."""

    digest: str
    data: bytes


class _Place(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="entry"):
    """The fields of an entry beside its payload."""

    seq: Annotated[int, msgspec.Meta(ge=0)]
    branch: str
    time: str
    log_digest: str
    transcript_digest: str = ""
    normal_digest: str = ""


class _EntryLine(_Place, frozen=True, kw_only=True, gc=False, tag_field="kind", tag="entry"):
    payload: msgspec.Raw


class StoredEntry(msgspec.Struct, frozen=True, gc=False):
    """An entry, and the bytes of its payload as they stand in the file: what its digest was made from."""

    entry: Entry
    stored: bytes
    lone_surrogate: bool = False


Line = Header | MediaLine | StoredEntry

_LINES: msgspec.json.Decoder[Header | MediaLine | _EntryLine] = msgspec.json.Decoder(Header | MediaLine | _EntryLine)


def encode_entry(entry: Entry) -> bytes:
    """Give the line of an entry, without its end. Lone surrogates in any text become escapes."""
    place = _Place(
        seq=entry.seq,
        branch=entry.branch,
        time=entry.time,
        log_digest=entry.log_digest,
        transcript_digest=entry.transcript_digest,
        normal_digest=entry.normal_digest,
    )
    return b'%b,"payload":%b}' % (json_bytes(place)[:-1], payload_bytes(entry.payload))


def decode_entry(line: bytes) -> Entry:
    """Read one line back. A payload that this version cannot read becomes an `UnknownEntry` with its text.

    Raises `BadInput`, which names the field, when the line is no entry.
    """
    try:
        read = decode_line(line)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"a line of a log cannot be read: {error}") from error
    if not isinstance(read, StoredEntry):
        raise BadInput("a line of a log was to be an entry, and is a header or media: read the file with `read_log`")
    return read.entry


def decode_line(line: bytes) -> Line:
    """Read one line of any kind. Raises msgspec's errors or `RecursionError`, and `BadInput` for an unreadable text."""
    try:
        return _with_payload(_LINES.decode(line))
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        masked = without_surrogates(line)
        if masked == line:
            raise
    return _with_payload(_restored(line, masked), lone_surrogate=True)


def _with_payload(read: Header | MediaLine | _EntryLine, *, lone_surrogate: bool = False) -> Line:
    if not isinstance(read, _EntryLine):
        return read
    stored = bytes(read.payload)
    entry = Entry(
        seq=read.seq,
        branch=read.branch,
        time=read.time,
        payload=payload_from(stored),
        log_digest=read.log_digest,
        transcript_digest=read.transcript_digest,
        normal_digest=read.normal_digest,
    )
    return StoredEntry(entry, stored, lone_surrogate)


def _restored(line: bytes, masked: bytes) -> Header | MediaLine | _EntryLine:
    """Read a line that holds escaped lone surrogates: its shape from the masked text, its strings from the line."""
    read = _LINES.decode(masked)
    if not isinstance(read, _EntryLine):
        return msgspec.convert(json.loads(line.decode()), type(read))
    payload = bytes(read.payload)
    start = masked.index(payload)
    end = start + len(payload)
    rest = line[:start] + b"null" + line[end:]
    place = msgspec.convert(json.loads(rest.decode()), _Place)
    return _EntryLine(**msgspec.structs.asdict(place), payload=msgspec.Raw(line[start:end]))

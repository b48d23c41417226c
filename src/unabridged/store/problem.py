"""What can be wrong with a log file, and where."""

from __future__ import annotations

import enum

import msgspec


class ProblemKind(enum.StrEnum):
    """What was met while a file was read. None of these keeps the rest of the file from being read."""

    NO_HEADER = "no_header"
    """No line says whose log this is."""
    SECOND_HEADER = "second_header"
    """The header once more: harmless."""
    OTHER_SESSION = "other_session"
    """A header of another session: entries after it are put aside."""
    NEWER_VERSION = "newer_version"
    """A later header of a newer version. The first one makes `read_log` refuse the file."""
    TORN_LAST_LINE = "torn_last_line"
    """The file ends inside a record: a write was cut short, and nobody was told that it was done."""
    GLUED_RECORDS = "glued_records"
    """Several records, or a record and a stub of one, on the same line."""
    NUL_BYTES = "nul_bytes"
    BYTE_ORDER_MARK = "byte_order_mark"
    CRLF = "crlf"
    """Windows line ends; reported once."""
    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    """No JSON object: the line could not be used."""
    WRONG_SHAPE = "wrong_shape"
    """JSON of a known kind whose fields are not what they should be. A payload is kept as an `UnknownEntry`."""
    UNKNOWN_KIND = "unknown_kind"
    """Made by a newer version. A payload is kept as an `UnknownEntry`."""
    BAD_DIGEST = "bad_digest"
    """Not the bytes that were written. Such an entry is still given; such media are not."""
    DUPLICATE_SEQ = "duplicate_seq"
    """Two entries with one position. One is given, the other one is put aside unless it is the same."""
    OUT_OF_ORDER = "out_of_order"
    """An entry stands behind a later one."""
    GAP_IN_SEQ = "gap_in_seq"
    """Entries before this one are missing."""
    LONE_SURROGATE = "lone_surrogate"
    """Half of a character in some text: kept as it is, but most providers refuse it."""


class Problem(msgspec.Struct, frozen=True):
    """Something wrong with a line of a file. Lines count from 1."""

    line: int
    what: ProblemKind
    detail: str

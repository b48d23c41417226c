"""Any text as a column: databases take neither NUL nor half of a surrogate pair, and an index no text of any length."""

from __future__ import annotations

import re
from hashlib import sha256

from unabridged.errors import BadInput

SEQS = 2**32
"""Positions that a log can have. `entries.id` is `session * SEQS + seq`, the one key that a table has of itself: an
entry is found by it without an index beside the table, which each append would write to."""
NEWEST = f"(SELECT max(id) FROM entries WHERE id >= sessions.key * {SEQS} AND id < sessions.key * {SEQS} + {SEQS})"
"""The id of the newest entry of a session, in a query of `sessions`."""
ARCHIVE_CELLS = 1_024
"""Rows of `archive_postings` that a segment of an archive has at most; they are numbered from its number on."""
FOREVER = 2**62
"""A position that no log reaches."""
LONGEST_NAME = 400
"""Bytes of a name in an index; PostgreSQL takes 2,704 for all columns of one together."""
_REFUSED = re.compile("[\x00\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(\\|[0-9a-f]{4})")
_HASHED = "\\#"
"""Begins no escape."""


def id_of(session: int, seq: int) -> int:
    """Give the id of an entry; -1, which none has, for what is no position."""
    return session * SEQS + seq if 0 <= seq < SEQS else -1


def ids_of(session: int, start: int = 0, stop: int = SEQS) -> tuple[int, int]:
    """Give the first id of a part of a log, and the one behind it. No bounds reach into another session."""
    first, end = (session * SEQS + min(max(seq, 0), SEQS) for seq in (start, stop))
    return first, end


def cells_of(segment: int) -> tuple[int, int]:
    """Give the first row of `archive_postings` of a segment of an archive, and the one behind its last."""
    return segment * ARCHIVE_CELLS, (segment + 1) * ARCHIVE_CELLS


def archive_lock(session: int) -> str:
    """Give the name of the lock that whoever writes to the archive of a session holds."""
    return f"archive of {session}"


def column(text: str) -> str:
    """Write a text so that every database takes it; most texts are written as they are. `text_in` reads it back."""
    if "\\" not in text and ((text.isascii() and text.isprintable()) or not _REFUSED.search(text)):
        return text
    escaped = text.replace("\\", "\\\\")
    return _REFUSED.sub(lambda found: f"\\{ord(found[0]):04x}", escaped)


def text_in(written: str) -> str:
    """Read a column back."""
    if "\\" not in written:
        return written
    return _ESCAPE.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1], 16)), written)


def name_column(name: str) -> str:
    """Write a name that is only looked for; of a very long one, its digest."""
    written = column(name)
    if len(written) <= LONGEST_NAME // 4 or len(written.encode()) <= LONGEST_NAME:
        return written
    return _HASHED + sha256(written.encode()).hexdigest()


def name_in(written: str) -> str | None:
    """Read a name back; None where only its digest is there."""
    return None if written.startswith(_HASHED) else text_in(written)


def checked_branch(name: str) -> str:
    """Give the name of a branch. Raises `BadInput` for one that no index takes."""
    if len(column(name).encode()) > LONGEST_NAME:
        raise BadInput(f"the name of a branch has {len(name):,} characters: give one of at most {LONGEST_NAME // 4}")
    return name


def is_storable(text: str) -> bool:
    """Tell whether an id can be one of a session or a project."""
    return not _REFUSED.search(text) and len(text.encode("utf-8", "surrogatepass")) <= LONGEST_NAME


def storable(what: str, text: str) -> str:
    """Give an id or the name of a project. Raises `BadInput` for one that not every database takes."""
    if not is_storable(text):
        raise BadInput(
            f"{what} {text[:40]!r} is longer than {LONGEST_NAME} bytes, or holds a NUL or half of a surrogate pair:"
            " give another"
        )
    return text


def shown_title(text: str) -> str:
    """Give a title as it can be kept: what no database takes is shown as U+FFFD."""
    return _REFUSED.sub("\ufffd", text)

"""What a stored session says of messages that are not to be found: by indexes, without reading the session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unabridged.codec import payload_from
from unabridged.entry import Entry, HiddenEntry, MessageEntry
from unabridged.errors import BadInput
from unabridged.hiding import Hiding
from unabridged.store.columns import name_column, name_in, text_in
from unabridged.store.database import Database

_SAID = (
    "SELECT said.seq, said.branch, said.payload, said.name, message.seq, message.branch"
    " FROM entries AS said JOIN entries AS message"
    " ON message.session = said.session AND message.name = said.name AND message.seq < said.seq"
    " WHERE said.session = ? AND said.kind = 'hidden' AND said.place IS NULL AND message.place IS NOT NULL"
    " ORDER BY said.seq, message.seq"
)
_NAMED = "SELECT seq, branch FROM entries WHERE session = ? AND name = ? AND place IS NOT NULL ORDER BY seq"


def hidings(database: Database, session: int, pending: Sequence[Entry] = ()) -> list[Hiding]:
    """Give each word on each message of a session, in order; `pending` are entries that are not written yet."""
    found: list[Hiding] = []
    for at, branch, payload, name, seq, of in database.rows(_SAID, session):
        id, shown = _read(payload, name)
        found.append(Hiding(at, text_in(branch), shown, id, seq, text_in(of)))
    for entry in pending:
        if isinstance(entry.payload, HiddenEntry):
            found += _pending(database, session, entry, pending)
    return found


def _pending(database: Database, session: int, entry: Entry, pending: Sequence[Entry]) -> list[Hiding]:
    said = entry.payload
    assert isinstance(said, HiddenEntry)
    rows = [(seq, text_in(branch)) for seq, branch in database.rows(_NAMED, session, name_column(said.message))]
    rows += [
        (each.seq, each.branch)
        for each in pending
        if isinstance(each.payload, MessageEntry) and each.payload.message.id == said.message and each.seq < entry.seq
    ]
    return [Hiding(entry.seq, entry.branch, said.shown, said.message, seq, of) for seq, of in rows]


def _read(stored: Any, name: str) -> tuple[str, bool]:
    """Read what is said of which message. Where that cannot be read any more, the message stays hidden."""
    try:
        payload = payload_from(bytes(stored))
    except BadInput:
        payload = None
    if isinstance(payload, HiddenEntry):
        return payload.message, payload.shown
    return name_in(name) or "", False

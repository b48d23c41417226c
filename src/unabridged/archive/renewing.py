"""Makes the archive of a stored session anew from its log, of which it is derived."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from unabridged.archive.archive import Archive
from unabridged.archive.chunks import Place
from unabridged.archive.stored_shelf import StoredShelf
from unabridged.leaving import left
from unabridged.store.archive_rows import ArchiveRows, plain
from unabridged.store.columns import ARCHIVE_CELLS, archive_lock, id_of, text_in
from unabridged.store.database import Database
from unabridged.store.sessions import Session, Store
from unabridged.transcript import Transcript

AT_ONCE = 500
"""Values of one statement."""
WAIT_S = 30.0
_PLACES: msgspec.msgpack.Decoder[list[Place]] = msgspec.msgpack.Decoder(list[Place])
_CELLS_LEFT = f"DELETE FROM archive_postings WHERE cell / {ARCHIVE_CELLS} NOT IN (SELECT number FROM archive_segments)"


def renew(session: Session, *, wait_s: float = WAIT_S) -> int:
    """Make the archive of a session anew, and give how many messages it holds.

    It holds what has left the view of any branch, and what it held before. No turn runs meanwhile: raises
    `SessionBusy` where one does not end in `wait_s` seconds. Raises `StoreError` where the log cannot be read; the
    archive is as it was then.
    """
    with session.turn(wait_s=wait_s):
        rows = ArchiveRows(session.database, session.key)
        held = _held(session, rows)
        branches = [Transcript(session.log, branch=name) for name in session.log.branches]
        wanted = [_places(transcript, held.get(transcript.branch, {})) for transcript in branches]
        for transcript, places in zip(branches, wanted, strict=True):
            for place in places:
                _ = transcript.records[place]  # what cannot be read is known before anything is taken away
        with session.database.transaction() as writing:
            writing.lock(archive_lock(session.key), shared=False)
            rows.clear(writing)
        archive = Archive(StoredShelf(session.database, session.key))
        for transcript, places in zip(branches, wanted, strict=True):
            archive.add(transcript.records, places, session.log.ancestry(transcript.branch))
        return len(rows.archived())


def take_away_left_over(store: Store) -> None:
    """Take away what segments and sessions that are gone left in the archive's tables."""
    with store.database.transaction() as writing:
        for table in ("archive_segments", "archived"):
            writing.run(f"DELETE FROM {table} WHERE session NOT IN (SELECT key FROM sessions)")
        writing.run(_CELLS_LEFT)


def _places(transcript: Transcript, held: dict[int, int]) -> list[int]:
    """Give the places of what left the view of a branch, and of what was archived of it before."""
    records = transcript.records
    places = {place for seq, place in held.items() if place < len(records) and records[place].seq == seq}
    for checkpoint in transcript.in_force()[0]:
        places.update(left(transcript, checkpoint))
    return sorted(places)


def _held(session: Session, rows: ArchiveRows) -> dict[str, dict[int, int]]:
    """Give the messages that the archive holds or says to hold: of each branch their positions and places."""
    seqs = sorted({*rows.archived(), *_in_segments(session)})
    found: dict[str, dict[int, int]] = {}
    for start in range(0, len(seqs), AT_ONCE):
        ids = [id_of(session.key, seq) for seq in seqs[start : start + AT_ONCE]]
        for seq, branch, place in _messages(session.database, ids):
            found.setdefault(text_in(branch), {})[seq] = place
    return found


def _messages(database: Database, ids: Sequence[int]) -> list[tuple[int, str, int]]:
    sql = f"SELECT seq, branch, place FROM entries WHERE place IS NOT NULL AND id IN ({', '.join('?' * len(ids))})"
    return [(seq, branch, place) for seq, branch, place in database.rows(sql, *ids)]


def _in_segments(session: Session) -> set[int]:
    found: set[int] = set()
    for (stored,) in session.database.rows("SELECT places FROM archive_segments WHERE session = ?", session.key):
        try:
            found.update(place.seq for place in _PLACES.decode(plain(stored)))
        except (msgspec.DecodeError, TypeError):
            continue  # what it held is made again where the log says that it left
    return found

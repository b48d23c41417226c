"""Looks whether a store is whole: reads everything, changes nothing, and names what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from hashlib import sha256
from typing import Any

import msgspec

from unabridged.entry import Entry, MessageEntry, UnknownEntry
from unabridged.errors import StoreError, StoreFault, UnabridgedError
from unabridged.log import linked
from unabridged.message import media_digests
from unabridged.store.columns import id_of, ids_of
from unabridged.store.database import Database, Row
from unabridged.store.large import filled
from unabridged.store.media import StoredBlobs
from unabridged.store.rows import COLUMNS, entry_of
from unabridged.store.sessions import Project, Store
from unabridged.store.stored_log import StoredLog

PAGE = 200
"""Entries that are read together."""


class Damage(StrEnum):
    """What can be wrong."""

    UNREADABLE = "unreadable"
    DIGEST = "digest"
    GAP = "gap"
    MEDIA_MISSING = "media_missing"
    MEDIA_CHANGED = "media_changed"
    MEDIA_UNUSED = "media_unused"
    ARCHIVE = "archive"
    ARCHIVE_LEFT = "archive_left"
    ENGINE = "engine"


MEANINGS = {
    Damage.UNREADABLE: "an entry cannot be read",
    Damage.DIGEST: "an entry is not what was written: its digest does not follow from what stands before it",
    Damage.GAP: "entries are missing",
    Damage.MEDIA_MISSING: "the bytes of a picture, document, recording or large output are missing",
    Damage.MEDIA_CHANGED: "the bytes of a picture, document, recording or large output are not what was written",
    Damage.MEDIA_UNUSED: "bytes that no session uses; they take room and do no harm",
    Damage.ARCHIVE: "the archive is damaged, or does not agree with the log, which it is made from",
    Damage.ARCHIVE_LEFT: "words of what is gone are left in the archive",
    Damage.ENGINE: "the database itself says that it is damaged",
}
_AGAIN = "export the session to keep what can be read, and bring it back from a backup"
REMEDIES = {
    Damage.UNREADABLE: _AGAIN,
    Damage.DIGEST: "compare it with a backup: somebody or something wrote to the database beside this library",
    Damage.GAP: _AGAIN,
    Damage.MEDIA_MISSING: "bring them back from a backup; everything else of the session can be used",
    Damage.MEDIA_CHANGED: "bring them back from a backup; everything else of the session can be used",
    Damage.MEDIA_UNUSED: "nothing has to be done",
    Damage.ARCHIVE: "`unabridged doctor --mend` makes it anew from the log",
    Damage.ARCHIVE_LEFT: "`unabridged doctor --mend` takes them away",
    Damage.ENGINE: "copy what can be read with `unabridged move` into a new store, and look after the disk",
}


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, and where."""

    damage: Damage
    project: str = ""
    session: str = ""
    seq: int | None = None
    detail: str = ""

    @property
    def is_harmless(self) -> bool:
        """Nothing that anybody said is missing or changed."""
        return self.damage is Damage.MEDIA_UNUSED


class Health(msgspec.Struct, frozen=True):
    """What one session came to."""

    project: str
    session: str
    entries: int
    findings: tuple[Finding, ...]


def examine(store: Store, project: str | None = None) -> Iterator[Health]:
    """Go through every session, one after the other. A damaged one stops nothing: the next is examined as well."""
    for name in [project] if project is not None else store.projects():
        chosen = store.project(name)
        # Not by `all`, which looks at the newest entry of each: that may be what is damaged.
        for (id,) in store.database.rows("SELECT id FROM sessions WHERE project = ? ORDER BY key", name):
            examined = _Examined(chosen, id)
            examined.all()
            yield Health(name, id, examined.entries, tuple(examined.findings))


def examine_engine(store: Store, project: str | None = None) -> tuple[Finding, ...]:
    """Ask the database itself, and look for bytes that nobody uses, of one project or of all."""
    found: list[Finding] = []
    try:
        if store.database.name == "sqlite":
            said = [str(row[0]) for row in store.database.rows("PRAGMA integrity_check(20)")]
            said += [f"{row[0]}, row {row[1]}: its {row[2]} is gone" for row in _orphans(store.database)]
            found += [Finding(Damage.ENGINE, detail=line) for line in said if line != "ok"]
        unused = (
            "SELECT project, digest FROM blobs WHERE NOT EXISTS (SELECT 1 FROM blob_uses JOIN sessions"
            " ON sessions.key = blob_uses.session AND sessions.project = blobs.project"
            " WHERE blob_uses.digest = blobs.digest)"
        )
        for owner, digest in store.database.rows(unused):
            if project in (None, owner):
                found.append(Finding(Damage.MEDIA_UNUSED, owner, detail=bytes(digest).hex()))
    except StoreError as error:
        found.append(Finding(Damage.ENGINE, detail=str(error)))
    return tuple(found)


def _orphans(database: Database) -> list[Row]:
    """Give rows whose session is gone; those of the archive are told for themselves: `Damage.ARCHIVE_LEFT`."""
    return [row for row in database.rows("PRAGMA foreign_key_check") if row[0] not in ("archive_segments", "archived")]


class _Examined:
    """One session while it is gone through, row by row: what is damaged in one says nothing of the others."""

    def __init__(self, project: Project, id: str) -> None:
        self._project, self._id = project, id
        self._database = project.database
        self.entries = 0
        self.findings: list[Finding] = []
        self._key = 0
        self._bad: dict[str, Damage] = {}
        """What is wrong with bytes, by digest; told where an entry needs them."""
        self._told: set[str] = set()
        self._known: set[str] = set()
        """Digests of all bytes that the session has."""
        self._previous: str | None = ""
        """Digest of the entry before; None where that is missing."""
        self._expected = 0

    def all(self) -> None:
        """Go through the bytes, then through the entries."""
        try:
            sql = "SELECT key FROM sessions WHERE project = ? AND id = ?"
            for (key,) in self._database.rows(sql, self._project.name, self._id):
                self._key = int(key)
                self._blobs = StoredBlobs(self._database, self._project.name, self._key)
                self._examine_blobs()
                self._examine_entries()
        except StoreError as error:
            self._tell(Damage.ENGINE, detail=str(error))
        for digest, damage in self._bad.items():
            if digest not in self._told:
                self._tell(damage, detail=digest)

    def _tell(self, damage: Damage, seq: int | None = None, detail: str = "") -> None:
        self.findings.append(Finding(damage, self._project.name, self._id, seq, detail))

    def _examine_blobs(self) -> None:
        for digest in self._blobs:
            self._known.add(digest)
            try:
                actual = self._blobs.actual(digest)
            except KeyError:
                self._bad[digest] = Damage.MEDIA_MISSING
            except StoreError as error:
                if error.fault is not StoreFault.DAMAGED:
                    raise
                self._bad[digest] = Damage.MEDIA_CHANGED
            else:
                if actual != digest:
                    self._bad[digest] = Damage.MEDIA_CHANGED

    def _examine_entries(self) -> None:
        for seq, row in self._rows():
            self.entries += 1
            if seq != self._expected:
                self._tell(Damage.GAP, self._expected, f"{seq - self._expected:,} missing")
                self._previous = None  # what this one follows from is not there
            self._expected = seq + 1
            if isinstance(row, str):
                self._tell(Damage.UNREADABLE, seq, row)
                self._previous = None
            else:
                self._examine_entry(seq, row)
                self._previous = bytes(row[4]).hex()

    def _rows(self) -> Iterator[tuple[int, Row | str]]:
        """Give every row by its seq; in its place, where it cannot be read, why."""
        sql = f"SELECT {COLUMNS} FROM entries WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        at = 0
        try:
            while page := self._database.rows(sql, *ids_of(self._key, at), PAGE):
                yield from ((int(row[0]), row) for row in page)
                at = int(page[-1][0]) + 1
            return
        except StoreError as error:
            if error.fault is not StoreFault.DAMAGED:
                raise
        one = f"SELECT {COLUMNS} FROM entries WHERE id = ?"
        for seq in StoredLog(self._database, project="", session=(self._key, self._id)).seqs():
            if seq < at:
                continue
            try:
                yield seq, self._database.rows(one, id_of(self._key, seq))[0]
            except StoreError as error:
                yield seq, str(error)

    def _examine_entry(self, seq: int, row: Row) -> None:
        needed = self._needed_by(row[3])
        self._tell_bytes(seq, needed)
        if any(digest in self._bad or digest not in self._known for digest in needed):
            return  # what it held is told, and its digest cannot be worked out
        try:
            stored = filled(bytes(row[3]), lambda digest: self._blobs[digest.hex()])
            entry = entry_of(row, lambda _: stored)
        except (UnabridgedError, KeyError, ValueError, TypeError) as error:
            self._tell(Damage.UNREADABLE, seq, str(error))
            return
        if isinstance(entry.payload, UnknownEntry) and not entry.payload.kind:
            self._tell(Damage.UNREADABLE, seq, "it is of no kind")
        elif self._previous is not None and entry.log_digest != linked(self._previous, sha256(stored).digest()):
            self._tell(Damage.DIGEST, seq)
        self._tell_bytes(seq, _media_of(entry))

    def _needed_by(self, stored: Any) -> list[str]:
        """Give the digests of the large texts that are not in the row itself."""
        needed: list[str] = []

        def noted(digest: bytes) -> bytes:
            needed.append(digest.hex())
            return b""

        try:
            filled(bytes(stored), noted)
        except (ValueError, TypeError):
            return []  # that it cannot be read is told by whoever reads it
        return needed

    def _tell_bytes(self, seq: int, digests: list[str]) -> None:
        for digest in digests:
            damage = self._bad.get(digest) or (Damage.MEDIA_MISSING if digest not in self._known else None)
            if damage is not None and digest not in self._told:
                self._told.add(digest)
                self._tell(damage, seq, digest)


def _media_of(entry: Entry) -> list[str]:
    if not isinstance(entry.payload, MessageEntry):
        return []
    return sorted(media_digests(entry.payload.message))

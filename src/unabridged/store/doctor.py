"""Looks whether a store is whole: reads everything, changes nothing, and names what is damaged."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from hashlib import sha256

import msgspec

from unabridged.codec import payload_bytes
from unabridged.entry import Entry, MessageEntry, UnknownEntry
from unabridged.errors import StoreError, StoreFault, UnabridgedError
from unabridged.log import linked
from unabridged.message import Message, media_of
from unabridged.store.sessions import Project, Session, Store
from unabridged.store.stored_log import StoredLog


class Damage(StrEnum):
    """What can be wrong."""

    UNREADABLE = "unreadable"
    DIGEST = "digest"
    GAP = "gap"
    MEDIA_MISSING = "media_missing"
    MEDIA_CHANGED = "media_changed"
    MEDIA_UNUSED = "media_unused"
    ENGINE = "engine"


MEANINGS = {
    Damage.UNREADABLE: "an entry cannot be read",
    Damage.DIGEST: "an entry is not what was written: its digest does not follow from what stands before it",
    Damage.GAP: "entries are missing",
    Damage.MEDIA_MISSING: "the bytes of a picture, document, recording or large output are missing",
    Damage.MEDIA_CHANGED: "the bytes of a picture, document, recording or large output are not what was written",
    Damage.MEDIA_UNUSED: "bytes that no session uses; they take room and do no harm",
    Damage.ENGINE: "the database itself says that it is damaged",
}


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, and where."""

    damage: Damage
    project: str = ""
    session: str = ""
    seq: int | None = None
    detail: str = ""


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
        for head in chosen.all():
            yield _session(chosen, head.id)


def examine_engine(store: Store) -> tuple[Finding, ...]:
    """Ask the database itself, and look for bytes that nobody uses."""
    found: list[Finding] = []
    try:
        if store.database.name == "sqlite":
            said = [row[0] for row in store.database.rows("PRAGMA integrity_check(20)")]
            found += [Finding(Damage.ENGINE, detail=line) for line in said if line != "ok"]
        unused = (
            "SELECT project, digest FROM blobs WHERE NOT EXISTS (SELECT 1 FROM blob_uses JOIN sessions"
            " ON sessions.key = blob_uses.session AND sessions.project = blobs.project"
            " WHERE blob_uses.digest = blobs.digest)"
        )
        for project, digest in store.database.rows(unused):
            found.append(Finding(Damage.MEDIA_UNUSED, project, detail=bytes(digest).hex()))
    except StoreError as error:
        found.append(Finding(Damage.ENGINE, detail=str(error)))
    return tuple(found)


def _session(project: Project, id: str) -> Health:
    count, found = 0, list[Finding]()
    try:
        session = project.open(id)
        found += _blobs(project, session)
        for entry, finding in _entries(project, session):
            count += entry
            found += [finding] if finding is not None else []
    except StoreError as error:
        fault = Damage.ENGINE if error.fault is StoreFault.DAMAGED else Damage.UNREADABLE
        found.append(Finding(fault, project.name, id, detail=str(error)))
    except (UnabridgedError, KeyError, ValueError) as error:
        found.append(Finding(Damage.UNREADABLE, project.name, id, detail=str(error)))
    return Health(project.name, id, count, tuple(found))


def _entries(project: Project, session: Session) -> Iterator[tuple[bool, Finding | None]]:
    """Give, for each entry, True and what is wrong with it, and what is wrong between them."""
    log, previous, expected = session.log, "", 0
    for seq in log.seqs():
        if seq != expected:
            yield False, Finding(Damage.GAP, project.name, session.id, expected, f"{seq - expected} missing")
        expected = seq + 1
        entry, problem = _read(log, seq)
        if entry is None:
            yield True, Finding(Damage.UNREADABLE, project.name, session.id, seq, problem)
            previous = log.digest_at(seq)
            continue
        if entry.log_digest != linked(previous, sha256(payload_bytes(entry.payload)).digest()):
            yield True, Finding(Damage.DIGEST, project.name, session.id, seq)
        else:
            yield True, None
        previous = entry.log_digest
        if isinstance(entry.payload, MessageEntry):
            for digest in _missing(entry.payload.message, log):
                yield False, Finding(Damage.MEDIA_MISSING, project.name, session.id, seq, digest)


def _read(log: StoredLog, seq: int) -> tuple[Entry | None, str]:
    try:
        entry = log.entry(seq)
    except KeyError as missing:
        return None, f"a large output is missing: {missing.args[0]}"
    except (UnabridgedError, ValueError) as error:
        return None, str(error)
    if isinstance(entry.payload, UnknownEntry) and not entry.payload.kind:
        return None, "it is of no kind"
    return entry, ""


def _missing(message: Message, log: StoredLog) -> Iterator[str]:
    spans = message.raw.media if message.raw is not None else ()
    wanted = {media.digest for media in media_of(message) if media.digest} | {span.digest for span in spans}
    yield from (digest for digest in sorted(wanted) if digest not in log.media)


def _blobs(project: Project, session: Session) -> Iterator[Finding]:
    for digest in session.log.media:
        try:
            chunks = session.log.blobs.chunks(digest)
            actual = sha256()
            for chunk in chunks:
                actual.update(chunk)
        except KeyError:
            yield Finding(Damage.MEDIA_MISSING, project.name, session.id, detail=digest)
            continue
        if actual.hexdigest() != digest:
            yield Finding(Damage.MEDIA_CHANGED, project.name, session.id, detail=digest)

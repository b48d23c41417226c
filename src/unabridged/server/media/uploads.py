"""Uploads: files that wait to be used in a message, each under its SHA-256, for whoever sent it alone."""

from __future__ import annotations

import time

from unabridged.message import Media
from unabridged.server.config import ServerConfig
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.store.database import Database

_KEEP = (
    "INSERT INTO uploads (project, owner, digest, mime, created, data) VALUES (?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (project, owner, digest) DO UPDATE SET created = excluded.created"
)
_WAITING = "SELECT coalesce(sum(length(data)), 0) FROM uploads WHERE project = ? AND owner = ? AND digest <> ?"
_RENEW = "UPDATE uploads SET created = ? WHERE project = ? AND owner = ? AND digest = ?"
_FIND = "SELECT data FROM uploads WHERE project = ? AND owner = ? AND digest = ?"
_ANYBODYS = "SELECT data FROM uploads WHERE project = ? AND digest = ? LIMIT 1"
_SWEEP = "DELETE FROM uploads WHERE created < ? RETURNING 1"


class Uploads:
    """The uploads of a server."""

    def __init__(self, database: Database, config: ServerConfig) -> None:
        self._database = database
        self._config = config

    def keep(self, tenant: Tenant, media: Media, data: bytes) -> None:
        """Keep a file for whoever asks; the same bytes again wait anew. Raises `ApiError` 429 for too many."""
        owner, key = _owner(tenant), bytes.fromhex(media.digest or "")
        with self._database.transaction() as writing:
            if owner:
                (waiting,) = writing.rows(_WAITING, tenant.project, owner, key)[0]
                if int(waiting) + len(data) > self._config.max_waiting:
                    said = f"{int(waiting):,} bytes of uploads wait to be used: use them, or wait until they expire"
                    raise ApiError(429, "too_many_uploads", said, headers={"Retry-After": "3600"})
            writing.run(_KEEP, tenant.project, owner, key, media.mime, time.time(), data)

    def data(self, tenant: Tenant, digest: str) -> bytes | None:
        """Give the bytes of an upload of whoever asks, which waits anew from now on; None for anybody else's."""
        key = _key(digest)
        rows = self._database.rows(_FIND, tenant.project, _owner(tenant), key) if key else []
        if not rows:
            return None
        with self._database.transaction() as writing:
            writing.run(_RENEW, time.time(), tenant.project, _owner(tenant), key)
        return bytes(rows[0][0])

    def data_for_turn(self, project: str, digest: str) -> bytes | None:
        """Give the bytes of an upload to a turn that names it: whose it is was looked at when the turn was asked for.

        Bytes are the same under one digest, so it does not matter who of the project sent them.
        """
        key = _key(digest)
        rows = self._database.rows(_ANYBODYS, project, key) if key else []
        return bytes(rows[0][0]) if rows else None

    def sweep(self, now: float) -> int:
        """Remove what has waited for too long at this time (seconds since 1970), and give how many that were."""
        with self._database.transaction() as writing:
            return len(writing.rows(_SWEEP, now - self._config.upload_hours * 3_600))


def _owner(tenant: Tenant) -> str:
    return tenant.caller.owner or ""


def _key(digest: str) -> bytes | None:
    try:
        key = bytes.fromhex(digest)
    except ValueError:
        return None
    return key if len(key) == 32 else None

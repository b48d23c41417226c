"""API keys. A key is shown once, when it is made; what is stored is its SHA-256: it is 256 random bits, no password."""

from __future__ import annotations

import hashlib
import secrets
import time
import uuid

import msgspec

from unabridged.server.caller import Caller, Scope
from unabridged.server.problems import ApiError
from unabridged.server.settings import Limits
from unabridged.store.database import Database

PREFIX = "ub_"
"""By which a secret scanner knows a key."""


class Keys:
    """The keys of a server."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, scope: Scope, *, project: str = "", owner: str = "", label: str = "") -> tuple[str, str]:
        """Make a key; give its id, and the key itself, which nobody can give again."""
        id, secret = uuid.uuid4().hex[:16], PREFIX + secrets.token_urlsafe(32)
        sql = (
            "INSERT INTO api_keys (id, digest, project, scope, owner, label, created, expires)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, NULL)"
        )
        with self._database.transaction() as writing:
            writing.run(sql, id, _digest(secret), project, str(scope), owner, label, time.time())
        return id, secret

    def caller(self, secret: str) -> Caller:
        """Give who asks with a key. Raises `ApiError` 401."""
        sql = "SELECT id, scope, project, owner, limits FROM api_keys WHERE digest = ? AND coalesce(expires, ?) >= ?"
        now = time.time()
        rows = self._database.rows(sql, _digest(secret), now, now)
        if not rows:
            raise ApiError(401, "bad_key", "this API key is not known, or is no longer valid")
        id, scope, project, owner, limits = rows[0]
        return Caller(
            key=id,
            scope=Scope(scope),
            project=project,
            owner=owner if scope == Scope.USER else None,
            limits=msgspec.json.decode(limits, type=Limits),
        )


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode()).digest()

"""API keys. A key is shown once, when it is made; what is stored is its SHA-256: it is 256 random bits, no password.

A key is found by its digest, through an index. How long that takes may tell something of the digests that are stored,
and nothing of a key: nobody can choose a key for the digest that it has. The one key that is compared here, that of the
environment, is compared in constant time. No key is in a log, in an error or in what an object shows of itself.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time

import msgspec

from unabridged.errors import BadInput, NotFound
from unabridged.server.caller import Caller, Scope
from unabridged.server.problems import ApiError
from unabridged.server.settings import Limits
from unabridged.store.columns import is_storable, shown_title, storable
from unabridged.store.database import Database, Row, Transaction

PREFIX = "ub_"
"""By which a secret scanner knows a key."""
ENVIRONMENT = "environment"
"""What stands for the id of the key that the environment names."""
KEPT_S = 30 * 86_400.0
"""How long a key that is no longer valid is listed."""
CLEAN_S = 3_600.0
_COLUMNS = "id, scope, project, owner, label, created, expires, limits"


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """What a key is made for."""

    scope: Scope
    project: str = ""
    """"" for a key of the whole server."""
    owner: str = ""
    """The end user that it speaks for; "" for nobody."""
    label: str = ""
    expires: float | None = None
    """Seconds since 1970; None: it holds until it is revoked."""
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if (self.scope is Scope.ADMIN) is bool(self.project):
            raise BadInput("a key of an admin is of the whole server, every other one of a project: name it, or do not")
        if (self.scope is Scope.USER) is not bool(self.owner):
            raise BadInput("a key of an end user names its `owner`, and no other key does")
        storable("owner", self.owner)


class Key(Grant, frozen=True, kw_only=True):
    """A key as it may be shown: all of it but itself."""

    id: str
    created: float


class Keys:
    """The keys of a server."""

    def __init__(self, database: Database, *, admin: bytes | None = None) -> None:
        """`admin` is the digest of a key that the environment names; it needs no row."""
        self._database = database
        self._admin = admin
        self._clean = 0.0

    def create(
        self,
        scope: Scope,
        *,
        project: str = "",
        owner: str = "",
        label: str = "",
        expires_in_s: float | None = None,
        limits: Limits | None = None,
    ) -> tuple[str, str]:
        """Make a key; give its id, and the key itself, which nobody can give again."""
        grant = Grant(
            scope=scope,
            project=project if scope is not Scope.ADMIN else "",
            owner=owner,
            label=label,
            expires=time.time() + expires_in_s if expires_in_s is not None else None,
            limits=limits or Limits(),
        )
        with self._database.transaction() as writing:
            self._forget_old(writing)
            return write_key(writing, grant)

    def caller(self, secret: str) -> Caller:
        """Give who asks with a key. Raises `ApiError` 401."""
        digest = digest_of(secret)
        if self._admin is not None and hmac.compare_digest(digest, self._admin):
            return Caller(key=ENVIRONMENT, scope=Scope.ADMIN, project="")
        valid = "(expires IS NULL OR expires > ?)"
        sql = f"SELECT id, scope, project, owner, limits FROM api_keys WHERE digest = ? AND {valid}"
        rows = self._database.rows(sql, digest, time.time())
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

    def page(
        self, project: str, *, owner: str | None = None, after: str | None = None, limit: int = 50, old: bool = False
    ) -> list[Key]:
        """List the keys of a project, the newest first; "" has those of admins. `old`: also what holds no more."""
        sql, values = f"SELECT {_COLUMNS} FROM api_keys WHERE project = ?", [project]
        for condition, value in (("owner = ?", owner), ("id < ?", after)):
            if value is not None:
                storable("value", value)
                sql, values = f"{sql} AND {condition}", [*values, value]
        if not old:
            sql = f"{sql} AND (expires IS NULL OR expires > ?)"
        more = () if old else (time.time(),)
        return [_key(row) for row in self._database.rows(f"{sql} ORDER BY id DESC LIMIT ?", *values, *more, limit)]

    def find(self, id: str) -> Key:
        """Give a key of any project. Raises `NotFound`."""
        rows = self._database.rows(f"SELECT {_COLUMNS} FROM api_keys WHERE id = ?", id) if is_storable(id) else []
        if not rows:
            raise NotFound("key", id)
        return _key(rows[0])

    def revoke(self, project: str, id: str) -> None:
        """Have a key hold no longer, from now on and in every worker. Raises `NotFound`."""
        with self._database.transaction() as writing:
            self._held(writing, project, id)
            _end(writing, id, time.time())

    def rotate(self, project: str, id: str, overlap_s: float) -> tuple[str, str]:
        """Make a key that replaces another, which holds for so long beside it; give its id, and the key itself.

        A key that was to expire is replaced by one that does so too, at the same time. Raises `NotFound`, and
        `ApiError` 409 for a key that does not hold any more.
        """
        with self._database.transaction() as writing:
            old, now = self._held(writing, project, id), time.time()
            if old.expires is not None and old.expires <= now:
                raise ApiError(409, "key_expired", "this key is no longer valid: make a new one")
            _end(writing, id, now + overlap_s)
            return write_key(writing, msgspec.convert(old, Grant, from_attributes=True))

    def _held(self, writing: Transaction, project: str, id: str) -> Key:
        """Give a key that nobody else changes until the end of the transaction."""
        writing.lock(f"key {id}", shared=False)
        sql = f"SELECT {_COLUMNS} FROM api_keys WHERE id = ? AND project = ?"
        rows = writing.rows(sql, id, project) if is_storable(id) else []
        if not rows:
            raise NotFound("key", id)
        return _key(rows[0])

    def _forget_old(self, writing: Transaction) -> None:
        """Delete keys that have not held for long, now and then: keys of end users may be many."""
        if time.monotonic() >= self._clean:
            self._clean = time.monotonic() + CLEAN_S
            writing.lock("old keys", shared=False)
            writing.run("DELETE FROM api_keys WHERE expires < ?", time.time() - KEPT_S)


def write_key(writing: Transaction, grant: Grant) -> tuple[str, str]:
    """Write a new key; give its id, by which keys lie in the order in which they were made, and the key itself."""
    now, secret = time.time(), PREFIX + secrets.token_urlsafe(32)
    id = f"{int(now * 1_000):011x}{secrets.token_hex(4)}"
    limits = msgspec.json.encode(grant.limits).decode()
    writing.run(
        "INSERT INTO api_keys (digest, id, scope, project, owner, label, created, expires, limits)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        digest_of(secret),
        *(id, str(grant.scope), grant.project, grant.owner, shown_title(grant.label), now, grant.expires, limits),
    )
    return id, secret


def digest_of(secret: str) -> bytes:
    """Give what is stored of a key."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()


def _end(writing: Transaction, id: str, when: float) -> None:
    """Have a key hold until then, or for as long as it would have where that is shorter."""
    sql = "UPDATE api_keys SET expires = ? WHERE id = ? AND (expires IS NULL OR expires > ?)"
    writing.run(sql, when, id, when)


def _key(row: Row) -> Key:
    id, scope, project, owner, label, created, expires, limits = row
    return Key(
        id=id,
        scope=Scope(scope),
        project=project,
        owner=owner,
        label=label,
        created=created,
        expires=expires,
        limits=msgspec.json.decode(limits, type=Limits),
    )

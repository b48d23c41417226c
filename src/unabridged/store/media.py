"""Media and large texts of one session, by digest: read where they are looked at, written with their step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from hashlib import sha256

from unabridged.errors import BadInput, NotFound
from unabridged.store.database import Database, Transaction

KEPT_BYTES = 32 * 1024 * 1024
"""Of blobs that were read, how much is kept in memory."""
CHUNK = 1024 * 1024
_FIND = (
    "SELECT blobs.key, length(blobs.data) FROM blobs JOIN blob_uses ON blob_uses.digest = blobs.digest"
    " WHERE blobs.project = ? AND blobs.digest = ? AND blob_uses.session = ?"
)


class StoredBlobs(MutableMapping[str, bytes]):
    """The bytes that one session's messages refer to. What is put in is written with the next entries."""

    def __init__(self, database: Database, project: str, session: int) -> None:
        self._database = database
        self._project = project
        self._session = session
        self._new: dict[str, bytes] = {}
        self._read: dict[str, bytes] = {}

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, digest: str) -> bytes:
        known = self._new.get(digest, self._read.get(digest))
        if known is None:
            known = b"".join(self.chunks(digest))
            if sum(map(len, self._read.values())) + len(known) > KEPT_BYTES:
                self._read.clear()
            self._read[digest] = known
        return known

    def chunks(self, digest: str, size: int = CHUNK) -> Iterator[bytes]:
        """Give the bytes in pieces, for what is too large for memory. Raises `KeyError` for another session's."""
        if digest in self._new:
            yield from (self._new[digest][at : at + size] for at in range(0, len(self._new[digest]), size))
            return
        found = self._find(digest)
        if found is None:
            raise KeyError(digest)
        yield from self._database.chunks(found[0], size)

    def actual(self, digest: str) -> str:
        """Give the digest of the bytes as they lie there now: another one, where they were changed."""
        found = sha256()
        for chunk in self.chunks(digest):
            found.update(chunk)
        return found.hexdigest()

    def size(self, digest: str) -> int:
        """Give how many bytes there are. Raises `NotFound`."""
        if digest in self._new:
            return len(self._new[digest])
        found = self._find(digest)
        if found is None:
            raise NotFound("media item", digest)
        return found[1]

    def __setitem__(self, digest: str, data: bytes) -> None:
        if sha256(data).hexdigest() != digest:
            raise BadInput(f"the media {digest!r} are bytes of another digest: give each under the SHA-256 of itself")
        if digest not in self:
            self._new[digest] = data

    def __delitem__(self, digest: str) -> None:
        raise TypeError("media stay as long as their session")

    def __contains__(self, digest: object) -> bool:
        if not isinstance(digest, str):
            return False
        return digest in self._new or digest in self._read or self._find(digest) is not None

    def __iter__(self) -> Iterator[str]:
        yield from self._new
        uses = self._database.rows("SELECT digest FROM blob_uses WHERE session = ?", self._session)
        yield from (name for (digest,) in uses if (name := bytes(digest).hex()) not in self._new)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def waiting(self) -> bool:
        """Whether anything was put in that is not written yet."""
        return bool(self._new)

    def new(self, digests: Iterable[str]) -> dict[str, bytes]:
        """Give those of some media that are not written yet. What no entry refers to never is."""
        return {digest: self._new[digest] for digest in digests if digest in self._new}

    def written(self, digests: dict[str, bytes]) -> None:
        """Forget what was written."""
        for digest in digests:
            self._new.pop(digest, None)

    def write(self, blobs: dict[bytes, bytes], within: Transaction) -> None:
        """Write blobs that no session of the project has yet, and that this session uses them."""
        if not blobs:
            return
        within.lock(f"blobs of {self._project}", shared=True)
        within.run_each(
            "INSERT INTO blobs (project, digest, data) VALUES (?, ?, ?) ON CONFLICT (project, digest) DO NOTHING",
            [(self._project, digest, data) for digest, data in blobs.items()],
        )
        within.run_each(
            "INSERT INTO blob_uses (session, digest) VALUES (?, ?) ON CONFLICT (session, digest) DO NOTHING",
            [(self._session, digest) for digest in blobs],
        )

    def _find(self, digest: str) -> tuple[int, int] | None:
        try:
            key = bytes.fromhex(digest)
        except ValueError:
            return None
        rows = self._database.rows(_FIND, self._project, key, self._session)
        return (rows[0][0], rows[0][1]) if rows else None

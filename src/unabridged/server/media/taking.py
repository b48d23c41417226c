"""Media of a message: named by a digest or a URL when a turn is asked for, brought as bytes when it begins.

taken = intake.resolve(tenant, session, parts, served)      # in the request: what is wrong is a plain 4xx
Asked(text=taken.text, media=taken.digests, ...)            # stored: digests alone, so any worker can go on
brought = intake.bring(session, asked.media)                # where the turn runs
talk.transcript.append(message, media=brought.data)
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from unabridged.message import Media
from unabridged.server.config import ServerConfig
from unabridged.server.media.fetching import fetched
from unabridged.server.media.limits import check_media
from unabridged.server.media.reading import media_of_bytes
from unabridged.server.media.uploads import Uploads
from unabridged.server.models import Served
from unabridged.server.problems import ApiError
from unabridged.server.projects import Tenant
from unabridged.store import Session
from unabridged.store.database import Database

MOST_MEDIA = 200
"""Of one message. What a provider takes may be less."""
MOST_URLS = 10
FETCH_S = 20.0
"""For all URLs of a message together: its request waits for them."""


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """Media as a request names them: by the digest of an upload, or by a URL."""

    digest: str = ""
    url: str = ""


class MediaIntake:
    """Takes media into messages."""

    def __init__(self, database: Database, config: ServerConfig) -> None:
        self.uploads = Uploads(database, config)
        self._config = config

    def resolve(
        self, tenant: Tenant, session: Session | None, named: Sequence[Named], served: Served
    ) -> tuple[Media, ...]:
        """Find what a message names, and fetch what it names by URL: that becomes an upload of whoever asks.

        Media are uploads of whoever asks, or were shown in this very session before. Blocks: it fetches. Raises
        `ApiError` 422 for what is not there, cannot be fetched, or is nothing that the model takes.
        """
        if len(named) > MOST_MEDIA or sum(bool(part.url) for part in named) > MOST_URLS:
            said = f"a message takes {MOST_MEDIA} media at most, and of these {MOST_URLS} by their URL: send fewer"
            raise ApiError(422, "too_many_media", said)
        ends = time.monotonic() + FETCH_S
        found: dict[str, Media] = {}
        for part in named:
            media = self._fetched(tenant, part.url, ends) if part.url else self._held(tenant, session, part.digest)
            found[media.digest or ""] = media
            check_media(tuple(found.values()), served)  # at once: what is not taken is no reason to fetch the rest
        return tuple(found.values())

    def bring(self, session: Session, media: Sequence[Media]) -> dict[str, bytes]:
        """Give the bytes that a session does not have yet of the media of a turn that begins, by digest.

        Raises `ApiError` 422 for an upload that has expired.
        """
        new: dict[str, bytes] = {}
        for digest in dict.fromkeys(each.digest for each in media if each.digest):
            if digest in session.log.blobs:
                continue
            data = self.uploads.data_for_turn(session.project, digest)
            if data is None:
                raise _missing(digest)
            new[digest] = data
        return new

    def _held(self, tenant: Tenant, session: Session | None, digest: str) -> Media:
        digest = digest.lower()
        data = self.uploads.data(tenant, digest)
        if data is None and session is not None and digest in session.log.blobs:
            data = session.log.blobs[digest]
        if data is None:
            raise _missing(digest)
        return media_of_bytes(data)

    def _fetched(self, tenant: Tenant, url: str, ends: float) -> Media:
        left = ends - time.monotonic()
        if left <= 0:
            said = f"the files at the given URLs did not come within {FETCH_S:.0f} seconds: upload them instead"
            raise ApiError(422, "url_failed", said)
        data = fetched(url, most=self._config.max_upload, within_s=left, private=self._config.private_urls)
        media = media_of_bytes(data)
        self.uploads.keep(tenant, media, data)
        return media


def _missing(digest: str) -> ApiError:
    said = f"no upload of yours and no media of this session have the digest {digest[:64]!r}: upload the file first"
    return ApiError(422, "no_such_media", said)

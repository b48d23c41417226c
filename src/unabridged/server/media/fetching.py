"""Media by their URL: fetched by this server, once, and never named to a provider."""

from __future__ import annotations

import asyncio
import threading

from unabridged.public_web import WebError, WebFault, opened
from unabridged.server.media.limits import too_large
from unabridged.server.problems import ApiError

HOPS = 3
AT_ONCE = 16
"""Requests of a process that fetch at the same time: each keeps one of the threads that all routes share."""
_FETCHING = threading.BoundedSemaphore(AT_ONCE)
_REFUSED = (WebFault.ADDRESS, WebFault.UNKNOWN, WebFault.PRIVATE)


def fetched(url: str, *, most: int, within_s: float, private: bool) -> bytes:
    """Give the bytes that lie at a URL. Raises `ApiError` 422 where they cannot be had, and 503 where many fetch now.

    `within_s` is for all of it, from the look-up of the name to the last byte. Blocks: not for an event loop.
    """
    if not _FETCHING.acquire(timeout=min(within_s, 5.0)):
        said = "too many media are fetched from URLs at this moment: try again"
        raise ApiError(503, "fetching_busy", said, headers={"Retry-After": "5"})
    try:
        return asyncio.run(_within(url, most, within_s, private))
    finally:
        _FETCHING.release()


async def _within(url: str, most: int, within_s: float, private: bool) -> bytes:
    try:
        async with asyncio.timeout(within_s):
            return await _read(url, most, private)
    except TimeoutError:
        raise _failed(f"it did not come within {within_s:.0f} seconds") from None
    except WebError as error:
        if error.fault in _REFUSED:
            # The same words whether a name exists inside or nowhere: what is inside is nobody's business.
            said = "media are fetched from http:// and https:// addresses of the public web: upload the file instead"
            raise ApiError(422, "url_refused", said) from None
        if error.fault is WebFault.REDIRECTS:
            raise _failed(f"it leads on and on, more than {HOPS} times") from None
        raise _failed("its server did not answer") from None


async def _read(url: str, most: int, private: bool) -> bytes:
    # What comes is stored as it came: nothing is unpacked here that could be a thousand times larger than it looks.
    asked = {"Accept": "image/*, application/pdf, audio/*, video/*", "Accept-Encoding": "identity"}
    async with opened(url, private=private, hops=HOPS, headers=asked) as (_, response):
        if response.status_code != 200:
            raise _failed(f"its server answered with status {response.status_code}")
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise _failed("its server sends it packed, which was not asked for")
        said = response.headers.get("content-length", "")
        if said.isdigit() and int(said) > most:
            raise _large(most)
        data = bytearray()
        async for piece in response.aiter_raw():
            data += piece
            if len(data) > most:
                raise _large(most)
        return bytes(data)


def _failed(why: str) -> ApiError:
    return ApiError(422, "url_failed", f"the file at the given URL could not be fetched: {why}. Upload it instead")


def _large(most: int) -> ApiError:
    return too_large(f"the file at the given URL has more than {most:,} bytes: give a smaller one")

"""One attempt: the request goes out once, and its answer is read to the end or given up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Protocol, TypeVar, cast

from unabridged.models.failing import Broken
from unabridged.models.halves import Halves
from unabridged.models.model import Completed, Event
from unabridged.models.persistence import Limits
from unabridged.models.server_events import EventReader, ServerEvent

LINGER_S = 5.0
"""Behind the end mark of an answer, how long is waited for what may follow it: the usage."""

CLOSE_S = 0.3
"""Behind the last event, how long is waited for the end of the response: a connection read to its end is used again."""

_T = TypeVar("_T")


class Response(Protocol):
    """An answer that begins to come, as the HTTP clients of the SDKs give it."""

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """Give its bytes as they come, decompressed."""
        ...

    async def aclose(self) -> None:
        """Close it; where it was not read to its end, the connection with it."""
        ...


class Assembly(Protocol):
    """Puts one answer together, in one dialect."""

    @property
    def ended(self) -> bool:
        """Whether the provider's end mark came: what was said until now is all of the answer."""
        ...

    @property
    def closed(self) -> bool:
        """Whether nothing more can follow."""
        ...

    def take(self, event: ServerEvent) -> Iterator[Event]:
        """Take in one event of the stream, or the one body of an answer that was not streamed.

        Raises `Refusal` for an error, and `Broken` for what cannot be read.
        """
        ...

    def completed(self) -> Completed:
        """Give the answer."""
        ...


async def attempt(send: Callable[[], Awaitable[Response]], assembly: Assembly, limits: Limits) -> AsyncGenerator[Event]:
    """Give the events of one attempt. Raises `Broken` where the answer ends before its end mark."""
    halves = Halves()
    response = await _within(limits.idle_s, send(), limits)
    try:
        async with aclosing(_received(response, assembly, limits)) as received:
            async for event in received:
                for each in () if assembly.closed else assembly.take(event):
                    for whole in halves.joined(each):
                        yield whole
    except Exception:  # whatever broke behind the end mark, the answer is whole
        if not assembly.ended:
            raise
    finally:
        await response.aclose()
    if not assembly.ended:
        raise Broken("the stream ended before the answer did")
    for half in halves.left():
        yield half
    yield assembly.completed()


async def _received(response: Response, assembly: Assembly, limits: Limits) -> AsyncGenerator[ServerEvent]:
    reader = EventReader()
    async with aclosing(cast("AsyncGenerator[bytes]", response.aiter_bytes())) as chunks:  # a generator in every client
        while True:
            linger_s = CLOSE_S if assembly.closed else LINGER_S if assembly.ended else limits.idle_s
            chunk = await _within(min(linger_s, limits.idle_s), anext(chunks, None), limits)
            if chunk is None:
                break
            for event in reader.feed(chunk):
                yield event
    for event in reader.finish():
        yield event


async def _within(idle_s: float, coming: Awaitable[_T], limits: Limits) -> _T:
    seconds = min(idle_s, limits.left())
    clock = asyncio.timeout(seconds)
    try:
        async with clock:
            return await coming
    except TimeoutError as error:
        if not clock.expired():
            raise
        waited = f"nothing came for {idle_s:g} s" if seconds == idle_s else "the time for one answer was over"
        raise Broken(waited) from error

"""Asking again: which failures pass, how long is waited, and when it is given up.

A request that the provider has begun to work on with tools of its own is never sent twice: it would run them twice.
What a smaller request, another key or a mended history is needed for is raised at once.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import msgspec

from unabridged.errors import UnabridgedError
from unabridged.models.failing import Broken, Refusal
from unabridged.models.model import Event, ModelError, Patience, Restarted, ToolRan
from unabridged.models.overflow import CAUSES, meaning_of
from unabridged.models.refusal.evidence import evidence_of
from unabridged.models.refusal.meaning import ErrorKind, Meaning
from unabridged.models.refusal.quoting import READ
from unabridged.redact import quotable

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
"""Where the provider names no time: the pauses double up to this, and each is shortened by chance down to its half, so
that clients which were refused together do not come back together."""

_OF_THE_LINE = frozenset({"TransportError", "APIConnectionError"})
"""Classes of the SDKs and of what they send with, by name: nothing of them is imported here."""
_OF_THE_CALLER = frozenset({"UnsupportedProtocol", "LocalProtocolError", "InvalidURL"})
_OF_THE_SERVER = frozenset(
    {"api_error", "server_error", "internal_error", "internal_server_error", "timeout_error", "internal", "unavailable"}
)
"""Codes of errors inside a stream, which has no status any more."""


class Limits(msgspec.Struct, frozen=True):
    """How long one attempt may take."""

    idle_s: float
    deadline: float
    """By `time.monotonic`."""

    def left(self) -> float:
        """Give the seconds until the deadline."""
        return self.deadline - time.monotonic()


async def persist(
    attempt: Callable[[Limits], AsyncGenerator[Event]], patience: Patience, window: int | None
) -> AsyncGenerator[Event]:
    """Give the events of the first attempt that comes to its end, with a `Restarted` between two attempts.

    Raises `ModelError` when no attempt is left, no time is left, or another attempt would not help.
    """
    limits = Limits(patience.idle_s, time.monotonic() + patience.total_s)
    ran = False
    number = 0
    while True:
        number += 1
        try:
            async with aclosing(attempt(limits)) as events:
                async for event in events:
                    ran = ran or isinstance(event, ToolRan)
                    yield event
            return
        except UnabridgedError:
            raise
        except Exception as error:  # SDKs raise what they like, and so do the parts below them
            meaning = meaning_of(error.said if isinstance(error, Refusal) else error, window=window)
            wait = _pause(number, meaning, patience) if not ran and _passes(error, meaning) else None
            if wait is None or wait >= limits.left():
                raise ModelError(meaning, ran=ran) from _quotable(error)
        yield Restarted(why=meaning, wait_s=wait)
        await asyncio.sleep(wait)


def _quotable(error: Exception) -> Exception | None:
    """Give an error as a cause, unless it or what is behind it says what may be a key: tracebacks end up in logs."""
    behind: BaseException | None = error
    for _ in range(CAUSES):
        if behind is None:
            return error
        said = str(behind)
        if len(said) > READ or quotable(said) != said:
            return None
        behind = behind.__cause__ or behind.__context__
    return None


def _pause(number: int, meaning: Meaning, patience: Patience) -> float | None:
    """Give the seconds until the next attempt; None where there is none."""
    if number >= patience.attempts:
        return None
    if meaning.retry_after_s is not None:
        return meaning.retry_after_s
    longest = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** (number - 1))
    return longest * random.uniform(0.5, 1)


def _passes(error: Exception, meaning: Meaning) -> bool:
    """Tell whether the very same request may succeed later."""
    if meaning.kind is not ErrorKind.OTHER:
        return meaning.waiting_helps
    if isinstance(error, Broken):
        return True
    if meaning.status is not None:
        return meaning.status == 408 or meaning.status >= 500
    if isinstance(error, Refusal):
        return not _OF_THE_SERVER.isdisjoint(evidence_of(error.said).codes)
    return _is_of_the_line(error)


def _is_of_the_line(error: BaseException) -> bool:
    chain = [error, *([error.__cause__] if error.__cause__ is not None else [])]
    names = {each.__name__ for one in chain for each in type(one).__mro__}
    found = not names.isdisjoint(_OF_THE_LINE) or any(isinstance(one, OSError) for one in chain)
    return found and names.isdisjoint(_OF_THE_CALLER)

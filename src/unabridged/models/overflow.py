"""What a provider's error means: was the request too long, for which window, and if not, what else is wrong.

    meaning = meaning_of(error)                 # of any SDK; or a body, an event, a text
    if meaning.kind is ErrorKind.OVERFLOW:
        fitted = talk.overflowed(meaning.limit)

No status proves a kind: quotas come as 413, overflows as 200. So words and codes decide, wherever they stand, and those
that only look like an overflow are asked first: rates and quotas, broken structure, filters, output limits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import msgspec

from unabridged.engine import Overflow
from unabridged.models.model import ModelError
from unabridged.models.refusal.evidence import Evidence, evidence_of
from unabridged.models.refusal.meaning import ErrorKind, Meaning, least_answer
from unabridged.models.refusal.numbers import Numbers, numbers_of
from unabridged.models.refusal.provider import provider_of
from unabridged.models.refusal.quoting import quote_of
from unabridged.models.refusal.vocabulary import (
    BILLING,
    CONTENT_FILTER,
    FIELD,
    KNOWN,
    OUTPUT,
    OVERFLOW,
    OVERFLOW_CODES,
    PAYLOAD,
    RATE,
    REFUSALS,
    STRUCTURE,
    words,
)
from unabridged.models.refusal.waiting import waiting_in_text

__all__ = ["ErrorKind", "Meaning", "meaning_of", "overflow_of"]

CAUSES = 6
"""Causes of an exception that are looked into."""
NEAR = 0.8
"""From this share of the window on, a refusal that nobody explains is suspected to be an overflow."""

_ADDRESS = re.compile(r"https?://\S+")
_STATUS = re.compile(
    r"(?:error code|status(?: code)?|http(?:/[\d.]{1,3})?):? ([45]\d\d)\b|^\W{0,3}([45]\d\d)\b", re.MULTILINE
)

_NONE: frozenset[str] = frozenset()
_ORDER = (
    (ErrorKind.RATE_LIMIT, (*RATE, *BILLING), _NONE),
    (ErrorKind.STRUCTURE, STRUCTURE, _NONE),
    (ErrorKind.CONTENT_FILTER, CONTENT_FILTER, REFUSALS),
    (ErrorKind.OTHER, FIELD, _NONE),
    (ErrorKind.OUTPUT_LIMIT, OUTPUT, _NONE),
    (ErrorKind.OVERFLOW, OVERFLOW, OVERFLOW_CODES),
    (ErrorKind.PAYLOAD, PAYLOAD, _NONE),
)
"""Kinds with their words and their codes, in the order in which they are asked. A quota in tokens says "too large", an
output limit says "exceeds the limit": both come before the overflow that they look like."""

_NUMBERED = (ErrorKind.OVERFLOW, ErrorKind.OUTPUT_LIMIT, ErrorKind.RATE_LIMIT, ErrorKind.PAYLOAD)
"""Kinds whose numbers are a limit and a size; elsewhere they are positions, and lengths of fields."""


def meaning_of(
    error: object,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    sent: int | None = None,
    window: int | None = None,
) -> Meaning:
    """Tell what an error means. Never raises, whatever it is given, and its work is bounded.

    `error` is what a client has in hand: an exception of any SDK, a response, its body (bytes, text or decoded; of a
    200 too), an event of a stream, a sentence. `status` and `headers` are those of the response, where it does not hold
    them. `sent` (tokens of the request by our count) and `window` let an unexplained refusal be suspected, and a
    request be compared with a quota.
    """
    first: Meaning | None = None
    for each in _with_causes(error):
        carried = cast(ModelError, each).meaning if issubclass(type(each), ModelError) else None
        if carried is not None and carried.kind is not ErrorKind.OTHER:
            return carried
        found = evidence_of(each, status) if carried is None else evidence_of(carried.quote, carried.status)
        if headers is not None and found.retry_after_s is None:
            wait = evidence_of({"headers": headers}).retry_after_s
            found = msgspec.structs.replace(found, retry_after_s=wait)
        meaning = _meaning(found, str(type(each).__module__), sent=sent, window=window)
        if meaning.kind is not ErrorKind.OTHER:
            return meaning
        first = first or meaning
    return first or Meaning(kind=ErrorKind.OTHER)


def overflow_of(error: object) -> Overflow | None:
    """Give what the engine is told of an error: the window that was named, or None where the input was not too long.

    An output limit is none: ask for less output (`Meaning.output_allowed`) and leave the history as it is.
    """
    meaning = meaning_of(error)
    return Overflow(meaning.limit) if meaning.kind is ErrorKind.OVERFLOW else None


def _with_causes(error: object) -> Iterator[object]:
    """Give an exception and what it was raised from.

    Not what was being handled when it was raised: in a loop that answers an overflow, that is the overflow, whatever
    went wrong afterwards.
    """
    yield error
    for _ in range(CAUSES):
        # `isinstance` asks the object as well, which may raise.
        error = cast(BaseException, error).__cause__ if issubclass(type(error), BaseException) else None
        if error is None:
            return
        yield error


def _meaning(found: Evidence, module: str, *, sent: int | None, window: int | None) -> Meaning:
    said = _ADDRESS.sub("", "\n".join((*found.codes, *found.texts)).lower())
    named = next(iter(_STATUS.findall(said)), ("", ""))
    status = found.status or int(named[0] or named[1] or 0) or None
    kind, matched = _by_words(said, found.codes) or _by_status(status)
    numbers = _numbers(kind, found)
    suspected = matched is None and _is_near(said, status, sent, window)
    wait = found.retry_after_s if found.retry_after_s is not None else waiting_in_text(said)
    is_rate = kind is ErrorKind.RATE_LIMIT
    return Meaning(
        kind=ErrorKind.OVERFLOW if suspected else _blamed(kind, numbers),
        limit=numbers.limit,
        requested=numbers.requested,
        input=numbers.input,
        output=numbers.output,
        output_allowed=_allowed(numbers),
        suspected=suspected,
        alone_over_quota=is_rate and "token" in said and _exceeds(numbers, sent),
        billing=is_rate and wait is None and (status == 402 or words(BILLING).search(said) is not None),
        retry_after_s=wait,
        status=status,
        provider=provider_of(said, found.address, module),
        quote=quote_of(found.texts, matched),
    )


def _numbers(kind: ErrorKind, found: Evidence) -> Numbers:
    if kind not in _NUMBERED:
        return Numbers()
    numbers = numbers_of(found.texts, found.numbers, of_output=kind is ErrorKind.OUTPUT_LIMIT)
    if kind is ErrorKind.PAYLOAD:  # bytes are no tokens of input
        return msgspec.structs.replace(numbers, input=None)
    if kind is ErrorKind.OVERFLOW and numbers.limit and numbers.requested and numbers.requested <= numbers.limit:
        # Such a window would have held the request: the number means something else, and teaches nothing.
        return msgspec.structs.replace(numbers, limit=None)
    return numbers


def _by_words(said: str, codes: Sequence[str]) -> tuple[ErrorKind, re.Pattern[str] | None] | None:
    """Decide by what was said; the order is the point."""
    for kind, patterns, alone in _ORDER:
        matched = words(patterns)
        if matched.search(said) or not alone.isdisjoint(codes):
            return kind, matched
    return None


def _by_status(status: int | None) -> tuple[ErrorKind, None]:
    """Decide where the words say nothing."""
    kinds = {402: ErrorKind.RATE_LIMIT, 429: ErrorKind.RATE_LIMIT, 529: ErrorKind.RATE_LIMIT, 413: ErrorKind.PAYLOAD}
    return kinds.get(status or 0, ErrorKind.OTHER), None


def _blamed(kind: ErrorKind, numbers: Numbers) -> ErrorKind:
    """Decide between input and output where both were named: the input only where it leaves no room for an answer."""
    window, given, asked = numbers.limit, numbers.input, numbers.output
    if kind not in (ErrorKind.OVERFLOW, ErrorKind.OUTPUT_LIMIT) or window is None or given is None or asked is None:
        return kind
    return ErrorKind.OVERFLOW if given > window - least_answer(window) else ErrorKind.OUTPUT_LIMIT


def _allowed(numbers: Numbers) -> int | None:
    """Give the output that may be asked for: what the provider named, or what the window leaves."""
    if numbers.output_allowed is not None or numbers.output is None:
        return numbers.output_allowed
    if numbers.limit is None or numbers.input is None or numbers.input >= numbers.limit:
        return None
    return numbers.limit - numbers.input


def _exceeds(numbers: Numbers, sent: int | None) -> bool:
    requested = numbers.requested if numbers.requested is not None else sent
    return numbers.limit is not None and requested is not None and requested > numbers.limit


def _is_near(said: str, status: int | None, sent: int | None, window: int | None) -> bool:
    """Tell whether a refusal is unexplained, and the request so large that its size may be the reason."""
    if sent is None or window is None or status not in (400, 413):
        return False
    return sent >= NEAR * window and not words(KNOWN).search(said)

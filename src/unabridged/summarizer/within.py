"""One deadline for all that a summary takes: calls, pauses, chunks and merging.

A summarizer is given up, not waited for: when its time is over its task is cancelled, and what it says later finds
nobody. Only async ones can be stopped so; one that blocks the loop, or a thread of its own, its owner must stop.
"""

from __future__ import annotations

from typing import cast

from unabridged.errors import BadSetting
from unabridged.report import Fallback
from unabridged.summarizer.quoting import brief
from unabridged.summarizer.request import NoSummary, Summarizer, Summary, SummaryRequest, WhyNoSummary
from unabridged.summarizer.size import flaw_in_size

GRACE_S = 0.2
"""Seconds that a cancelled summarizer has to close its connections before nobody waits for it any more."""
LONGEST_DETAIL = 200


async def summarize_within(summarizer: Summarizer, request: SummaryRequest, timeout_s: float) -> Summary | NoSummary:
    """Give a summary that fits `request.limit` and is smaller than what it replaces, or say why there is none.

    Takes at most `timeout_s` seconds, and a moment for cancelling. Raises nothing that the summarizer raises; if the
    caller itself is cancelled, so is the summarizer. Raises `BadSetting` for a time that is no time.
    """
    import asyncio  # takes longer to load than all of this package, and most processes never ask a model

    if not timeout_s > 0:
        raise BadSetting("summarizerTimeoutS", timeout_s, "give a number of seconds above 0")
    if not request.messages:
        return NoSummary(fallback=Fallback.NOTHING_TO_SUMMARIZE, reason=WhyNoSummary.NO_MESSAGES)
    task = asyncio.ensure_future(_asked(summarizer, request))
    try:
        await asyncio.wait({task}, timeout=timeout_s)
        in_time = task.done()
    finally:
        # Not `asyncio.timeout`: a summarizer that swallows its cancellation would hold the turn for ever.
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=GRACE_S)
    if not in_time:
        return NoSummary(fallback=Fallback.SUMMARIZER_TIMED_OUT, reason=WhyNoSummary.DEADLINE)
    return _failed(asyncio.CancelledError("it cancelled itself")) if task.cancelled() else task.result()


async def _asked(summarizer: Summarizer, request: SummaryRequest) -> Summary | NoSummary:
    try:
        given = await summarizer.summarize(request)
    except Exception as error:  # a foreign client may raise anything, and the turn has to go on
        return _failed(error)
    if isinstance(given, NoSummary):
        return given
    flaw = flaw_in_size(given.text, request)
    if flaw is None:
        return given
    return NoSummary(
        fallback=Fallback.SUMMARIZER_RETURNED_NOTHING,
        reason=flaw,
        model=given.model,
        usage=given.usage,
        calls=given.calls,
    )


def _failed(error: BaseException) -> NoSummary:
    if isinstance(error, BaseExceptionGroup):  # of several calls side by side the first that failed says why
        several = cast("BaseExceptionGroup[BaseException]", error)
        return _failed(several.exceptions[0])
    detail = brief(f"{type(error).__name__}: {error}", LONGEST_DETAIL)
    if isinstance(error, TimeoutError):
        return NoSummary(fallback=Fallback.SUMMARIZER_TIMED_OUT, reason=WhyNoSummary.CLIENT_TIMEOUT, detail=detail)
    return NoSummary(fallback=Fallback.SUMMARIZER_FAILED, reason=WhyNoSummary.RAISED, detail=detail)

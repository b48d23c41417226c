"""Servers that cut the input and say nothing: what their usage betrays.

Ollama keeps half of its window and answers with status 200; others fill the window and have no room to answer; others
report one number for ever. The front of the prompt is what goes: system text, tools and the task.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

import msgspec

from unabridged.report import Usage

FAR_BELOW = 0.5
"""A report below this share of what was sent is no error of ours: whole requests are off by some percent
(`docs/counting.md`), and never by half unless one sign repeated is all that they hold."""
LEAST = 512
"""Tokens that must be missing, or have been added, before anything is said."""
GROWTH = 0.02
"""Share of a request by which the next one must be larger, to say that the same report stands still."""
FULL = 0.99
LEAST_POWER = 1_024


class CutReason(enum.StrEnum):
    """What gives it away."""

    NO_ROOM = "no_room_to_answer"
    """Nothing was answered, and the prompt fills the window."""
    OVER_WINDOW = "over_the_window"
    """More input is reported than the window holds."""
    STANDS_STILL = "usage_stands_still"
    """The same number as before, to the token, though more was sent."""
    FILLED = "filled_exactly"
    """Less than was sent, and exactly the window or a power of two."""
    FAR_BELOW = "far_below"
    """Less than half of what was sent."""


class Exchange(msgspec.Struct, frozen=True):
    """One answered request: its tokens by our count, and what the server reported."""

    sent: int
    usage: Usage


class SilentCut(msgspec.Struct, frozen=True, kw_only=True):
    """A server that probably did not read all of the request."""

    reason: CutReason
    sent: int
    read: int
    """Tokens that the server reported as input."""
    limit: int | None
    """The window that it seems to have, in tokens. None where the report does not tell."""
    says: str
    """The same as a sentence, for people."""


def silent_cut(exchanges: Sequence[Exchange], *, window: int | None = None) -> SilentCut | None:
    """Tell whether the server probably cut the last request; None where nothing speaks for it.

    `exchanges` of one model at one endpoint, oldest first; earlier ones are only compared with. `window` is the one
    that the server is believed to have. A report of nothing is no report.
    """
    if not exchanges:
        return None
    last, earlier = exchanges[-1], exchanges[:-1]
    if last.usage.input <= 0:
        return None
    return _by_window(last, window) or _by_comparison(last, earlier, window)


def _by_window(last: Exchange, window: int | None) -> SilentCut | None:
    read = last.usage.input
    if window is None or window <= 0 or read < FULL * window:
        return None
    if last.usage.output == 0:
        return _cut(CutReason.NO_ROOM, last, window, "and has no room left to answer")
    if read > window:
        return _cut(CutReason.OVER_WINDOW, last, window, f"which is more than its window of {window:,}")
    return None


def _by_comparison(last: Exchange, earlier: Sequence[Exchange], window: int | None) -> SilentCut | None:
    read = last.usage.input
    if any(_stands_still(each, last) for each in earlier):
        return _cut(CutReason.STANDS_STILL, last, read, "as for a smaller request before")
    if last.sent > read and (read == window or _is_power(read)):
        return _cut(CutReason.FILLED, last, read, "which is exactly the size of a window")
    if read < FAR_BELOW * last.sent and last.sent - read >= LEAST and not _counts_the_new_only(earlier, last):
        return _cut(CutReason.FAR_BELOW, last, None, "less than half of it")
    return None


def _stands_still(before: Exchange, now: Exchange) -> bool:
    grown = now.sent - before.sent
    return before.usage.input == now.usage.input and grown >= max(LEAST, int(GROWTH * before.sent))


def _counts_the_new_only(earlier: Sequence[Exchange], last: Exchange) -> bool:
    """Tell whether the report is about what the last request added: some servers leave out what their cache held."""
    if not earlier:
        return False
    grown = last.sent - earlier[-1].sent
    return grown > 0 and last.usage.input <= 2 * grown and earlier[-1].usage.input >= FAR_BELOW * earlier[-1].sent


def _is_power(tokens: int) -> bool:
    return tokens >= LEAST_POWER and tokens & (tokens - 1) == 0


def _cut(reason: CutReason, last: Exchange, limit: int | None, how: str) -> SilentCut:
    read = last.usage.input
    says = f"the server reports {read:,} tokens of input for a request of about {last.sent:,}, {how}"
    advice = "it probably cut the front of the request" if reason is not CutReason.OVER_WINDOW else "it may have cut it"
    return SilentCut(reason=reason, sent=last.sent, read=read, limit=limit, says=f"{says}: {advice}")

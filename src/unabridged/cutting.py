"""Where a text may be cut, how much of it fits, and what a cut message looks like."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from unabridged.tokens import TokenCounter

HEAD_SHARE = 0.6
"""Of what is kept, the share at the start: the start says what a text is, the end how it went."""
LINE_REACH = 0.15
"""How far, as a share of what is kept, a cut moves to fall between two lines."""
ESCAPE_REACH = 16
"""Characters looked at on both sides of a cut for an escape that it would split."""

_ESCAPES = re.compile(
    r"\\(?:u[0-9a-fA-F]{4}(?:\\u[dD][c-fC-F][0-9a-fA-F]{2})?|x[0-9a-fA-F]{2}|.)"  # JSON and C escapes
    r"|\x1b\[[0-9;?]*[ -/]*[@-~]"  # terminal colours
    r"|&(?:#\d{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,8});"  # entities
    r"|(?:%[0-9A-Fa-f]{2})+"  # percent-encoded bytes
    r"|\r\n",
    re.DOTALL,
)
_JOINER = "\u200d"
_VIRAMA = 9
"""Combining class of the sign that joins an Indic consonant to the next."""


def safe_cut(text: str, at: int) -> int:
    """Give the nearest position at or before `at` where a cut splits no character that a reader sees as one.

    No half emoji (joined, coloured or flag), no letter without its accents, no half surrogate pair, no half
    escape of JSON, terminal or HTML.
    """
    if at <= 0 or at >= len(text):
        return max(0, min(at, len(text)))
    previous = -1
    while at != previous and at > 0:
        previous = at
        at = _outside_escape(text, at)
        at = _outside_cluster(text, at)
    return at


def _outside_escape(text: str, at: int) -> int:
    start = max(0, at - ESCAPE_REACH)
    while start > 0 and text[start - 1] == "\\":
        start -= 1  # begin before a run of backslashes, so that pairs are seen as pairs
    for match in _ESCAPES.finditer(text, start, min(len(text), at + ESCAPE_REACH)):
        if match.start() < at < match.end():
            return match.start()
        if match.start() >= at:
            break
    return at


def _outside_cluster(text: str, at: int) -> int:
    while 0 < at < len(text) and _belongs_together(text[at - 1], text[at]):
        at -= 1
    flags = 0
    while at - flags > 0 and "\U0001f1e6" <= text[at - flags - 1] <= "\U0001f1ff":
        flags += 1
    if flags % 2 and at < len(text) and "\U0001f1e6" <= text[at] <= "\U0001f1ff":
        return at - 1
    return at


def _belongs_together(before: str, after: str) -> bool:
    if after < "\u0300" and before < "\u0300":
        return False
    return (
        unicodedata.category(after)[0] == "M"  # accents, vowel signs, variation selectors
        or _JOINER in (before, after)
        or unicodedata.combining(before) == _VIRAMA
        or "\U0001f3fb" <= after <= "\U0001f3ff"  # skin tones
        or "\U000e0020" <= after <= "\U000e007f"  # tags of regional flags
        or "\udc00" <= after <= "\udfff"  # the second half of a surrogate pair
        or after == "\u0e33"  # Thai sara am: a letter by category, a vowel sign to its reader
    )


def _at_line(text: str, at: int, reach: int, *, forward: bool) -> int:
    """Move a cut to the nearest line border within `reach`, only ever towards keeping less."""
    if forward:
        found = text.find("\n", at, at + reach)
        return found + 1 if found != -1 else at
    found = text.rfind("\n", max(0, at - reach), at)
    return found + 1 if found != -1 else at


def head_and_tail(text: str, characters: int) -> tuple[tuple[int, int], ...]:
    """Give the ranges that keep about `characters` of a text: its head and its tail, cut where one may cut."""
    head = int(characters * HEAD_SHARE)
    reach = int(characters * LINE_REACH)
    head_end = safe_cut(text, _at_line(text, head, reach, forward=False))
    start = len(text) - (characters - head)
    tail_start = _at_line(text, start, reach, forward=True)
    moved = safe_cut(text, tail_start)
    if moved < tail_start:  # a tail must not begin inside either: go on to the end of what would be split
        tail_start = _after(text, tail_start)
    tail_start = max(tail_start, head_end)
    return ((0, head_end), (tail_start, len(text))) if tail_start < len(text) else ((0, head_end),)


def _after(text: str, at: int) -> int:
    while at < len(text) and safe_cut(text, at) != at:
        at += 1
    return at


def render(text: str, keep: Sequence[tuple[int, int]], marker: str) -> str:
    """Give the text that is shown: the ranges kept, with the marker on a line of its own where the middle was."""
    head = text[keep[0][0] : keep[0][1]]
    tail = "".join(text[start:end] for start, end in keep[1:])
    before = "\n" if head and not head.endswith("\n") else ""
    after = "\n" if tail else ""
    return f"{head}{before}{marker}{after}{tail}"


def shorten(
    text: str, tokens: int, counter: TokenCounter, mark: Callable[[tuple[tuple[int, int], ...], int], str]
) -> tuple[tuple[tuple[int, int], ...], int]:
    """Find the ranges whose rendering, marker included, takes at most `tokens`; give them and what they take.

    Exact: the rendering is counted, and made smaller until it fits. At the least a few characters stay.
    """
    whole = max(1, counter.count(text))
    characters = int(len(text) * min(1.0, tokens / whole))
    while True:
        keep = head_and_tail(text, max(0, characters))
        taken = counter.count(render(text, keep, mark(keep, len(text))))
        if taken <= tokens or characters <= 0:
            return keep, taken
        over = taken - tokens
        characters -= max(1, int(characters * min(0.5, over / taken)), characters // 50)

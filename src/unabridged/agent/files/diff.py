"""What changed between two texts: as a unified diff, in numbers, and as ranges of lines.

Lines that stand once in both texts are matched first, so that a long file with few changes takes no longer than
reading it; only what lies between is compared in detail.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

import msgspec

_CONTEXT = 3
_DETAIL = 1_000
"""Lines of both sides together that are compared in detail; longer stretches without a match count as replaced."""

Change = tuple[int, int, int, int]
"""Lines from and to, before; lines from and to, after."""


class Difference(msgspec.Struct, frozen=True):
    """How one text came out of another."""

    diff: str
    added: int
    removed: int
    where: tuple[tuple[int, int], ...]
    """First and last changed lines of the text after, from 1. Where lines only went, the line before."""

    def said(self) -> str:
        """Say it in a few words: `lines 3-5, 9 (+3 -1)`."""
        places = [str(first) if first == last else f"{first}-{last}" for first, last in self.where[:20]]
        more = f" and {len(self.where) - 20} more places" if len(self.where) > 20 else ""
        word = "line" if len(places) == 1 and "-" not in places[0] else "lines"
        return f"{word} {', '.join(places)}{more} (+{self.added} -{self.removed})"


def difference(before: str | None, after: str | None, name: str) -> Difference:
    """Compare two texts with plain line ends; None is a file that is not there."""
    old, new = _lines(before or ""), _lines(after or "")
    changes = list(_merged(_changes(old, new)))
    head = [f"--- {'/dev/null' if before is None else f'a/{name}'}\n"]
    head.append(f"+++ {'/dev/null' if after is None else f'b/{name}'}\n")
    body = [line for hunk in _hunks(changes) for line in _hunk(hunk, old, new)]
    return Difference(
        diff="".join([*head, *body]) if body else "",
        added=sum(to - start for _, _, start, to in changes),
        removed=sum(to - start for start, to, _, _ in changes),
        where=tuple((max(1, min(start + 1, to)), max(1, to)) for _, _, start, to in changes),
    )


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    # What follows the last line end is no line where it is empty; one without an end differs from one with.
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    start, most = 0, min(len(old), len(new))
    while start < most and old[start] == new[start]:
        start += 1
    end = 0
    while end < most - start and old[-1 - end] == new[-1 - end]:
        end += 1
    at, other = start, start
    stop, other_stop = len(old) - end, len(new) - end
    for place, other_place in [*_anchors(old[start:stop], new[start:other_stop], start), (stop, other_stop)]:
        yield from _between(old, new, (at, place, other, other_place))
        at, other = place + 1, other_place + 1


def _anchors(old: Sequence[str], new: Sequence[str], start: int) -> list[tuple[int, int]]:
    """Give the longest row of lines that stand once in both texts, in the same order."""
    if len(old) + len(new) <= _DETAIL:
        return []
    once, once_new = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(new) if once_new[line] == 1}
    pairs = [(at, places[line]) for at, line in enumerate(old) if once[line] == 1 and line in places]
    ends: list[int] = []
    rows: list[int] = []
    back: list[int] = []
    for number, (_, place) in enumerate(pairs):
        slot = bisect_left(ends, place)
        back.append(rows[slot - 1] if slot else -1)
        ends[slot : slot + 1] = [place]
        rows[slot : slot + 1] = [number]
    found: list[tuple[int, int]] = []
    number = rows[-1] if rows else -1
    while number >= 0:
        found.append((pairs[number][0] + start, pairs[number][1] + start))
        number = back[number]
    return found[::-1]


def _between(old: Sequence[str], new: Sequence[str], gap: Change) -> Iterator[Change]:
    first, last, start, to = gap
    if last - first + to - start > _DETAIL or first == last or start == to:
        if first < last or start < to:
            yield gap
        return
    matcher = SequenceMatcher(None, old[first:last], new[start:to], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield first + a, first + b, start + c, start + d


def _merged(changes: Iterator[Change]) -> Iterator[Change]:
    held: Change | None = None
    for change in changes:
        if held is not None and held[1] == change[0] and held[3] == change[2]:
            held = (held[0], change[1], held[2], change[3])
            continue
        if held is not None:
            yield held
        held = change
    if held is not None:
        yield held


def _hunks(changes: Sequence[Change]) -> Iterator[list[Change]]:
    """Put changes together whose surroundings touch."""
    hunk: list[Change] = []
    for change in changes:
        if hunk and change[0] - hunk[-1][1] > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _hunk(changes: Sequence[Change], old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    begin = max(0, changes[0][0] - _CONTEXT)
    end = min(len(old), changes[-1][1] + _CONTEXT)
    other_begin = changes[0][2] - (changes[0][0] - begin)
    other_end = changes[-1][3] + (end - changes[-1][1])
    yield f"@@ -{_span(begin, end)} +{_span(other_begin, other_end)} @@\n"
    at = begin
    for first, last, start, to in changes:
        yield from (_marked(" ", line) for line in old[at:first])
        yield from (_marked("-", line) for line in old[first:last])
        yield from (_marked("+", line) for line in new[start:to])
        at = last
    yield from (_marked(" ", line) for line in old[at:end])


def _span(begin: int, end: int) -> str:
    count = end - begin
    return f"{begin + 1 if count else begin},{count}" if count != 1 else str(begin + 1)


def _marked(sign: str, line: str) -> str:
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"

"""Which sentences of a long message stand for it: what a person demands, forbids, or asks.

Chosen by structure first, so that it works in any script: pasted code, logs and data fall out by their look; a
sentence gains by its place (people open and close with what they want), as an item of a list, as a question, by
emphasis. Words of demand and prohibition in some twenty languages add to that and decide nothing alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

from unabridged.cutting import safe_cut
from unabridged.summarizer.languages import EMPHASIS, ENDS, HEADING, ITEM, QUESTION, SPECIFIC, demand

_FENCE = re.compile(r"\s*(?:```|~~~)")
_PASTED = re.compile(
    r"\s*(?:[\[({<]?\d{4}-\d\d-\d\d|[\[(]?\d{1,2}:\d\d:\d\d|\d{10,}\b"
    r"|\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|TRACE|FATAL)\b[\]:]"
    r"|\[[A-Z][\w./ -]{1,30}\] |at \S+(?: ?\(|:\d+)|File \"|Traceback|@@ |diff --git|index [0-9a-f]{7}|\+\+\+ |--- \S"
    r"|[$%\u279c\u276f#>]{1,3} \S*(?:git|npm|cd|ls|go|python|cargo|make|docker|sudo)\b"
    r"|\|.*\||[{}\[\]()<>;,]+\s*$|[-=_*~#+]{4,}"
    r"|\S+:\d+:\d+:|goroutine \d|\"[\w .-]+\"\s*:|=== |--- (?:FAIL|PASS)|\d+ \| |</?\w[^>]*>\s*$)"
)
_CODE = re.compile(
    r"[;{}]\s*$|=>|:=|\)\s*\{"
    r"|^\s*(?:import|from|const|let|var|def|class|func|fn|return|if|for|while|public|private|#include)\b.*[:;{(]\s*$"
)
TEXT_SHARE = 0.62
"""Of a line's characters, the share that are letters or spaces in what people write."""
LEAST_WEIGHT = 2
"""Of a unit that is taken: a number or a path in it is not enough."""
LEAST_GAP = 40
"""Characters that take less than to say that they are missing."""
LONGEST_UNIT = 500
"""A longer sentence is split nowhere, but weighs no more by its place."""


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A sentence, or an item of a list: where it stands in its message, and how much it weighs."""

    start: int
    end: int
    weight: int


def demands(text: str) -> bool:
    """Tell whether a text forbids, demands, or sets a condition."""
    return demand().search(text) is not None


def choose(text: str, most: int) -> tuple[str | int, ...]:
    """Give the sentences that stand for a long text, exactly, in order; numbers stand for characters left out.

    At most about `most` characters. What weighs most is taken, of equals what stands nearer to the start.
    """
    units = list(_units(text))
    taken: list[Unit] = []
    room = most
    for unit in sorted(units, key=lambda unit: (-unit.weight, unit.start)):
        size = unit.end - unit.start
        if size <= room and unit.weight >= LEAST_WEIGHT:
            taken.append(unit)
            room -= size
    if not taken:
        return _ends(text, most)
    return _pieces(text, sorted(taken, key=lambda unit: unit.start))


def _ends(text: str, most: int) -> tuple[str | int, ...]:
    head, tail = safe_cut(text, most * 2 // 3), safe_cut(text, len(text) - most // 3)
    return (text[:head], tail - head, text[tail:]) if 0 < head < tail < len(text) else (text,)


def _pieces(text: str, units: list[Unit]) -> tuple[str | int, ...]:
    start = end = units[0].start
    pieces: list[str | int] = [start] if start > LEAST_GAP else []
    start = start if pieces else 0
    for unit in units:
        if unit.start - end > LEAST_GAP and text[end : unit.start].strip():
            pieces += (text[start:end], unit.start - end)
            start = unit.start
        end = unit.end
    rest = len(text) - end
    return (*pieces, text[start:end], rest) if rest > LEAST_GAP else (*pieces, text[start:])


def _units(text: str) -> Iterator[Unit]:
    spans = list(_written(text))
    for place, (start, end) in enumerate(spans):
        unit = text[start:end]
        weight = _weight(unit)
        if end - start <= LONGEST_UNIT:
            weight += 3 * (place == 0) + 3 * (place == len(spans) - 1) + (place == 1)
        yield Unit(start, end, weight)


def _weight(unit: str) -> int:
    end, unit = unit[-LONGEST_UNIT:], unit[:LONGEST_UNIT]
    if HEADING.match(unit) and not demands(unit):
        return 0
    return (
        3 * demands(unit)
        + 2 * (ITEM.match(unit) is not None)
        + 2 * (QUESTION.search(end) is not None)
        + (EMPHASIS.search(unit) is not None)
        + (SPECIFIC.search(unit) is not None)
    )


def _written(text: str) -> Iterator[tuple[int, int]]:
    """Give where sentences stand that somebody wrote: lines that are pasted fall out, others are split."""
    at, fenced = 0, False
    for line in text.split("\n"):
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and is_written(line):
            yield from _split(line, at)
        at += len(line) + 1


def is_written(line: str) -> bool:
    """Tell whether a line looks like something that a person wrote, not like code, a log, or data."""
    stripped = line.strip()
    if len(stripped) < 2 or _PASTED.match(line) or (_CODE.search(line) and not ITEM.match(line)):
        return False
    start = stripped[:400]
    if " " not in stripped and len(stripped) > 80 and start.isascii():
        return False
    return sum(character.isalpha() or character == " " for character in start) >= TEXT_SHARE * len(start)


def _split(line: str, at: int) -> Iterator[tuple[int, int]]:
    if ITEM.match(line) and len(line) <= LONGEST_UNIT:
        yield at + len(line) - len(line.lstrip()), at + len(line.rstrip())
        return
    start = 0
    for end in [*ENDS.finditer(line), None]:
        stop = len(line) if end is None else end.start()
        piece = line[start:stop]
        if piece.strip():
            yield at + start + len(piece) - len(piece.lstrip()), at + start + len(piece.rstrip())
        start = stop if end is None else end.end()

"""Replacing text in a text: where it stands, and what to say where it does not."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher

from unabridged.agent.files.text import FileText, spliced
from unabridged.agent.tool import ToolError

_LISTED = 10
_CANDIDATES = 200
_SHOWN = 12
_COMPARED = 800
"""Characters: comparing takes the square of this, twenty times."""
_ALIKE = 0.5
_NUMBERED = re.compile(r"^\s*\d+\t", re.MULTILINE)


def replaced(file: FileText, old: str, new: str, every: bool) -> FileText:
    """Replace the only place of a text, or every one. Raises `ToolError` saying where it stands, or what is like it."""
    old = old.replace("\r\n", "\n")
    text = file.plain
    if not old:
        raise ToolError("`old` is empty: give the text that is to be replaced; to fill an empty file use write")
    if old == new.replace("\r\n", "\n"):
        raise ToolError("`old` and `new` are the same: nothing would change")
    places = _places(text, old, every=every)
    if not places:
        raise ToolError(f"`old` does not occur. {_nearest(text, old)}")
    if len(places) > 1 and not every:
        lines = [str(text.count("\n", 0, place) + 1) for place in places[:_LISTED]]
        count = max(len(places), text.count(old))
        more = f" and {count - _LISTED:,} more" if count > _LISTED else ""
        raise ToolError(
            f"`old` occurs {count:,} times, in lines {', '.join(lines)}{more}: add lines around it until it is the"
            " only one, or set all to true to replace every one"
        )
    return spliced(file, [(place, place + len(old)) for place in places], new)


def _places(text: str, old: str, *, every: bool) -> list[int]:
    """Give where a text begins: every place that replacing one after the other comes to, else the first ones.

    Where only one may be, places that overlap are two.
    """
    found: list[int] = []
    at = text.find(old)
    while at >= 0 and (every or len(found) <= _LISTED):
        found.append(at)
        at = text.find(old, at + (len(old) if every else 1))
    return found


def _nearest(text: str, old: str) -> str:
    bare = _NUMBERED.sub("", old)
    if bare != old and bare in text:
        return "Without the line numbers at its beginning it does: they are not part of the file"
    lines, wanted = text.split("\n"), old.strip("\n").split("\n")
    at, ratio = _most_alike(lines, wanted)
    if ratio < _ALIKE:
        return "Nothing in the file is like it: read the file again, and copy the text from there"
    place = lines[at : at + len(wanted)]
    why = "differs in white space only" if _squeezed(place) == _squeezed(wanted) else "is the most similar place"
    shown = "\n".join(f"{at + nth}\t{line[:300]}" for nth, line in enumerate(place[:_SHOWN], 1))
    more = f"\n… ({len(place) - _SHOWN} more lines)" if len(place) > _SHOWN else ""
    where = f"line {at + 1}" if len(place) == 1 else f"lines {at + 1}-{at + len(place)}"
    return f"This {why}, {where}:\n{shown}{more}"


def _most_alike(lines: list[str], wanted: list[str]) -> tuple[int, float]:
    """Give where the lines begin that are most like these, and how much so, from 0 to 1."""
    best, ratio = 0, 0.0
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(_beginning(wanted))
    for at in _candidates(lines, wanted):
        matcher.set_seq1(_beginning(lines[at : at + len(wanted)]))
        if matcher.real_quick_ratio() > ratio and matcher.quick_ratio() > ratio and (this := matcher.ratio()) > ratio:
            best, ratio = at, this
    return best, ratio


def _beginning(lines: list[str]) -> str:
    """Give as much of some lines as can be compared sign by sign without a wait."""
    return "\n".join(lines[:_SHOWN])[:_COMPARED]


def _candidates(lines: list[str], wanted: list[str]) -> list[int]:
    """Give beginnings that are worth a look: where most of the lines, or else of the words, are found."""
    places: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        places.setdefault(_squeezed([line]), []).append(at)
    votes: Counter[int] = Counter()
    for nth, line in enumerate(wanted):
        key = _squeezed([line])
        found = places.get(key, []) if key else []
        if len(found) <= _CANDIDATES:
            votes.update(max(0, at - nth) for at in found)
    words = set(re.findall(r"\w+", wanted[0])) or set(wanted[0])
    if len(votes) < 5 and words:
        shared = ((len(words & set(re.findall(r"\w+", line))), at) for at, line in enumerate(lines))
        votes.update({at: count for count, at in sorted(shared, key=lambda each: (-each[0], each[1]))[:20] if count})
    return [at for at, _ in votes.most_common(20)]


def _squeezed(lines: list[str]) -> str:
    return "".join("".join(lines).split())

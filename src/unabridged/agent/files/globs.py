"""Patterns of paths: `*.py` anywhere below, `./*.py` and `src/*.py` right there, `src/**/*.py` at any depth.

Patterns become regular expressions that never search twice: a name is matched in a time that does not depend on how
many stars a pattern has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

import msgspec

from unabridged.agent.tool import ToolError

_MOST = 500
"""Patterns that one with braces may stand for."""
_ANY_FOLDERS = "(?:[^/]+/)*"


class Glob(msgspec.Struct, frozen=True):
    """A pattern, ready to be held against paths relative to where the search began."""

    pattern: str
    regex: re.Pattern[str]
    names_hidden: bool
    """A part of it begins with a dot, so that hidden files are meant."""
    lists_folders: bool
    """It is about one folder, whose folders are of interest as well."""

    @classmethod
    def of(cls, pattern: str) -> Glob:
        """Read a pattern. Raises `ToolError` for one that can match nothing."""
        if "\0" in pattern or not pattern.strip("/"):
            raise ToolError(f"{pattern!r} is no pattern: give one like *.py, src/**/*.ts or ./*")
        whole = pattern.removeprefix("./").rstrip("/")
        parts = whole.split("/")
        if pattern.startswith("/") or ".." in parts:
            raise ToolError(f"the pattern {pattern!r} leaves its folder: give the folder as path, the rest as pattern")
        anchored = pattern.startswith("./") or "/" in whole
        try:
            regexes = [regex_of(each, anchored=anchored) for each in expanded(whole)]
            regex = re.compile("|".join(regexes), re.DOTALL)
        except re.error as error:
            raise ToolError(f"the pattern {pattern!r} cannot be read ({error}): put \\ before special signs") from None
        hidden = any(part.startswith(".") for part in parts)
        return cls(pattern, regex, hidden, anchored and "**" not in parts)

    def matches(self, path: str) -> bool:
        """Tell whether a relative path is meant."""
        return self.regex.fullmatch(path) is not None


def regex_of(pattern: str, *, anchored: bool) -> str:
    """Give the regular expression of a pattern without braces, for a full match."""
    parts = pattern.split("/")
    pieces = [] if anchored else [_ANY_FOLDERS]
    for nth, part in enumerate(parts):
        last = nth == len(parts) - 1
        if part == "**":
            if not last and pieces[-1:] == [_ANY_FOLDERS]:
                continue
            pieces.append(".+" if last else _ANY_FOLDERS)
        else:
            pieces.append(_name(part) + ("" if last else "/"))
    return "".join(pieces)


def expanded(pattern: str) -> list[str]:
    """Give the patterns that one with `{a,b}` stands for. Raises `ToolError` for too many."""
    done: list[str] = []
    waiting = [pattern]
    while waiting:
        each = waiting.pop()
        found = _braces(each)
        if found is None:
            done.append(each)
            continue
        begin, end, options = found
        waiting += [each[:begin] + option + each[end:] for option in options]
        if len(done) + len(waiting) > _MOST:
            raise ToolError(f"the pattern stands for more than {_MOST} others: use fewer braces")
    return done


def _braces(pattern: str) -> tuple[int, int, Sequence[str]] | None:
    """Give the first braces with options in them: from, to, and the options."""
    open_at: list[tuple[int, list[int]]] = []
    for at, sign in _signs(pattern):
        if sign == "{":
            open_at.append((at, []))
        elif sign == "," and open_at:
            open_at[-1][1].append(at)
        elif sign == "}" and open_at:
            begin, commas = open_at.pop()
            if commas:
                edges = [begin, *commas, at]
                return begin, at + 1, [pattern[a + 1 : b] for a, b in pairwise(edges)]
    return None


def _signs(pattern: str) -> Iterator[tuple[int, str]]:
    skipped = False
    for at, sign in enumerate(pattern):
        if skipped:
            skipped = False
        elif sign == "\\":
            skipped = True
        else:
            yield at, sign


def _name(part: str) -> str:
    """Give the expression of one name. What follows a star is taken where it first occurs, and not looked for again."""
    pieces: list[list[str]] = [[]]
    at = 0
    while at < len(part):
        sign = part[at]
        at += 1
        if sign == "*":
            if pieces[-1] or len(pieces) == 1:
                pieces.append([])
        elif sign == "?":
            pieces[-1].append("[^/]")
        elif sign == "[" and (found := _class(part, at)):
            pieces[-1].append(found[0])
            at = found[1]
        elif sign == "\\" and at < len(part):
            pieces[-1].append(re.escape(part[at]))
            at += 1
        else:
            pieces[-1].append(re.escape(sign))
    first, *rest = ("".join(each) for each in pieces)
    if not rest:
        return first
    return first + "".join(f"(?>[^/]*?{each})" for each in rest[:-1]) + f"[^/]*{rest[-1]}"


def _class(part: str, at: int) -> tuple[str, int] | None:
    """Give the expression of `[...]`, and where it ends; None where it does not."""
    begin = at
    negated = part[at : at + 1] in ("!", "^")
    at += negated
    end = part.find("]", at + 1)
    if end < 0 or begin == len(part):
        return None
    inside = part[at:end].replace("\\", "\\\\").replace("[", "\\[").replace("^", "\\^").replace("]", "\\]")
    return (f"[^/{inside}]" if negated else f"(?!/)[{inside}]"), end + 1

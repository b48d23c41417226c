"""Elements of markup in a text: what stands between a tag and the one that closes it. One pass, whatever the text."""

from __future__ import annotations

import re
from collections.abc import Iterator


def closed(text: str, tag: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Give where each outermost closed element begins and ends. `tag` matches both kinds of tags.

    Its group `name` is what they share, and `/` in its group `closing` tells the one from the other.
    """
    opened: dict[str, int] = {}
    done = 0
    for found in tag.finditer(text):
        name = found["name"].lower()
        if not found["closing"]:
            opened.setdefault(name, found.start())
        elif opened.get(name, -1) >= done:
            yield opened.pop(name), found.end()
            done = found.end()
        else:
            opened.pop(name, None)


def without(text: str, tag: re.Pattern[str]) -> str:
    """Give a text without its closed elements."""
    kept: list[str] = []
    at = 0
    for start, end in closed(text, tag):
        kept.append(text[at:start])
        at = end
    return "".join([*kept, text[at:]])


def without_fences(text: str) -> str:
    """Give a Markdown text without its code blocks; one that is never closed goes on to the end."""
    kept: list[str] = []
    fence = ""
    for line in text.split("\n"):
        mark = line.lstrip()[:3]
        if fence:
            fence = "" if mark == fence and not line.strip().strip(fence[0]) else fence
        elif mark in ("```", "~~~"):
            fence = mark
        else:
            kept.append(line)
    return "\n".join(kept)
